//! Components that are handwritten for one behavior each. Most are faulty in a way that an SDK does not allow.

use berth_test_kit::component::{Guest, NORMALIZE_NONE, Reads};

/// WebAssembly text for a filter: sets verdict 1 for every node, in a loop that counts down.
const REJECT_ALL: &str = "(block $done (loop $next
    (br_if $done (i32.eqz (local.get $count)))
    (local.set $count (i32.sub (local.get $count) (i32.const 1)))
    (i32.store16 (i32.add (local.get $verdicts) (i32.shl (local.get $count) (i32.const 1))) (i32.const 1))
    (br $next)))";

/// Returns a guest with this name that reads nothing, accepts every node, and gives each node the score 0.
fn indifferent(name: &str) -> Guest {
    let exports = ["plugin", "filter", "score"];
    Guest::new(name).exports(&exports).node_facts(0).normalization(NORMALIZE_NONE)
}

/// Builds a plugin with this name that accepts every node.
pub fn accepting(name: &str) -> Vec<u8> {
    indifferent(name).build()
}

/// Builds a plugin `Crafted` with this version that accepts every node.
pub fn version(version: &str) -> Vec<u8> {
    indifferent("Crafted").version(version).build()
}

/// Builds a plugin `Crafted` that rejects every node with this reason.
pub fn rejecting(reason: &str) -> Vec<u8> {
    rejecting_as("Crafted", reason)
}

/// Builds a plugin with this name that rejects every node with this reason.
pub fn rejecting_as(name: &str, reason: &str) -> Vec<u8> {
    // The filter replaces the reason of outcome 1.
    let filter = format!(
        "(i32.store (i32.const 264) (i32.const 640)) (i32.store (i32.const 268) (i32.const {})) {REJECT_ALL}",
        reason.len()
    );
    let data = format!(r#"(data (i32.const 640) "{reason}")"#);
    indifferent(name).body("data", &data).body("filter", &filter).build()
}

/// Builds a plugin with this name that rejects every node until an object of this kind with this field exists.
pub fn rejecting_until_object(
    name: &str,
    api_version: &'static str,
    kind: &'static str,
    field: &'static str,
) -> Vec<u8> {
    let filter = format!("(if (i32.eqz (global.get $objects)) (then {REJECT_ALL}))");
    indifferent(name).reads(api_version, kind, field).body("filter", &filter).build()
}

/// Builds a plugin with this name whose filter traps for pods with exactly three labels, and accepts every node for
/// other pods.
pub fn trapping_for_three_labels(name: &str) -> Vec<u8> {
    const LABELS: u32 = 1 << 3;
    let remembered = "(global $three-labels (mut i32) (i32.const -1))";
    // The argument of `hold` is a record: the signature's id at offset 0, the pod at offset 8. The pod starts with
    // name, namespace, uid and labels. Each is an address and a length of 4 bytes.
    let hold = "(if (i32.eq (i32.load offset=36 (local.get 0)) (i32.const 3))
                  (then (global.set $three-labels (i32.load (local.get 0)))))";
    let filter = "(if (i32.eq (local.get $signature) (global.get $three-labels)) (then unreachable))";
    indifferent(name)
        .pod_facts(LABELS)
        .body("data", remembered)
        .body("add_signature", hold)
        .body("filter", filter)
        .build()
}

/// Builds a plugin `Crafted` whose function, such as `filter`, runs this WebAssembly text in addition to its usual
/// code.
pub fn with_body(function: &'static str, wat: &str) -> Vec<u8> {
    indifferent("Crafted").body(function, wat).build()
}

/// Builds a WebAssembly module that is not a component.
pub fn core_module() -> Vec<u8> {
    indifferent("Crafted").core_module()
}

/// Builds a component that exports only this interface of the contract.
pub fn exporting(interface: &'static str) -> Vec<u8> {
    indifferent("Crafted").exports(&[interface]).build()
}

/// Builds a component that imports an HTTP client.
pub fn with_http() -> Vec<u8> {
    indifferent("Crafted").with_http().build()
}

/// Builds a plugin with this name that rejects every node for pods that have none of the fields at these paths.
pub fn rejecting_without_fields(name: &str, paths: &'static [&'static str]) -> Vec<u8> {
    let guest = indifferent(name).pod(Reads { fields: paths, ..Reads::default() });
    // The argument is a record: the signature's id at offset 0, the pod at offset 8. A text is an address and a length.
    // The fields of a pod that has none are `{}`.
    let length = 8 + guest.offset("facts", "pod", "fields") + 4;
    let add = format!(
        "(if (i32.gt_u (i32.load offset={length} (local.get 0)) (i32.const 2))
           (then (global.set $having (i32.load (local.get 0)))))"
    );
    let filter = format!("(if (i32.ne (local.get $signature) (global.get $having)) (then {REJECT_ALL}))");
    let data = "(global $having (mut i32) (i32.const -1))";
    guest.body("data", data).body("add_signature", &add).body("filter", &filter).build()
}

/// Builds a plugin with this name that rejects every node while there are fewer than two pending pods.
pub fn rejecting_single_pending_pods(name: &str) -> Vec<u8> {
    let bit = "(i64.shl (i64.const 1) (i64.extend_i32_u (i32.load offset=8 (local.get $change))))";
    let on = |tag: u32, then: &str| {
        format!("(if (i32.eq (i32.load8_u (local.get $change)) (i32.const {tag})) (then {then}))")
    };
    // The changes: 7 pending-pod, 8 pending-pod-removed. Both begin with the pod's id.
    let added = format!("(global.set $pending (i64.or (global.get $pending) {bit}))");
    let gone = format!("(global.set $pending (i64.and (global.get $pending) (i64.xor {bit} (i64.const -1))))");
    let change = format!("{} {}", on(7, &added), on(8, &gone));
    let filter = format!("(if (i64.lt_u (i64.popcnt (global.get $pending)) (i64.const 2)) (then {REJECT_ALL}))");
    indifferent(name)
        .exports(&["plugin", "snapshot", "filter", "score"])
        .pending_pods(Reads::default())
        .body("data", "(global $pending (mut i64) (i64.const 0))")
        .body("change", &change)
        .body("filter", &filter)
        .build()
}
