//! Compares builds of small plugins on captures that the tests write.

use std::sync::Arc;

use berth_capture::record::Header;
use berth_capture::{CaptureReader, CaptureWriter, EventToWrite, PolicyRecord, RecordedProfile, StepToWrite};
use berth_core::decision::DecisionOptions;
use berth_core::grants::GrantPolicy;
use berth_core::model::{Node, Pod, PodKey, PodSpec};
use berth_core::profile::FailurePolicy;
use berth_core::profile_spec::{Enabled, NamedBy, PointSpecs, ProfileSpec};
use berth_core::{Event, Timestamp};
use berth_plugin_host::{BuiltIn, ComponentSet, LoadedComponent, LoaderOptions};
use berth_test_kit::component::{Guest, NORMALIZE_NONE};

use super::{AnswerRow, Attempts, Calls, CallsError};
use crate::play::{Replay, ReplayOptions};

const SCHEDULER: &str = "default-scheduler";

/// Returns a filter that accepts every node.
fn accepting(name: &str) -> Guest {
    Guest::new(name).exports(&["plugin", "filter"]).node_facts(0).normalization(NORMALIZE_NONE)
}

/// Adds the function `$log`, and the text `hello` at 640.
fn logging(guest: Guest) -> Guest {
    let import = r#"(import "berth:scheduler/log@contract@" "write" (func $log (param i32 i32 i32)))"#;
    guest.body("imports", import).body("data", r#"(data (i32.const 640) "hello")"#)
}

/// Returns a filter that rejects the first node with the reason `told so`, and logs a line.
fn rejecting(name: &str) -> Guest {
    let filter = "(call $log (i32.const 2) (i32.const 640) (i32.const 5))
        (i32.store16 (local.get $verdicts) (i32.const 1))";
    logging(accepting(name)).body("filter", filter)
}

fn load(guest: &Guest) -> Arc<ComponentSet> {
    let bytes: &'static [u8] = Vec::leak(guest.build());
    let built_in = vec![BuiltIn { file: "mine.wasm", bytes }];
    // A local build may read everything, as in the command.
    let options = LoaderOptions { built_in, grants: GrantPolicy::Everything, ..LoaderOptions::default() };
    Arc::new(ComponentSet::load(&options).expect("a component"))
}

fn component(set: &ComponentSet) -> Arc<LoadedComponent> {
    Arc::clone(set.components().next().expect("a component"))
}

/// Returns the capture of a scheduler with the plugin `Mine`, the nodes `a` and `b`, the pod `default/low` on `a`, and the
/// pod `default/p`, which has this number of attempts.
fn capture(served: &ComponentSet, attempts: u64) -> Vec<u8> {
    let enabled = Enabled { name: "Mine".into(), weight: 1, named_by: NamedBy::MultiPoint };
    let spec = ProfileSpec {
        scheduler_name: SCHEDULER.into(),
        points: PointSpecs::everywhere(vec![enabled]),
        arguments: Default::default(),
        others: false,
        without_default_binder: false,
        failure_policy: FailurePolicy::default(),
        failure_policies: Default::default(),
        percentage_of_nodes_to_score: None,
    };
    let set = served.set(vec![spec.clone()]).expect("a set");
    let profile = RecordedProfile { spec, plugins: set.profiles()[0].components.clone() };
    let node = |name: &str| Event::NodeSet(Arc::new(Node { name: name.into(), ..Node::default() }));
    let key = |name: &str| PodKey { namespace: "default".into(), name: name.into(), uid: name.into() };
    let low = Event::PodSet(Arc::new(Pod { key: key("low"), node_name: "a".into(), ..Pod::default() }));
    let key = key("p");
    let spec = Arc::new(PodSpec { scheduler_name: SCHEDULER.into(), priority: 1, ..PodSpec::default() });
    let pod = Event::PodSet(Arc::new(Pod { key: key.clone(), spec, ..Pod::default() }));
    let mut events = vec![EventToWrite::Policy(PolicyRecord { profiles: vec![profile] })];
    events.extend([node("a"), node("b"), low].map(EventToWrite::Event));
    for _ in 0..attempts {
        events.extend([pod.clone(), Event::Cycle, Event::PodRemoved(key.clone())].map(EventToWrite::Event));
    }
    let header = Header { version: berth_capture::record::VERSION, ..Header::default() };
    let mut writer = CaptureWriter::new(Vec::new(), &header).expect("a capture");
    for (at, event) in events.into_iter().enumerate() {
        let at = Timestamp(1_000 * at as u64);
        let (extenders, failed_calls, actions) = (Vec::new(), Vec::new(), Vec::new());
        writer.step(&StepToWrite { at, version: None, event, extenders, failed_calls, actions }).expect("a step");
    }
    writer.end(0).expect("a capture")
}

fn calls(served: &Guest, local: &Guest, pod: &str, attempts: u64, most: usize) -> Result<Calls, CallsError> {
    let (served, local) = (load(served), load(local));
    let bytes = capture(&served, attempts);
    let reader = CaptureReader::new(&bytes[..]).expect("a capture");
    let options = ReplayOptions { decisions: DecisionOptions::default(), ..ReplayOptions::default() };
    let mut replay = Replay::new(reader, served, options).expect("a replay");
    let mut found = Attempts::new("default", pod, Arc::clone(&component(&local).name), most);
    found.play(&mut replay).expect("the capture is complete");
    found.compare(&component(&local), 10)
}

fn error(served: &Guest, local: &Guest, pod: &str, attempts: u64) -> String {
    calls(served, local, pod, attempts, 10).expect_err("a mistake").to_string()
}

#[test]
fn a_build_that_rejects_a_node_differs_there() {
    let calls = calls(&accepting("Mine"), &rejecting("Mine"), "p", 1, 10).expect("a comparison");
    assert!(!calls.equal);
    let attempt = &calls.attempts[0];
    assert_eq!((attempt.number, attempt.at, attempt.compared, attempt.different), (1, Timestamp(5_000), 2, 1));
    assert!(attempt.node.is_some() && attempt.message.is_none(), "{attempt:?}");
    assert_eq!((attempt.local_node.as_deref(), attempt.local_message.as_deref()), (Some("b"), None));
    let row = |node: &str, local: &str| AnswerRow {
        function: "filter".into(),
        node: Some(node.into()),
        recorded: Some("fits".into()),
        local: Some(local.into()),
        differs: local != "fits",
    };
    assert_eq!(attempt.answers, [row("a", "Unschedulable (told so)"), row("b", "fits")]);
    let log: Vec<(&str, &str)> = attempt.log.iter().map(|line| (line.level.as_str(), line.message.as_str())).collect();
    assert_eq!(log, [("info", "hello")]);
    assert_eq!(attempt.calls.len(), 1);
    assert!(attempt.calls[0].recorded_milliseconds.is_some() && attempt.calls[0].local_milliseconds.is_some());
}

#[test]
fn the_same_build_gives_the_same_answers() {
    let scores = accepting("Mine").exports(&["plugin", "filter", "score"]);
    let calls = calls(&scores, &scores, "p", 3, 2).expect("a comparison");
    assert!(calls.equal, "{calls:#?}");
    assert_eq!((calls.attempts.len(), calls.earlier_attempts), (2, 1));
    // The filter, the raw score and the normalized score of two nodes.
    assert_eq!((calls.attempts[0].compared, calls.attempts[0].nodes_left_out), (6, 0));
}

fn texts(calls: &Calls) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let row = |row: &AnswerRow| format!("{}: {} | {}", row.function, text(&row.recorded), text(&row.local));
    calls.attempts[0].answers.iter().filter(|row| row.differs).map(row).collect()
}

#[test]
fn the_functions_after_the_choice_of_a_node_are_compared() {
    let served = Guest::new("Mine").exports(&["plugin", "reserve", "permit"]).node_facts(0);
    let same = calls(&served, &served, "p", 1, 10).expect("a comparison");
    let functions: Vec<&str> = same.attempts[0].answers.iter().map(|row| row.function.as_str()).collect();
    assert!(same.equal && functions == ["reserve", "permit"], "{same:#?}");

    // The uids of the pods with which the loader tries a plugin are longer.
    let panic = "(if (i32.eq (local.get $uid_length) (i32.const 1)) (then
        (call $log (i32.const 0) (i32.const 640) (i32.const 5)) (unreachable)))";
    let local = logging(served.clone()).body("permit", panic);
    let calls = calls(&served, &local, "p", 1, 10).expect("a comparison");
    let [permit, unreserve] = &texts(&calls)[..] else { panic!("{:#?}", texts(&calls)) };
    assert!(permit.starts_with("permit: Permission { decision: Approve") && permit.contains("| trapped"), "{permit}");
    assert!(unreserve.starts_with("unreserve: - | []"), "{unreserve}");
    let attempt = &calls.attempts[0];
    let message = attempt.local_message.as_deref().expect("a reason");
    assert!(attempt.node.is_some() && attempt.local_node.is_none() && message.contains("permit"), "{attempt:?}");
    assert_eq!(attempt.log.iter().map(|line| line.message.as_str()).collect::<Vec<_>>(), ["hello"]);
    assert_eq!(
        attempt.calls.iter().map(|call| &*call.function).collect::<Vec<_>>(),
        ["reserve", "permit", "unreserve"]
    );
}

#[test]
fn a_build_that_the_scheduler_would_refuse_is_reported() {
    let local = accepting("Mine").panics("filter", "not at all");
    let calls = calls(&accepting("Mine"), &local, "p", 1, 10).expect("a comparison");
    let message = calls.attempts[0].local_message.clone().unwrap_or_default();
    assert!(!calls.equal && message.contains("plugin Mine") && message.contains("not at all"), "{calls:#?}");
    assert!(
        texts(&calls).iter().any(|row| row.starts_with("start: - | ") && row.contains("not at all")),
        "{:?}",
        texts(&calls)
    );
}

#[test]
fn the_victims_of_a_preemption_are_compared() {
    let reject_both = "(i32.store (local.get $verdicts) (i32.const 0x10001))";
    let served = accepting("Mine").exports(&["plugin", "filter", "post-filter"]).body("filter", reject_both);
    let local = served.clone().body("post_filter", "(call $room (i32.load (local.get $nodes)) (i32.const 0))");
    let calls = calls(&served, &local, "p", 1, 10).expect("a comparison");
    let [post_filter] = &texts(&calls)[..] else { panic!("{:#?}", texts(&calls)) };
    let expected = "post-filter: unschedulable () | nominate node a, evict [default/low] (";
    assert!(post_filter.starts_with(expected), "{post_filter}");
    let message = calls.attempts[0].local_message.clone().unwrap_or_default();
    assert!(message.contains("nominated to node a") && message.contains("evicts default/low"), "{message}");
}

#[test]
fn mistakes_are_named() {
    let mine = accepting("Mine");
    assert_eq!(error(&mine, &mine, "q", 1), "the pod default/q never appears in the capture; did you mean default/p?");
    assert_eq!(
        error(&mine, &accepting("Mines"), "p", 1),
        "the plugin Mines did not serve in the capture; did you mean Mine?; these plugins served: Mine"
    );
    let reads = accepting("Mine").reads("v1", "Service", "spec");
    let unknown = error(&mine, &reads, "p", 1);
    assert!(unknown.starts_with("the plugin Mine reads objects of ") && unknown.contains("Service"), "{unknown}");
}
