//! Tests of pre-bind, bind and post-bind.

use std::sync::Arc;

use crate::Event;
use crate::intent::Intent;
use crate::model::Pod;
use crate::queue::SubQueue;
use crate::scheduler::scripted::{Answer, Bench, assume, patches, pod};

fn bound(name: &str) -> String {
    format!("{name}: Successfully assigned ns/{name} to n")
}

#[test]
fn each_plugin_is_asked_after_the_intents_of_the_last_one() {
    let mut bench = Bench::new(&[("A pre-bind p", patches(2)), ("C pre-bind p", patches(1))]);
    assert_eq!(bench.add("p"), ["nominate \"n\" for p", "execute 2 for p"]);
    assert_eq!(bench.calls()[3..], ["A pre-bind p [A's]"]);
    assert_eq!(bench.add("q"), ["bind q"], "others are placed meanwhile");
    bench.calls();
    assert_eq!(bench.intents_executed("p"), ["execute 1 for p"]);
    assert_eq!(bench.calls(), ["B pre-bind p [B's]", "C pre-bind p [C's]"]);
    assert_eq!(bench.step(Event::IntentsExecuted(pod("p").key, 1)), [""; 0], "that was before");
    assert_eq!(bench.intents_executed("p"), ["bind p"]);
    assert_eq!(bench.step(Event::Bound(pod("p").key)), [bound("p")]);
    assert_eq!(bench.calls(), ["A post-bind p [A's]", "B post-bind p [B's]", "C post-bind p [C's]"]);
}

#[test]
fn a_plugin_may_bind_in_place_of_the_api_server() {
    for (wanted, reported) in [(0, vec![bound("p")]), (2, vec!["execute 2 for p".to_owned()])] {
        let mut bench = Bench::new(&[("B bind p", patches(wanted)), ("C bind p", patches(9))]);
        assert_eq!(bench.add("p"), reported);
        assert_eq!(bench.step(Event::Bound(pod("p").key)), [""; 0], "nobody asked for that");
        if wanted > 0 {
            assert_eq!(bench.intents_executed("p"), [bound("p")]);
        }
        assert_eq!(bench.core.in_flight(), 0);
    }
}

#[test]
fn a_failed_intent_is_reported_and_the_pod_requeued() {
    for (asked, expected) in [
        ("B pre-bind p", "p: running PreBind plugin \"B\": conflict"),
        ("B bind p", "p: running Bind plugin \"B\": conflict"),
    ] {
        let mut bench = Bench::new(&[(asked, patches(1))]);
        bench.add("p");
        bench.calls();
        let reported = bench.step(Event::IntentsFailed(pod("p").key, bench.executed_step, "conflict".into()));
        assert_eq!(reported.last().map(String::as_str), Some(expected));
        let unreserved = bench.calls();
        assert_eq!(unreserved, ["C unreserve p [C's]", "B unreserve p [B's]", "A unreserve p [A's]"], "{asked}");
        assert!(bench.is_undone("p"), "{asked}");
        assert_eq!(bench.core.queue().len(SubQueue::Backoff), 1, "{asked}");
        bench.plugins.answers.clear();
        assert_eq!(bench.after(2000), ["bind p"], "{asked}");
    }
}

#[test]
fn a_failed_binding_undoes_the_reservation() {
    let mut bench = Bench::new(&[]);
    bench.add("p");
    bench.calls();
    assert_eq!(bench.step(Event::BindFailed(pod("p").key, "no".into())), ["p: binding rejected: no"]);
    assert_eq!(bench.calls(), ["C unreserve p [C's]", "B unreserve p [B's]", "A unreserve p [A's]"]);
    assert!(bench.is_undone("p"));
}

#[test]
fn nothing_is_assumed_after_reserve() {
    for asked in ["A pre-bind p", "A bind p"] {
        let mut bench = Bench::new(&[(asked, assume("new"))]);
        let reported = bench.add("p");
        assert!(reported[0].contains("can't assume an object"), "{reported:?}");
        assert!(bench.is_undone("p"));
    }
}

#[test]
fn a_pod_deleted_before_its_binding_cancels_its_intents() {
    let deleting = Event::PodSet(Arc::new(Pod { deleting: true, ..pod("p") }));
    for event in [Event::PodRemoved(pod("p").key), deleting] {
        let mut bench = Bench::new(&[("B pre-bind p", patches(1))]);
        bench.add("p");
        bench.calls();
        assert_eq!(bench.step(event), ["cancel 0 for p"]);
        assert_eq!(bench.calls().len(), 3, "all are unreserved");
        assert_eq!(bench.intents_executed("p"), [""; 0]);
        assert_eq!((bench.core.in_flight(), bench.core.queue().is_empty()), (0, true));
    }
}

#[test]
fn a_new_instance_receives_the_reserved_state() {
    let mut bench = Bench::new(&[("A pre-bind p", patches(1))]);
    bench.add("p");
    bench.calls();
    let reported = [bench.swap(1, &["A", "B", "D"]), bench.intents_executed("p")].concat();
    assert_eq!(reported, ["warn C: is no longer in the profile: not asked to pre-bind for pod ns/p", "bind p"]);
    bench.step(Event::Bound(pod("p").key));
    let reported = ["B pre-bind p [B's]", "A post-bind p [A's]", "B post-bind p [B's]", "D post-bind p []"];
    assert_eq!(bench.calls(), reported);
    bench.add("q");
    bench.swap(2, &["A"]);
    let reported = bench.step(Event::BindFailed(pod("q").key, "no".into()));
    assert!(reported[0].starts_with("warn D: is no longer in the profile: not asked to unreserve"), "{reported:?}");
    assert_eq!(bench.calls().last().map(String::as_str), Some("A unreserve q [A's]"));
}

#[test]
fn a_pod_with_this_nominated_node_is_not_nominated_again() {
    let mut bench = Bench::new(&[("A pre-bind p", patches(1)), ("B permit p", Answer::Waits(1000))]);
    bench.add("p");
    let reported = bench.step(Event::PodSet(Arc::new(Pod { nominated_node_name: "n".into(), ..pod("p") })));
    assert_eq!(reported, [""; 0]);
    bench.plugins.answers.insert("B permit q", Answer::Approves(&["p"]));
    assert_eq!(bench.add("q"), ["bind q", "execute 1 for p"]);
    let mut bench = Bench::new(&[("A pre-bind p", Answer::Wants(vec![Intent::Patch(Default::default())]))]);
    let nominated = Pod { nominated_node_name: "n".into(), ..pod("p") };
    assert_eq!(bench.step(Event::PodSet(Arc::new(nominated))), ["execute 1 for p"]);
}

#[test]
fn a_pod_without_its_profile_is_not_bound_and_waits() {
    let mut bench = Bench::new(&[("A pre-bind p", patches(1))]);
    bench.add("p");
    assert_eq!(bench.step(Event::PluginsSwapped(Vec::new())), [""; 0], "what was begun goes on");
    let reported = bench.intents_executed("p");
    assert_eq!(reported.last().map(String::as_str), Some("p: no profile has the name \"\" any more"));
    bench.after(10_000);
    bench.plugins.answers.clear();
    assert_eq!(bench.swap(1, &["A"]), ["bind p"]);
}

#[test]
fn pre_bind_is_undone_by_the_plugins_that_were_asked() {
    let undo = || patches(2);
    let mut bench = Bench::new(&[("A pre-bind p", patches(1)), ("A unreserve p", undo()), ("B unreserve p", undo())]);
    bench.add("p");
    assert_eq!(bench.step(Event::PodRemoved(pod("p").key)), ["cancel 0 for p, undo 2"], "B was not asked yet");
    let mut bench = Bench::new(&[("B pre-bind p", patches(1)), ("A unreserve p", undo()), ("B unreserve p", undo())]);
    bench.add("p");
    bench.intents_executed("p");
    let reported = bench.step(Event::BindFailed(pod("p").key, "no".into()));
    assert_eq!(reported[0], "change 4");
    assert!(bench.is_undone("p"));
}
