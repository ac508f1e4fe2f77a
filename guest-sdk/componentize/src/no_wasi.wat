;; Stubs for WASI preview 1: no files, no environment, no arguments, a counter as the clock, and a fixed sequence as
;; random numbers. Output to a file descriptor becomes lines in the host's log.
;;
;; A plugin has to give the same answer to the same question, so none of these functions may reach the machine.
(module
  (import "env" "memory" (memory 0))
  (import "berth:scheduler/log@0.2.0" "write" (func $log (param i32 i32 i32)))

  ;; The clock, in nanoseconds. Each read advances it, so that a loop that waits for a time ends.
  (global $now (mut i64) (i64.const 1000000000))
  (global $seed (mut i64) (i64.const 0x9e3779b97f4a7c15))

  ;; The buffer of the unfinished line starts at $line, in the first kilobyte of memory. Linkers leave it free, so
  ;; that no object has address 0. An adapter has no memory of its own.
  (global $line i32 (i32.const 16))
  (global $room i32 (i32.const 1000))
  (global $length (mut i32) (i32.const 0))

  (func $nothing_there (param $count i32) (param $size i32) (result i32)
    (i32.store (local.get $count) (i32.const 0))
    (i32.store (local.get $size) (i32.const 0))
    (i32.const 0))
  (func (export "args_sizes_get") (param i32 i32) (result i32) (call $nothing_there (local.get 0) (local.get 1)))
  (func (export "environ_sizes_get") (param i32 i32) (result i32) (call $nothing_there (local.get 0) (local.get 1)))
  (func (export "args_get") (param i32 i32) (result i32) (i32.const 0))
  (func (export "environ_get") (param i32 i32) (result i32) (i32.const 0))
  (func (export "sched_yield") (result i32) (i32.const 0))

  (func (export "proc_exit") (param i32) (call $flush) unreachable)
  (func (export "proc_raise") (param i32) (result i32) (call $flush) unreachable)

  (func (export "clock_time_get") (param $clock i32) (param $precision i64) (param $time i32) (result i32)
    (global.set $now (i64.add (global.get $now) (i64.const 1000)))
    (i64.store (local.get $time) (global.get $now))
    (i32.const 0))
  (func (export "clock_res_get") (param $clock i32) (param $resolution i32) (result i32)
    (i64.store (local.get $resolution) (i64.const 1000))
    (i32.const 0))

  ;; Returns at once, and reports the first subscription as ready. If it waits for a time (kind 0), the clock advances
  ;; to this time. A subscription has 48 bytes: its kind at 8, its time at 24, and flags at 40 (0 for a relative time,
  ;; 1 for an absolute one).
  (func (export "poll_oneoff")
    (param $subscriptions i32) (param $events i32) (param $count i32) (param $happened i32) (result i32)
    (if (i32.eqz (i32.load8_u offset=8 (local.get $subscriptions)))
      (then
        (if (i32.eqz (i32.load16_u offset=40 (local.get $subscriptions)))
          (then
            (global.set $now (i64.add (global.get $now) (i64.load offset=24 (local.get $subscriptions)))))
          (else
            (if (i64.gt_u (i64.load offset=24 (local.get $subscriptions)) (global.get $now))
              (then (global.set $now (i64.load offset=24 (local.get $subscriptions)))))))))
    (i64.store (local.get $events) (i64.load (local.get $subscriptions)))
    (i64.store offset=8 (local.get $events) (i64.const 0))
    (i64.store offset=16 (local.get $events) (i64.const 0))
    (i64.store offset=24 (local.get $events) (i64.const 0))
    (i32.store (local.get $happened) (i32.const 1))
    (i32.const 0))

  (func (export "random_get") (param $at i32) (param $count i32) (result i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (global.set $seed
          (i64.add (i64.mul (global.get $seed) (i64.const 6364136223846793005)) (i64.const 1442695040888963407)))
        (i64.store8 (local.get $at) (i64.shr_u (global.get $seed) (i64.const 33)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.const 0))

  ;; Logs the line. The level is error if the line starts with a runtime's `panic: ` or `fatal error: `, and warning
  ;; otherwise.
  (func $flush (local $level i32) (local $begins i32)
    (if (i32.eqz (global.get $length)) (then (return)))
    (local.set $begins (i32.load (global.get $line)))
    (local.set $level (i32.const 1))
    (if (i32.ge_u (global.get $length) (i32.const 4))
      (then
        (if (i32.or
              (i32.eq (local.get $begins) (i32.const 0x696e6170))
              (i32.eq (local.get $begins) (i32.const 0x61746166)))
          (then (local.set $level (i32.const 0))))))
    (call $log (local.get $level) (global.get $line) (global.get $length))
    (global.set $length (i32.const 0)))

  (func $write_byte (param $byte i32)
    (if (i32.eq (local.get $byte) (i32.const 10)) (then (call $flush) (return)))
    (if (i32.eq (global.get $length) (global.get $room)) (then (call $flush)))
    (i32.store8 (i32.add (global.get $line) (global.get $length)) (local.get $byte))
    (global.set $length (i32.add (global.get $length) (i32.const 1))))

  (func (export "fd_write") (param $fd i32) (param $vectors i32) (param $count i32) (param $written i32) (result i32)
    (local $at i32) (local $left i32) (local $sum i32)
    (block $done
      (loop $vector
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $at (i32.load (local.get $vectors)))
        (local.set $left (i32.load offset=4 (local.get $vectors)))
        (local.set $sum (i32.add (local.get $sum) (local.get $left)))
        (block $written_out
          (loop $byte
            (br_if $written_out (i32.eqz (local.get $left)))
            (call $write_byte (i32.load8_u (local.get $at)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br $byte)))
        (local.set $vectors (i32.add (local.get $vectors) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $vector)))
    (i32.store (local.get $written) (local.get $sum))
    (i32.const 0))

  ;; All other functions return 8 (badf, bad file descriptor). A runtime that looks for preopened files finds none and
  ;; continues.
  (func (export "fd_advise") (param i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_allocate") (param i32 i64 i64) (result i32) (i32.const 8))
  (func (export "fd_close") (param i32) (result i32) (i32.const 8))
  (func (export "fd_datasync") (param i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_flags") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_fdstat_set_rights") (param i32 i64 i64) (result i32) (i32.const 8))
  (func (export "fd_filestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_filestat_set_size") (param i32 i64) (result i32) (i32.const 8))
  (func (export "fd_filestat_set_times") (param i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_pread") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_dir_name") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_pwrite") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_read") (param i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_readdir") (param i32 i32 i32 i64 i32) (result i32) (i32.const 8))
  (func (export "fd_renumber") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_seek") (param i32 i64 i32 i32) (result i32) (i32.const 8))
  (func (export "fd_sync") (param i32) (result i32) (i32.const 8))
  (func (export "fd_tell") (param i32 i32) (result i32) (i32.const 8))
  (func (export "path_create_directory") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_filestat_get") (param i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_filestat_set_times") (param i32 i32 i32 i32 i64 i64 i32) (result i32) (i32.const 8))
  (func (export "path_link") (param i32 i32 i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_open") (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32) (i32.const 8))
  (func (export "path_readlink") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_remove_directory") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_rename") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_symlink") (param i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "path_unlink_file") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "sock_accept") (param i32 i32 i32) (result i32) (i32.const 8))
  (func (export "sock_recv") (param i32 i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "sock_send") (param i32 i32 i32 i32 i32) (result i32) (i32.const 8))
  (func (export "sock_shutdown") (param i32 i32) (result i32) (i32.const 8))
)
