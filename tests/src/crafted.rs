//! Components that are handwritten for one behavior each. Most are faulty in a way that an SDK does not allow.

use berth_test_kit::component::{Guest, NORMALIZE_NONE};

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
    let template = "(global $three-labels (mut i32) (i32.const -1))";
    // The argument of `hold` is a record: the template's id at offset 0, the pod at offset 8. The pod starts with
    // name, namespace, uid and labels. Each is an address and a length of 4 bytes.
    let hold = "(if (i32.eq (i32.load offset=36 (local.get 0)) (i32.const 3))
                  (then (global.set $three-labels (i32.load (local.get 0)))))";
    let filter = "(if (i32.eq (local.get $template) (global.get $three-labels)) (then unreachable))";
    indifferent(name).pod_facts(LABELS).body("data", template).body("hold", hold).body("filter", filter).build()
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
