//! Components made by hand for one behaviour each, most of them bad: what an SDK would not let anyone build.

#[path = "../../host/tests/wasm_guest/mod.rs"]
#[allow(clippy::expect_used, missing_docs, unreachable_pub, reason = "shared with the host's own tests")]
mod wasm_guest;

use self::wasm_guest::{Guest, NORMALIZE_NONE};

/// In a filter: verdict 1 for every node, counted down.
const REJECT_ALL: &str = "(block $done (loop $next
    (br_if $done (i32.eqz (local.get $count)))
    (local.set $count (i32.sub (local.get $count) (i32.const 1)))
    (i32.store16 (i32.add (local.get $verdicts) (i32.shl (local.get $count) (i32.const 1))) (i32.const 1))
    (br $next)))";

/// A guest with this name that reads nothing, accepts every node, and gives each the score 0.
fn indifferent(name: &str) -> Guest {
    let exports = ["plugin", "filter", "score"];
    Guest::new(name).exports(&exports).node_facts(0).normalization(NORMALIZE_NONE)
}

/// A plugin of this name to which every node is right.
pub fn accepting(name: &str) -> Vec<u8> {
    indifferent(name).build()
}

/// A plugin `Crafted` that does nothing of note, in this version.
pub fn version(version: &str) -> Vec<u8> {
    indifferent("Crafted").version(version).build()
}

/// A plugin `Crafted` to which no node is right, for this reason.
pub fn rejecting(reason: &str) -> Vec<u8> {
    rejecting_as("Crafted", reason)
}

/// The same by another name.
pub fn rejecting_as(name: &str, reason: &str) -> Vec<u8> {
    // The reason of outcome 1 is exchanged.
    let filter = format!(
        "(i32.store (i32.const 264) (i32.const 640)) (i32.store (i32.const 268) (i32.const {})) {REJECT_ALL}",
        reason.len()
    );
    let data = format!(r#"(data (i32.const 640) "{reason}")"#);
    indifferent(name).body("data", &data).body("filter", &filter).build()
}

/// A plugin of this name to which every node is right as soon as there is an object of this kind that has this field.
pub fn wanting(name: &str, api_version: &'static str, kind: &'static str, field: &'static str) -> Vec<u8> {
    let filter = format!("(if (i32.eqz (global.get $objects)) (then {REJECT_ALL}))");
    indifferent(name).reads(api_version, kind, field).body("filter", &filter).build()
}

/// A plugin of this name that traps in filter for pods with just three labels, and accepts every node for others.
pub fn trapping_for_three_labels(name: &str) -> Vec<u8> {
    const LABELS: u32 = 1 << 3;
    let template = "(global $three-labels (mut i32) (i32.const -1))";
    // Its argument is a record: the template's id at 0, the pod at 8, in it name, namespace, uid and labels, each an
    // address and a length of 4 bytes.
    let hold = "(if (i32.eq (i32.load offset=36 (local.get 0)) (i32.const 3))
                  (then (global.set $three-labels (i32.load (local.get 0)))))";
    let filter = "(if (i32.eq (local.get $template) (global.get $three-labels)) (then unreachable))";
    indifferent(name).pod_facts(LABELS).body("data", template).body("hold", hold).body("filter", filter).build()
}

/// A plugin `Crafted` with a function, such as `filter`, that does this besides what it does anyway.
pub fn with_body(function: &'static str, wat: &str) -> Vec<u8> {
    indifferent("Crafted").body(function, wat).build()
}

/// WebAssembly that is no component.
pub fn core_module() -> Vec<u8> {
    indifferent("Crafted").core_module()
}

/// A component that exports only this interface of the contract.
pub fn exporting(interface: &'static str) -> Vec<u8> {
    indifferent("Crafted").exports(&[interface]).build()
}

/// One that imports an HTTP client.
pub fn with_http() -> Vec<u8> {
    indifferent("Crafted").with_http().build()
}
