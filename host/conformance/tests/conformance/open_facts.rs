//! Tests that the examination varies what version 0.2 of the contract added to the declaration: for each, a component
//! that keeps its first value is found, and a component that keeps the latest value is not.

use berth_conformance::Promise;
use berth_test_kit::component::{Guest, NORMALIZE_DEFAULT, Reads};

use super::wrong_guests::{NODE, breaks, examined, score_each};

/// Whether a component replaces a value that it has.
#[derive(Clone, Copy, PartialEq)]
enum Keeps {
    First,
    Latest,
}

/// Returns code that stores a value (i64) at an address.
fn keep(keeps: Keeps, address: &str, value: &str) -> String {
    let store = format!("(i64.store {address} {value})");
    match keeps {
        Keeps::First => format!("(if (i64.eqz (i64.load {address})) (then {store}))"),
        Keeps::Latest => store,
    }
}

/// Returns a component that scores by a value of the pod at this offset in its record.
fn scores_pods(keeps: Keeps, reads: &Reads, at: impl Fn(&Guest) -> (usize, &'static str)) -> Guest {
    let guest = Guest::new("Wrong").node_facts(0).pod(reads.clone()).normalization(NORMALIZE_DEFAULT);
    let (offset, load) = at(&guest);
    // One place for all pods keeps the value of the first pod.
    let place = |signature: &str| match keeps {
        Keeps::First => "(i32.const 0x30000)".to_owned(),
        Keeps::Latest => format!("(i32.add (i32.const 0x30000) (i32.mul (i32.const 8) {signature}))"),
    };
    // The argument is a record: the id of the signature, and from offset 8 the pod.
    let store =
        keep(keeps, &place("(i32.load (local.get 0))"), &format!("({load} offset={} (local.get 0))", 8 + offset));
    let score = score_each(&format!("(i64.load {})", place("(local.get $signature)")));
    guest.exports(&["plugin", "snapshot", "score"]).body("add_signature", &store).body("score", &score)
}

/// Returns a component that scores by a value of the node at this offset in its record.
fn scores_nodes(keeps: Keeps, reads: &Reads, at: impl Fn(&Guest) -> (usize, usize, &'static str)) -> Guest {
    let guest = Guest::new("Wrong").node(reads.clone()).normalization(NORMALIZE_DEFAULT);
    let (option, offset, load) = at(&guest);
    let place = |id: &str| format!("(i32.add (i32.const 0x30000) (i32.mul (i32.const 8) {id}))");
    // A change is a tag, 0 for a node, and from offset 8 the node. Each fact of a node is an option.
    let store = keep(
        keeps,
        &place("(i32.load offset=8 (local.get $change))"),
        &format!("({load} offset={} (local.get $change))", 8 + option + offset),
    );
    let change = format!(
        "(if (i32.eqz (i32.load8_u (local.get $change))) (then
           (if (i32.load8_u offset={} (local.get $change)) (then {store}))))",
        8 + option
    );
    let score = score_each(&format!("(i64.load {})", place(NODE)));
    guest.exports(&["plugin", "snapshot", "score"]).body("change", &change).body("score", &score)
}

/// Checks that the component that keeps first values is found, and that the other is not and has varied answers.
fn varies(what: &str, guest: impl Fn(Keeps) -> Guest) {
    breaks(what, &guest(Keeps::First), Promise::Rebuilt, "score", "from a new instance");
    let conformance = examined(&guest(Keeps::Latest));
    assert_eq!(conformance.findings, [], "{what}");
    let scores = conformance.variety.scores;
    assert!(scores.is_some_and(|(lowest, highest)| lowest < highest), "{what}: {scores:?}");
}

/// The offset of the length in a text or a list.
const LENGTH: usize = 4;

#[test]
fn facts_names_and_fields_of_pods() {
    let facts = |bit: u32| Reads::facts(1 << bit);
    let names = Reads { label_keys: &["example.com/app"], ..Reads::default() };
    let notes = Reads { annotation_keys: &["example.com/note"], ..Reads::default() };
    let fields = Reads { fields: &["spec.overhead.cpu"], ..Reads::default() };
    let cases: [(&str, Reads, usize, &'static str); 7] = [
        ("limits", facts(26), 0, "i64.load"),
        ("qos", facts(27), 0, "i64.load8_u"),
        ("creation-time", facts(28), 0, "i64.load"),
        ("scheduling-group", facts(29), LENGTH, "i64.load32_u"),
        ("labels", names, LENGTH, "i64.load32_u"),
        ("annotations", notes, LENGTH, "i64.load32_u"),
        ("fields", fields, LENGTH, "i64.load32_u"),
    ];
    for (field, reads, within, load) in cases {
        let at = |guest: &Guest| (guest.offset("facts", "pod", field) + within, load);
        varies(field, |keeps| scores_pods(keeps, &reads, at));
    }
}

#[test]
fn facts_names_and_fields_of_nodes() {
    let facts = |bit: u32| Reads::facts(1 << bit);
    let names = Reads { label_keys: &["example.com/rack"], ..Reads::default() };
    let notes = Reads { annotation_keys: &["example.com/note"], ..Reads::default() };
    let fields = Reads { fields: &["status.phase"], ..Reads::default() };
    // The value of an option is at the next multiple of its alignment: 8 for resources, 4 for texts and lists.
    let os_image = Guest::new("Any").offset("facts", "node-info", "os-image");
    let cases: [(&str, Reads, usize, &'static str); 5] = [
        ("capacity", facts(11), 8, "i64.load"),
        ("info", facts(12), 4 + os_image + LENGTH, "i64.load32_u"),
        ("labels", names, 4 + LENGTH, "i64.load32_u"),
        ("annotations", notes, 4 + LENGTH, "i64.load32_u"),
        ("fields", fields, 4 + LENGTH, "i64.load32_u"),
    ];
    for (field, reads, within, load) in cases {
        let at = |guest: &Guest| (guest.offset("snapshot", "node", field), within, load);
        varies(field, |keeps| scores_nodes(keeps, &reads, at));
    }
}

/// The component scores each node by the number of pending pods. Correctly, it has a flag for each id.
#[test]
fn pending_pods_come_change_and_go() {
    let guest = |keeps| {
        let add = |number: i32| {
            format!("(i64.store (i32.const 0x30000) (i64.add (i64.load (i32.const 0x30000)) (i64.const {number})))")
        };
        let flag = "(i32.add (i32.const 0x40000) (i32.load offset=8 (local.get $change)))";
        let set = |known: i32, then: &str| {
            format!(
                "(if (i32.eq (i32.load8_u {flag}) (i32.const {known})) (then
                   (i32.store8 {flag} (i32.const {})) {then}))",
                1 - known
            )
        };
        let (added, removed) = match keeps {
            Keeps::Latest => (set(0, &add(1)), set(1, &add(-1))),
            // A changed pod counts again, and a removed pod stays.
            Keeps::First => (add(1), String::new()),
        };
        let change = format!(
            "(if (i32.eq (i32.load8_u (local.get $change)) (i32.const 7)) (then {added}))
             (if (i32.eq (i32.load8_u (local.get $change)) (i32.const 8)) (then {removed}))"
        );
        let reads = Reads { label_keys: &["example.com/app"], ..Reads::default() };
        let score = score_each("(i64.load (i32.const 0x30000))");
        let guest = Guest::new("Wrong").node_facts(0).pending_pods(reads).exports(&["plugin", "snapshot", "score"]);
        guest.body("change", &change).body("score", &score)
    };
    varies("pending pods", guest);
}
