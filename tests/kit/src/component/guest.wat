;; A plugin in the text format: a core module that follows the contract. The builder in mod.rs inserts the declaration, the
;; name and the bodies of functions, and makes a component of it. Text between two `@` is a placeholder.
;;
;; $objects is the number of objects, received through `objects`, that have any of the declared fields.
;;
;; Memory: 0 to 4 KiB constants and results; from 4 KiB the declaration; from 32 KiB data of tests; from 64 KiB the cpu in use, 8 bytes per node; from 1 MiB the heap.
(module
  @imports@
  (memory (export "memory") 32)
  (global $heap (mut i32) (i32.const 0x100000))
  @data@
  ;; what describe and configure return
  (data (i32.const 0x1000) "@declared@")
  ;; an error that the plugin returns
  (data (i32.const 192) "no thank you")
  (data (i32.const 208) "\01\00\00\00\c0\00\00\00\0c\00\00\00")
  ;; kinds: one kind with one field
  (data (i32.const 832) "@api_version@")
  (data (i32.const 864) "@kind@")
  (data (i32.const 896) "@field@")
  (data (i32.const 944) "\80\03\00\00@field_length@")
  (data (i32.const 952) "\40\03\00\00@api_version_length@\60\03\00\00@kind_length@\b0\03\00\00\01\00\00\00")
  (data (i32.const 976) "\b8\03\00\00\01\00\00\00")
  (global $objects (mut i32) (i32.const 0))
  ;; outcomes: Unschedulable with one reason
  (data (i32.const 256) "told so")
  (data (i32.const 264) "\00\01\00\00\07\00\00\00")
  (data (i32.const 272) "\00\00\00\00\08\01\00\00\01\00\00\00")

  (func $alloc (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
    (global.set $heap (i32.add (local.get $at) (local.get $size)))
    (block $fits
      (br_if $fits (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
      (drop (memory.grow (i32.add (i32.div_u (local.get $size) (i32.const 65536)) (i32.const 1)))))
    (local.get $at))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
    (call $alloc (local.get $size)))
  (func $clear (param i32) (global.set $heap (i32.const 0x100000)))

  (func (export "berth:scheduler/plugin@contract@#describe") (result i32) @describe@)
  (func (export "berth:scheduler/plugin@contract@#configure") (param $text i32) (param $length i32) (result i32) @configure@)
  (func (export "berth:scheduler/plugin@contract@#@add@") (param i32) @add_signature@ (call $clear (i32.const 0)))
  (func (export "berth:scheduler/plugin@contract@#@remove@") (param i32 i32) (call $clear (i32.const 0)))

  ;; Stores the cpu in use of every node in a usage change.
  (func $apply (export "berth:scheduler/snapshot@contract@#apply") (param $change i32) (param $count i32)
    (local $row i32) (local $rows i32) (local $entry i32)
    (block $done (loop $changes
      (br_if $done (i32.eqz (local.get $count)))
      (if (i32.eq (i32.load8_u (local.get $change)) (i32.const 2)) (then
        (local.set $row (i32.const 0))
        (local.set $rows (i32.load offset=12 (local.get $change)))
        (block $out (loop $usage
          (br_if $out (i32.eq (local.get $row) (local.get $rows)))
          (local.set $entry
            (i32.mul (i32.const 8) (i32.load (i32.add (i32.load offset=8 (local.get $change)) (i32.mul (local.get $row) (i32.const 4))))))
          (if @takes@ (then
            (i64.store offset=0x10000 (local.get $entry)
              (i64.load (i32.add (i32.load offset=16 (local.get $change)) (i32.mul (local.get $row) (i32.const 8)))))))
          (local.set $row (i32.add (local.get $row) (i32.const 1)))
          (br $usage)))))
      @change@
      (local.set $change (i32.add (local.get $change) (i32.const @change_size@)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $changes)))
    @apply@
    (call $clear (i32.const 0)))

  (func (export "berth:scheduler/objects@contract@#kinds") (result i32) (i32.const 976))
  ;; A change is a tag and, at offset 4, an object or the id of a removed one. The eleventh word of a change is the length
  ;; of the object's fields. From 512 KiB on, 64 KiB of flags say which objects are counted.
  (func (export "berth:scheduler/objects@contract@#apply") (param $change i32) (param $count i32)
    (local $flag i32) (local $counts i32)
    (block $done (loop $changes
      (br_if $done (i32.eqz (local.get $count)))
      (local.set $flag (i32.add (i32.const 0x80000) (i32.load offset=4 (local.get $change))))
      (local.set $counts (i32.const 0))
      (if (i32.eqz (i32.load8_u (local.get $change))) (then
        (local.set $counts (i32.gt_u (i32.load offset=40 (local.get $change)) (i32.const 2)))))
      (global.set $objects
        (i32.add (i32.sub (global.get $objects) (i32.load8_u (local.get $flag))) (local.get $counts)))
      (i32.store8 (local.get $flag) (local.get $counts))
      (local.set $change (i32.add (local.get $change) (i32.const 48)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $changes)))
    (call $clear (i32.const 0)))

  (func (export "berth:scheduler/pre-filter@contract@#pre-filter") (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) (result i32)
    @pre_filter@)
  (func (export "cabi_post_berth:scheduler/pre-filter@contract@#pre-filter") (param i32) (call $clear (i32.const 0)))

  ;; The result is at 512. Each verdict is 0 unless the body writes another.
  (func (export "berth:scheduler/filter@contract@#filter") (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) (param $nodes i32) (param $count i32) (result i32)
    (local $verdicts i32) (local $at i32)
    (local.set $verdicts (call $alloc (i32.mul (local.get $count) (i32.const 2))))
    (memory.fill (local.get $verdicts) (i32.const 0) (i32.mul (local.get $count) (i32.const 2)))
    (i32.store (i32.const 512) (i32.const 0))
    (i32.store (i32.const 516) (i32.const 272))
    (i32.store (i32.const 520) (i32.const 1))
    (i32.store (i32.const 524) (local.get $verdicts))
    (i32.store (i32.const 528) (local.get $count))
    @filter@
    (i32.const 512))
  (func (export "cabi_post_berth:scheduler/filter@contract@#filter") (param i32) (call $clear (i32.const 0)))

  ;; The result is at 2048: unschedulable, without a reason. $room nominates a node and evicts a pod instead.
  (func (export "berth:scheduler/post-filter@contract@#post-filter")
    (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) @identity@
    (param $nodes i32) (param $count i32) (param $codes i32) (param $code_count i32)
    (param $leaving i32) (param $leaving_count i32) (result i32)
    (memory.fill (i32.const 2048) (i32.const 0) (i32.const 64))
    (i32.store8 (i32.const 2052) (i32.const 1))
    @post_filter@
    (i32.const 2048))
  (func (export "cabi_post_berth:scheduler/post-filter@contract@#post-filter") (param i32) (call $clear (i32.const 0)))
  (func $room (param $node i32) (param $pod i32)
    (i32.store8 (i32.const 2052) (i32.const 0))
    (i32.store (i32.const 2056) (local.get $node))
    (i32.store (i32.const 2112) (local.get $pod))
    (i32.store (i32.const 2060) (i32.const 2112))
    (i32.store (i32.const 2064) (i32.const 1))
    (i32.store (i32.const 2068) (i32.const 256))
    (i32.store (i32.const 2072) (i32.const 7)))

  (func (export "berth:scheduler/pre-score@contract@#pre-score") (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) (param $nodes i32) (param $count i32) (result i32)
    @pre_score@)
  (func (export "cabi_post_berth:scheduler/pre-score@contract@#pre-score") (param i32) (call $clear (i32.const 0)))

  ;; The score of each node is its cpu in use, which `apply` stored.
  (func (export "berth:scheduler/score@contract@#score") (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) (param $nodes i32) (param $count i32) (result i32)
    (local $scores i32) (local $at i32) (local $sum i64)
    (local.set $scores (call $alloc (i32.mul (local.get $count) (i32.const 8))))
    (block $done (loop $each
      (br_if $done (i32.eq (local.get $at) (local.get $count)))
      (i64.store (i32.add (local.get $scores) (i32.mul (local.get $at) (i32.const 8)))
        (i64.load offset=0x10000
          (i32.mul (i32.const 8) (i32.load (i32.add (local.get $nodes) (i32.mul (local.get $at) (i32.const 4)))))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $each)))
    (i32.store (i32.const 544) (i32.const 0))
    (i32.store (i32.const 548) (local.get $scores))
    (i32.store (i32.const 552) (local.get $count))
    @score@
    (i32.const 544))
  (func (export "cabi_post_berth:scheduler/score@contract@#score") (param i32) (call $clear (i32.const 0)))

  (func (export "berth:scheduler/normalize@contract@#normalize") (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) (param $nodes i32) (param $count i32) (param $scores i32) (param $score_count i32) (result i32)
    (i32.store (i32.const 576) (i32.const 0))
    (i32.store (i32.const 580) (local.get $scores))
    (i32.store (i32.const 584) (local.get $score_count))
    @normalize@
    (i32.const 576))
  (func (export "cabi_post_berth:scheduler/normalize@contract@#normalize") (param i32) (call $clear (i32.const 0)))

  ;; The result is at 3072, and the only element of the key at 3088: 0, unless the body writes another.
  (func (export "berth:scheduler/queue-sort@contract@#sort-key") (param $signature i32) @first_queued@ (param $queued i64) (result i32)
    (i32.store (i32.const 3072) (i32.const 0))
    (i32.store (i32.const 3076) (i32.const 3088))
    (i32.store (i32.const 3080) (i32.const 1))
    (i64.store (i32.const 3088) (i64.const 0))
    @sort_key@
    (i32.const 3072))
  (func (export "cabi_post_berth:scheduler/queue-sort@contract@#sort-key") (param i32) (call $clear (i32.const 0)))

  ;; The result is at 3104: the answer at 3108 is false, unless the body writes another.
  (func (export "berth:scheduler/skip@contract@#skip") (param $signature i32) (result i32)
    (i64.store (i32.const 3104) (i64.const 0))
    @skip@
    (i32.const 3104))
  (func (export "cabi_post_berth:scheduler/skip@contract@#skip") (param i32) (call $clear (i32.const 0)))

  ;; Reserves nothing.
  (func (export "berth:scheduler/reserve@contract@#reserve")
    (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) @identity@ (param $node i32) (result i32)
    (memory.fill (i32.const 3120) (i32.const 0) (i32.const 24))
    (i32.const 3120))
  (func (export "cabi_post_berth:scheduler/reserve@contract@#reserve") (param i32) (call $clear (i32.const 0)))

  ;; The result is at 3152: no intents. In version 0.2, the lists of pod actions are at 3160, 3168 and 3176.
  (func (export "berth:scheduler/reserve@contract@#unreserve")
    (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) @identity@
    (param $name i32) (param $name_length i32) (param $state i32) (param $state_length i32) (param $pre_bound i32) (result i32)
    (memory.fill (i32.const 3152) (i32.const 0) (i32.const 32))
    @unreserve@
    (i32.const 3152))
  (func (export "cabi_post_berth:scheduler/reserve@contract@#unreserve") (param i32) (call $clear (i32.const 0)))

  ;; The result is at 3200: approve. In version 0.2, the lists of pod actions are at 3232, 3240 and 3248.
  (func (export "berth:scheduler/permit@contract@#permit")
    (param $id i64) (param $time i64) (param $seed i64) (param $signature i32) @identity@
    (param $name i32) (param $name_length i32) (param $state i32) (param $state_length i32) (result i32)
    (memory.fill (i32.const 3200) (i32.const 0) (i32.const 56))
    @permit@
    (i32.const 3200))
  (func (export "cabi_post_berth:scheduler/permit@contract@#permit") (param i32) (call $clear (i32.const 0))))
