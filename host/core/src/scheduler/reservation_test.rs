//! Tests of reserve and of undoing reservations.

use std::sync::Arc;
use std::time::Duration;

use crate::Event;
use crate::model::Pod;
use crate::plugins::{Code, Hint};
use crate::queue::SubQueue;
use crate::scheduler::scripted::{Answer, Bench, assume, claim, claims, patches, pod};

const NO: Answer = Answer::No(Code::Unschedulable, "none left");

#[test]
fn plugins_unreserve_in_reverse_order_after_any_failure() {
    let undone = ["B unreserve p [B's]", "A unreserve p [A's]"];
    let rejected = "p: 0/1 nodes are available: 1 none left.";
    let failed = "p: plugin C: trapped";
    for (asked, answer, reported, part) in [
        ("C reserve p", NO, rejected, SubQueue::Unschedulable),
        ("C reserve p", Answer::No(Code::Error, "confused"), "p: plugin C: confused", SubQueue::Backoff),
        ("C reserve p", Answer::Fails, failed, SubQueue::Backoff),
        ("C permit p", NO, rejected, SubQueue::Unschedulable),
        ("C permit p", Answer::Fails, failed, SubQueue::Backoff),
        ("C pre-bind p", Answer::Fails, failed, SubQueue::Backoff),
        ("C bind p", Answer::Fails, failed, SubQueue::Backoff),
    ] {
        let mut bench = Bench::new(&[(asked, answer)]);
        assert_eq!(bench.add("p"), [reported], "{asked}");
        let mut calls = bench.calls();
        calls.retain(|call| call.contains("unreserve"));
        let reserved_all = !asked.contains("reserve");
        let expected: Vec<&str> = reserved_all.then_some("C unreserve p [C's]").into_iter().chain(undone).collect();
        assert_eq!(calls, expected, "{asked}");
        assert!(bench.is_undone("p"), "{asked}");
        assert_eq!(bench.plugins.undone, 1, "{asked}: one run of the extension point, however many plugins it has");
        assert_eq!(bench.core.queue().len(part), 1, "{asked}");
    }
}

#[test]
fn a_plugin_that_skips_the_pod_is_asked_nothing_about_it() {
    let mut bench = Bench::new(&[("A skip p", Answer::Skips), ("B pre-bind p", patches(1))]);
    assert_eq!(bench.add("p"), ["nominate \"n\" for p", "execute 1 for p"]);
    bench.plugins.answers.clear();
    bench.step(Event::ObjectSet(claim("changed")));
    assert_eq!(bench.intents_executed("p"), ["bind p"]);
    bench.step(Event::Bound(pod("p").key));
    let calls = bench.calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with('A')).count(), 0, "{calls:?}");
    assert!(calls.contains(&"B post-bind p [B's]".to_owned()), "{calls:?}");
    assert_eq!(bench.add("q"), ["bind q"]);
    assert_eq!(
        bench.calls().first().map(|call| &**call),
        Some("A reserve q"),
        "a decision about one pod does not affect another"
    );
}

#[test]
fn a_plugin_that_is_down_is_waited_for() {
    for asked in ["B reserve p", "B permit p", "B pre-bind p", "B bind p"] {
        let mut bench = Bench::new(&[(asked, Answer::IsDown)]);
        assert_eq!(bench.add("p"), ["p: plugin B: is being restarted"], "{asked}");
        bench.plugins.answers.clear();
        assert_eq!(bench.step(Event::PluginRecovered("B".into())), ["bind p"], "{asked}");
    }
}

#[test]
fn a_plugin_that_is_being_filled_is_waited_for_and_nothing_is_reported() {
    for asked in ["B pre-enqueue p", "B filter p", "B reserve p", "B permit p", "B pre-bind p", "B bind p"] {
        let mut bench = Bench::new(&[(asked, Answer::IsFilling)]);
        assert_eq!(bench.add("p"), [""; 0], "{asked}");
        assert!(bench.core.ended().is_empty(), "{asked}: no attempt failed");
        bench.plugins.answers.clear();
        assert_eq!(bench.step(Event::PluginRecovered("B".into())), ["bind p"], "{asked}");
    }
}

#[test]
fn reserve_changes_nothing_in_the_cluster() {
    let mut bench = Bench::new(&[("A reserve p", patches(1))]);
    let reported = bench.add("p");
    assert!(reported[0].starts_with("p: plugin A: reserve may assume objects only"), "{reported:?}");
    assert_eq!(bench.calls(), ["A reserve p", "A unreserve p [A's]"], "it did reserve");
}

/// A rejection at reserve or permit counts like a rejection of a filter: changes of facts that the plugin reads wake
/// the pod.
#[test]
fn a_rejected_pod_waits_for_an_event_of_its_rejecting_plugin() {
    for asked in ["B reserve p", "B permit p"] {
        let mut bench = Bench::new(&[(asked, NO)]);
        bench.add("p");
        bench.plugins.answers.clear();
        bench.now = bench.now.after(Duration::from_secs(60));
        assert_eq!(
            bench.step(Event::PodSet(Arc::new(Pod { node_name: "elsewhere".into(), ..pod("other") }))),
            ["bind p"]
        );
    }
}

/// A pod that is assumed and undone in the same cycle causes no event.
#[test]
fn a_pod_that_leaves_its_node_wakes_others_after_its_cycle() {
    let mut bench = Bench::new(&[("A filter other", NO), ("A reserve p", NO), ("A permit q", Answer::Waits(5000))]);
    bench.plugins.hint = Some(Hint::Skip);
    bench.add("other");
    bench.add("p");
    assert_eq!(bench.calls(), ["A reserve p"]);
    bench.add("q");
    assert_eq!(bench.calls()[3..], ["A hints other p EventActions(ADD)"]);
    bench.after(5000);
    assert_eq!(bench.calls()[3..], ["A hints other p EventActions(DELETE)"]);
}

#[test]
fn a_nomination_ends_with_the_attempt_that_uses_it() {
    let mut bench = Bench::new(&[("A reserve p", NO)]);
    let nominated = Pod { nominated_node_name: "n".into(), ..pod("p") };
    let reported = bench.step(Event::PodSet(Arc::new(nominated)));
    assert_eq!(reported, ["nominate \"\" for p", "p: 0/1 nodes are available: 1 none left."]);
    assert!(bench.core.nominations().is_empty());
}

#[test]
fn assumed_objects_are_visible_until_the_reservation_ends() {
    let mut bench = Bench::new(&[("A reserve p", assume("new")), ("C permit p", Answer::Waits(5000))]);
    bench.step(Event::ObjectsWanted(vec![claims()]));
    bench.step(Event::ObjectSet(claim("old")));
    let shown = |bench: &Bench| {
        let cached = bench.core.cache().objects().by_key(&claim("").key).expect("it is there");
        (cached.object.fields.to_string(), cached.assumed)
    };
    bench.add("p");
    assert_eq!(shown(&bench), ("new".into(), true));
    bench.after(5000);
    assert_eq!(shown(&bench), ("old".into(), false));
}

#[test]
fn assumed_objects_of_a_bound_pod_stay_until_the_informer_reports_them() {
    let mut bench = Bench::new(&[("A reserve p", assume("new"))]);
    bench.step(Event::ObjectsWanted(vec![claims()]));
    bench.step(Event::ObjectSet(claim("old")));
    bench.add("p");
    bench.step(Event::Bound(pod("p").key));
    assert!(!bench.core.cache().objects().are_as_the_server_has_them());
    bench.step(Event::ObjectSet(claim("new")));
    assert!(bench.core.cache().objects().are_as_the_server_has_them());
}
