//! Tests of permit.

use std::sync::Arc;
use std::time::Duration;

use super::go_duration;
use crate::Event;
use crate::extenders::NoExtenders;
use crate::model::Pod;
use crate::plugins::{Code, Hint, PointOutcome};
use crate::queue::SubQueue;
use crate::scheduler::scripted::{Answer, Bench, node, pod};

const WAITS: Answer = Answer::Waits(5000);

#[test]
fn a_pod_waits_until_all_permit_plugins_allow_it() {
    let mut bench = Bench::new(&[
        ("A permit p", WAITS),
        ("C permit p", Answer::Waits(9000)),
        ("C permit q", Answer::Approves(&["p", "unknown"])),
        ("A permit r", Answer::Approves(&["p"])),
    ]);
    assert_eq!(bench.add("p"), ["nominate \"n\" for p"]);
    assert_eq!(bench.core.next_wakeup(), Some(bench.now.after(Duration::from_secs(5))));
    assert_eq!(bench.add("q"), ["bind q"], "the cycle goes on");
    assert_eq!(bench.core.next_wakeup(), Some(bench.now.after(Duration::from_secs(5))));
    assert_eq!(bench.add("r"), ["bind r", "bind p"]);
    assert_eq!(bench.core.next_wakeup(), None);
    assert_eq!(bench.step(Event::Bound(pod("p").key)), ["p: Successfully assigned ns/p to n"]);
}

#[test]
fn the_first_permit_timeout_rejects_the_pod() {
    let mut bench = Bench::new(&[("A permit p", Answer::Waits(7000)), ("B permit p", Answer::Waits(1500))]);
    bench.add("p");
    assert_eq!(bench.after(1499), [""; 0]);
    let why = "p: 0/1 nodes are available: 1 rejected due to timeout after waiting 1.5s at plugin B.";
    assert_eq!(bench.after(1), ["nominate \"\" for p", why]);
    assert!(bench.is_undone("p"));
    assert_eq!(bench.core.queue().len(SubQueue::Unschedulable), 1, "that it went helps others, not itself");
    let rejectors = bench.core.queue().get("p").map(|entry| entry.rejectors().to_vec()).unwrap_or_default();
    assert_eq!(rejectors.iter().map(|by| &*by.declaration.name).collect::<Vec<_>>(), ["B"]);
    bench.plugins = Default::default();
    bench.after(60_000);
    assert_eq!(bench.step(Event::NodeSet(node("changed"))), ["bind p"]);
}

#[test]
fn a_permit_wait_lasts_at_most_fifteen_minutes() {
    let mut bench = Bench::new(&[("A permit p", Answer::Waits(u64::MAX))]);
    bench.add("p");
    assert_eq!(bench.after(15 * 60 * 1000 - 1), [""; 0]);
    assert!(bench.after(1)[1].contains("after waiting 15m0s at plugin A"));
}

#[test]
fn another_pods_permit_rejects_a_waiting_pod() {
    let mut bench = Bench::new(&[("A permit p", WAITS), ("B permit q", Answer::Rejects(&["p", "q", "unknown"], ""))]);
    bench.plugins.hint = Some(Hint::Skip);
    bench.add("p");
    let why = "p: 0/1 nodes are available: 1 rejected by plugin B while waiting on permit.";
    assert_eq!(bench.add("q"), ["bind q", "nominate \"\" for p", why]);
    assert_eq!(bench.core.in_flight(), 1);
}

/// Decisions about other pods are applied even if the pod of the call is rejected.
#[test]
fn decisions_about_other_pods_count_in_any_case() {
    let denied = Answer::No(Code::Unschedulable, "no");
    let mut bench =
        Bench::new(&[("A permit p", WAITS), ("A permit q", Answer::Approves(&["p"])), ("B permit q", denied)]);
    bench.add("p");
    assert_eq!(bench.add("q"), ["q: 0/1 nodes are available: 1 no.", "bind p"]);
}

#[test]
fn events_during_a_permit_wait_count_after_a_rejection() {
    for (happens, part) in [(None, SubQueue::Unschedulable), (Some(node("changed")), SubQueue::Active)] {
        let mut bench = Bench::new(&[("A permit p", WAITS)]);
        bench.plugins.hint = Some(Hint::Queue);
        bench.add("p");
        if let Some(node) = happens {
            bench.step(Event::NodeSet(node));
        }
        bench.now = bench.now.after(Duration::from_secs(60));
        bench.core.step(Event::Tick, bench.now, &mut bench.plugins, &mut NoExtenders);
        let entry = bench.core.queue().len(part)
            + bench.core.queue().len(SubQueue::Backoff) * usize::from(part == SubQueue::Active);
        assert_eq!(entry, 1, "{part:?}");
    }
}

#[test]
fn a_reservation_ends_when_its_pod_needs_no_node() {
    let gone = pod("p").key;
    let deleting = Arc::new(Pod { deleting: true, ..pod("p") });
    let assigned = Arc::new(Pod { node_name: "elsewhere".into(), ..pod("p") });
    for event in [Event::PodRemoved(gone), Event::PodSet(deleting), Event::PodSet(assigned)] {
        let mut bench = Bench::new(&[("B permit p", WAITS)]);
        bench.add("p");
        bench.calls();
        assert_eq!(bench.step(event.clone()), [""; 0], "{event:?}");
        assert_eq!(bench.calls(), ["C unreserve p [C's]", "B unreserve p [B's]", "A unreserve p [A's]"], "{event:?}");
        assert_eq!((bench.core.in_flight(), bench.core.queue().is_empty()), (0, true), "{event:?}");
        assert_eq!(bench.core.next_wakeup(), None);
    }
}

#[test]
fn waits_for_a_removed_plugin_end() {
    let mut bench = Bench::new(&[("A permit p", WAITS), ("C permit p", WAITS)]);
    bench.add("p");
    bench.swap(1, &["A", "B"]);
    assert_eq!(bench.core.in_flight(), 1, "A is there, in another instance");
    let reported = bench.swap(2, &["B", "C"]);
    assert_eq!(reported[0], "warn A: is no longer in the profile: not asked to permit the bind for pod ns/p");
    assert_eq!(reported[1..], ["bind p"]);
}

#[test]
fn a_pod_without_its_profile_waits_for_the_profile() {
    let mut bench = Bench::new(&[("A permit p", WAITS)]);
    bench.add("p");
    let reported = bench.step(Event::PluginsSwapped(Vec::new()));
    assert!(reported.contains(&"p: no profile has the name \"\" any more".to_owned()), "{reported:?}");
    bench.plugins.answers.clear();
    bench.after(10_000);
    assert_eq!(bench.swap(1, &["A"]), ["bind p"]);
}

#[test]
fn the_permit_wait_is_reported() {
    let allows = Answer::Approves(&["p"]);
    let end = |event: Option<Event>, outcome| (event, vec![(2000, outcome)]);
    for (event, reported) in [
        end(Some(Event::PodSet(Arc::new(pod("q")))), PointOutcome::Success),
        end(None, PointOutcome::Unschedulable),
        end(Some(Event::PodRemoved(pod("p").key)), PointOutcome::Unschedulable),
        end(Some(Event::PluginsSwapped(Vec::new())), PointOutcome::Error),
    ] {
        let mut bench = Bench::new(&[("A permit p", Answer::Waits(2000)), ("A permit q", allows.clone())]);
        bench.add("p");
        assert_eq!(bench.plugins.waits, [], "{event:?}");
        match event.clone() {
            Some(event) => {
                bench.now = bench.now.after(Duration::from_secs(2));
                bench.step(event);
            }
            None => drop(bench.after(2000)),
        }
        assert_eq!(bench.plugins.waits, reported, "{event:?}: and nothing of pods that need not wait");
    }
}

#[test]
fn durations_show_as_in_go() {
    for (millis, expected) in [(0, "0s"), (20, "20ms"), (1500, "1.5s"), (10_000, "10s"), (90_500, "1m30.5s")] {
        assert_eq!(go_duration(Duration::from_millis(millis)), expected);
    }
}
