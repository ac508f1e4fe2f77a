//! Compares sizes with values calculated by hand from the contract and the canonical ABI.

use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::facts::{NodeFacts, PodFacts};
use berth_core::model::{Labels, Node, Pod};
use berth_core::reads::{NodeReads, PodReads};
use bumpalo::Bump;

use super::Crossing;
use crate::bindings::v0_2::berth::scheduler::facts;
use crate::bindings::v0_2::exports::berth::scheduler::{classes, objects, queueing_hint, snapshot};
use crate::bindings::{intents, types as wit};
use crate::convert;

/// A list or string: address and length.
const LIST: usize = 8;
/// `facts.cycle`: three 64-bit words and one 32-bit word.
const CYCLE: usize = 32;
/// `facts.pod`; most of its fields are lists.
const POD: usize = 416;
/// `snapshot.change`: the largest case, which is a pod and two ids, and the discriminant.
const CHANGE: usize = 8 + (8 + POD);

fn cycle() -> facts::Cycle {
    facts::Cycle { id: 1, time: 2, seed: 3, signature: 4 }
}

fn status(reason: &str) -> wit::Status {
    wit::Status { code: wit::Code::Unschedulable, reasons: vec![reason.to_owned()] }
}

/// The size of a status with one reason.
const fn status_of(reason: usize) -> usize {
    4 + LIST + LIST + reason
}

#[test]
fn a_size_equals_the_size_in_guest_memory() {
    let verdicts = || wit::Verdicts { outcomes: vec![status("full")], nodes: vec![0, 1, 1] };
    let classified = classes::Classified {
        filter: classes::ClassFilter::Verdicts(verdicts()),
        scores: true,
        replaces_all: false,
        nodes: vec![7],
        classes: vec![0],
    };
    let object = objects::Object { id: 1, kind: 0, namespace: "a", name: "b", uid: "c", fields: "{}", assumed: false };
    let [api_version, kind, namespace, name, uid] = ["v1", "Pod", "ns", "p", "u"].map(str::to_owned);
    let reference = intents::ObjectReference { api_version, kind, namespace, name, uid };
    let cases = [
        ("nothing", ().bytes(), 0),
        ("an id", 5_u32.bytes(), 4),
        ("a name", Crossing::bytes("zone-1"), LIST + 6),
        ("ids", [1_u32, 2, 3].as_slice().bytes(), LIST + 3 * 4),
        ("scores", vec![1_i64, 2].bytes(), LIST + 2 * 8),
        ("names", vec!["a".to_owned(), "bc".to_owned()].bytes(), LIST + 2 * LIST + 3),
        ("a cycle about nodes", (cycle(), [1_u32, 2].as_slice(), ()).bytes(), CYCLE + LIST + 2 * 4),
        ("a label", wit::Label { key: "app", value: "web" }.bytes(), 2 * LIST + 6),
        ("no name", None::<&str>.bytes(), 4 + LIST),
        ("a name that may be missing", Some("abc").bytes(), 4 + LIST + 3),
        ("a status", status("no room").bytes(), status_of(7)),
        ("verdicts", verdicts().bytes(), 2 * LIST + status_of(4) + 3 * 2),
        ("an answer", Ok::<_, String>(verdicts()).bytes(), 4 + 2 * LIST + status_of(4) + 3 * 2),
        ("a failure", Err::<wit::Verdicts, _>("no".to_owned()).bytes(), 4 + 2 * LIST + 2),
        // The filter, two flags and two lists; then the contents of the filter, an id and a class.
        ("classes", classified.bytes(), (4 + 2 * LIST) + 4 + 2 * LIST + status_of(4) + 3 * 2 + 4 + 4),
        ("an object", objects::Change::Object(object).bytes(), 4 + (8 + 4 * LIST + 4) + 5),
        // The size of the largest case, a patch: an object, two strings and the type. The alignment is 64 bits,
        // because of the time-out of a wait.
        ("a deletion", intents::Intent::Delete(reference).bytes(), 8 + (5 * LIST + 2 * LIST + 8) + 9),
        ("a hint", queueing_hint::Hint::Queue.bytes(), 1),
    ];
    for (what, is, expected) in cases {
        assert_eq!(is, expected, "{what}");
    }
}

#[test]
fn the_size_of_a_pod_includes_only_declared_facts() {
    let arena = Bump::new();
    let pod = Pod { labels: Labels::from_iter([("app", "web"), ("tier", "")]).into(), ..Pod::default() };
    let (none, labels) = (PodReads::default(), PodReads::from(PodFacts::LABELS));
    let nothing = convert::pod(&arena, &pod, &none);
    assert_eq!((7_u32, nothing.clone()).bytes(), 8 + POD);
    assert_eq!(convert::pod(&arena, &pod, &labels).bytes(), POD + 2 * (2 * LIST) + 10);
    let resident = snapshot::Change::ResidentPod(snapshot::ResidentPod { id: 1, node: 2, pod: nothing });
    assert_eq!(resident.bytes(), CHANGE);
}

#[test]
fn the_size_of_a_change_is_that_of_the_variant_and_its_contents() {
    let arena = Bump::new();
    let mut cache = Cache::default();
    let labels = Labels::from_iter([("zone", "a")]);
    cache.set_node(Arc::new(Node { name: "n1".into(), uid: "u".into(), labels, ..Node::default() }));
    let info = cache.nodes().next().unwrap();
    let reads = NodeReads::from(NodeFacts::all());
    let node = |facts| snapshot::Change::Node(convert::node(&arena, info, &reads, facts));
    let usage = snapshot::Change::Usage(snapshot::Usage {
        nodes: &[1, 2],
        milli_cpu: &[100, 200],
        memory: &[1, 2],
        ephemeral_storage: &[0, 0],
        pods: &[1, 1],
        non_zero_milli_cpu: &[100, 200],
        non_zero_memory: &[1, 2],
        scalars: &[snapshot::ScalarUsage { node: 1, name: "gpu", quantity: 1 }],
    });
    // A row has an id and six numbers; a scalar has an id, a name and a number.
    let row = 4 + 6 * 8;
    let cases = [
        (snapshot::Change::NodeRemoved(3), CHANGE),
        (node(NodeFacts::NAME), CHANGE + 3),
        (node(NodeFacts::LABELS), CHANGE + 2 * LIST + 5),
        (usage.clone(), CHANGE + 2 * row + (4 + LIST + 4 + 8 + 3)),
    ];
    for (change, expected) in &cases {
        assert_eq!(change.bytes(), *expected, "{change:?}");
    }
    let of_one = [usage];
    assert_eq!((cycle(), of_one.as_slice()).bytes(), CYCLE + LIST + cases[3].1);
}
