//! Tests of single checkpoints. The simulation compares the histories of restored cores with those of other cores.

use serde_json::{Value, json};

use super::*;
use crate::Event;
use crate::extenders::NoExtenders;
use crate::model::{NodeImage, PodRequests, PodSpec, Resources};
use crate::plugins::{Code, PluginId};
use crate::queue::SubQueue;
use crate::scheduler::scripted::{Answer, Bench, assume, claim, claims, node, pod};

/// Returns the core's checkpoint, with the state as JSON.
fn stored(core: &Core) -> (Vec<Arc<Pod>>, String) {
    let Checkpoint { pods, state } = core.checkpoint().into_checkpoint();
    (pods, serde_json::to_string(&state).expect("the state as JSON"))
}

fn restored(pods: Vec<Arc<Pod>>, text: &str, profiles: &[Profile]) -> Result<Core, RestoreError> {
    let state = serde_json::from_str(text).expect("a state");
    Core::restore(Options::default(), Checkpoint { pods, state }, profiles.to_vec())
}

/// Restores the core from its checkpoint. Checks that the restored core has the same checkpoint.
fn restore(core: &mut Core) {
    let (pods, text) = stored(core);
    let again = restored(pods.clone(), &text, core.profiles()).expect("a core");
    assert_eq!(stored(&again), (pods, text));
    *core = again;
}

/// Returns a pod on the node `n` with this request of CPU.
fn assigned(name: &str, milli_cpu: i64) -> Event {
    let effective = Resources { milli_cpu, ..Resources::default() };
    let requests = Arc::new(PodRequests { effective, ..PodRequests::default() });
    Event::PodSet(Arc::new(Pod { node_name: "n".into(), requests, ..pod(name) }))
}

/// Returns a bench with pods on nodes, in permit and in the queue, and with an assumed object.
fn bench() -> Bench {
    let mut bench = Bench::new(&[
        ("A filter rejected", Answer::No(Code::Unschedulable, "no")),
        ("B pre-enqueue gated", Answer::No(Code::Unschedulable, "gated")),
        ("A reserve waits", assume("{\"a\":1}")),
        ("C permit waits", Answer::Waits(5000)),
    ]);
    bench.step(Event::ObjectsWanted(vec![claims()]));
    bench.step(Event::ObjectSet(claim("{}")));
    bench.step(Event::ObjectsListed(claims()));
    let images = vec![NodeImage { names: vec!["image".into()], size: 7 }];
    bench.step(Event::NodeSet(Arc::new(Node { images, ..Node::clone(&node("l")) })));
    bench.step(assigned("assigned", 5));
    bench.step(Event::PodSet(Arc::new(Pod { node_name: "elsewhere".into(), ..pod("elsewhere") })));
    ["rejected", "gated", "waits"].into_iter().for_each(|name| drop(bench.add(name)));
    let spec = Arc::new(PodSpec { scheduler_name: "other".into(), ..PodSpec::default() });
    bench.step(Event::PodSet(Arc::new(Pod { spec, ..pod("unclaimed") })));
    bench
}

#[test]
fn pending_pods_are_those_of_the_queue_with_a_reservation_and_without_a_profile() {
    let checkpoint = bench().core.checkpoint().into_checkpoint();
    let pending = checkpoint.pending().expect("pods");
    let names: Vec<&str> = pending.iter().map(|pod| &*pod.key.name).collect();
    assert_eq!(names, ["gated", "rejected", "waits", "unclaimed"]);
    assert!(pending.iter().all(|pod| pod.node_name.is_empty()), "{pending:?}");
}

#[test]
fn a_copy_can_be_sent_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<CoreCopy>();
}

#[test]
fn an_empty_core_is_restored() {
    let mut core = Core::new(Options::default());
    restore(&mut core);
    assert!(!core.has_work() && core.cache().node_count() == 0 && core.next_wakeup().is_none());
}

#[test]
fn all_parts_of_the_state_are_restored() {
    let mut bench = bench();
    let distrusted = [Some(PluginId(0)), None].map(|plugin| Distrusted { plugin, name: "A".into(), what: "x".into() });
    bench.core.results.distrusted = distrusted.to_vec();
    restore(&mut bench.core);
    assert_eq!(bench.core.results.distrusted, distrusted);
    assert_eq!(bench.core.unclaimed.len(), 1);
    let queue = bench.core.queue();
    assert_eq!((queue.len(SubQueue::Unschedulable), queue.len(SubQueue::Gated)), (1, 1));
    assert!(!bench.core.cache().objects().are_as_the_server_has_them());
    assert_eq!((bench.core.in_flight(), bench.core.waiting()), (1, 1));
    bench.calls();
    bench.after(5000);
    let calls = bench.calls();
    assert!(calls.contains(&"A unreserve waits [A's]".to_owned()), "{calls:?}");
    assert!(bench.is_undone("waits"));
}

#[test]
fn sums_beyond_an_i64_are_restored() {
    let mut bench = bench();
    ["p", "q"].into_iter().for_each(|name| drop(bench.step(assigned(name, i64::MAX))));
    restore(&mut bench.core);
    ["p", "q"].into_iter().for_each(|name| drop(bench.step(Event::PodRemoved(pod(name).key))));
    assert_eq!(bench.core.cache().nodes().next().map(|info| info.usage.requested.milli_cpu), Some(5));
}

#[test]
fn a_rejection_by_a_replaced_plugin_is_restored() {
    let mut bench = bench();
    let rejectors = |core: &Core| core.queue().get("rejected").map(|entry| entry.rejection.by.clone());
    let (before, profiles) = (rejectors(&bench.core), bench.core.profiles().to_vec());
    let mut other = Bench::new(&[]);
    other.swap(1, &["A", "B", "C"]);
    let swapped = Event::PluginsSwapped(other.core.profiles().to_vec());
    // No cycle follows, so that the pod keeps its rejection by the old instance.
    bench.core.step(swapped, bench.now, &mut bench.plugins, &mut NoExtenders);
    assert_eq!(rejectors(&bench.core), before);
    restore(&mut bench.core);
    let after = rejectors(&bench.core).expect("the pod is in the queue");
    assert_eq!(after[0].declaration, before.expect("the pod is in the queue")[0].declaration);
    let used = |id| profiles.iter().chain(bench.core.profiles()).flat_map(Profile::plugin_ids).any(|used| used == id);
    assert!(!used(after[0].id) && after[0].id != crate::queue::entry::EXTENDERS);
}

#[test]
fn a_plugin_may_have_another_id_after_a_restore() {
    let mut bench = bench();
    let (pods, text) = stored(&bench.core);
    let mut other = Bench::new(&[]);
    other.swap(7, &["C", "B", "A"]);
    bench.core = restored(pods, &text, other.core.profiles()).expect("a core");
    let entry = bench.core.queue().get("rejected").expect("the pod is in the queue");
    assert_eq!(entry.rejection.by.iter().map(|by| by.id).collect::<Vec<_>>(), [PluginId(28)]);
}

/// Returns the error for the bench's checkpoint after this change of its state.
fn error_after(change: impl FnOnce(&mut Value)) -> Option<String> {
    let bench = bench();
    let (pods, text) = stored(&bench.core);
    let mut state: Value = serde_json::from_str(&text).expect("JSON");
    change(&mut state);
    restored(pods, &state.to_string(), bench.core.profiles()).err().map(|error| error.to_string())
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let set = |pointer: &'static str, value: Value| {
        move |state: &mut Value| *state.pointer_mut(pointer).expect("a part of the state") = value
    };
    for (pointer, value, expected) in [
        ("/cache/pods/entries/0/taken/pod", json!(99), "the checkpoint names pod 99, and has"),
        ("/cache/nodes/entries/0/taken/node", json!(99), "the checkpoint names node 99, and has"),
        ("/queue/pods/0/entry/gate/plugin", json!(99), "the checkpoint names plugin 99, and has"),
        ("/cache/pods/entries/1/taken/pod", json!(0), "the checkpoint has the pod with the id 1 twice"),
        ("/cache/pods/entries/0/taken/node", Value::Null, "the node of the pod with the id 0 is not clear"),
        ("/cache/waiting", json!([]), "a pod is neither on a node nor waits for its node"),
        ("/cache/nodes/free", json!([0]), "the list of free ids of the node is wrong"),
        ("/cache/images/entries/0/taken/nodes", json!(0), "an image counts other nodes than those that have it"),
        ("/cache/pods/entries/0", json!({"lent": 0}), "the node of the pod with the id 0 is not clear"),
        ("/cache/log/start", json!(u64::MAX), "the change log ends before its last change"),
        ("/cache/objects/kinds/0/kind/kind", json!("Other"), "the object v1 Claim ns/c is of another kind"),
        ("/queue/inFlight/out/0/1", json!(99), "a ticket begins after the last kept event"),
        ("/profiles", json!(["x"]), "the checkpoint was made with the profiles [\"x\"], and is restored with [\"\"]"),
        ("/plugins/0", json!({"serving": {"schedulerName": "", "name": "X"}}), "the plugin \"X\" of the profile \"\""),
        ("/cache/pending", json!({"entries": [], "free": []}), "true when the checkpoint was made, false in the"),
    ] {
        let error = error_after(set(pointer, value)).unwrap_or_default();
        assert!(error.contains(expected), "{pointer}: {error}");
    }
}

#[test]
fn a_pod_that_is_there_twice_is_refused() {
    for (pointer, expected) in [
        ("/queue/pods", "the checkpoint has the queued pod gated twice"),
        ("/reservations", "the checkpoint has the reservation of pod waits twice"),
        ("/unclaimed", "the checkpoint has the pod without a profile unclaimed twice"),
    ] {
        let error = error_after(|state| {
            let list = state.pointer_mut(pointer).and_then(Value::as_array_mut).expect("a list");
            list.extend(list.first().cloned());
        });
        assert_eq!(error.as_deref(), Some(expected), "{pointer}");
    }
}

/// Returns the pointers to all values without parts.
fn leaves(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, of)| leaves(of, format!("{pointer}/{name}"), found)),
        Value::Array(list) => (0..).zip(list).for_each(|(at, of)| leaves(of, format!("{pointer}/{at}"), found)),
        _ => found.push(pointer),
    }
}

#[test]
fn a_damaged_checkpoint_causes_no_panic() {
    let bench = bench();
    let (pods, text) = stored(&bench.core);
    let state: Value = serde_json::from_str(&text).expect("JSON");
    let mut found = Vec::new();
    leaves(&state, String::new(), &mut found);
    let values = [json!(0), json!(1), json!(u64::MAX), json!(u32::MAX), json!("x"), Value::Null, json!([]), json!({})];
    for (pointer, value) in found.iter().flat_map(|pointer| values.iter().map(move |value| (pointer, value))) {
        let mut damaged = state.clone();
        *damaged.pointer_mut(pointer).expect("a leaf") = value.clone();
        if let Ok(state) = serde_json::from_value(damaged) {
            let checkpoint = Checkpoint { pods: pods.clone(), state };
            drop(Core::restore(Options::default(), checkpoint, bench.core.profiles().to_vec()));
        }
    }
}
