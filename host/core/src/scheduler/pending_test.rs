//! Tests of pending pods as facts of plugins.

use std::sync::Arc;

use crate::Event;
use crate::extenders::NoExtenders;
use crate::facts::PodFacts;
use crate::model::{Labels, Pod, PodSpec};
use crate::plugins::{Code, Hint};
use crate::queue::SubQueue;
use crate::scheduler::scripted::{Answer, Bench, node, pod};

const NO: Answer = Answer::No(Code::Unschedulable, "no");
const WAITS: Answer = Answer::Waits(5000);

/// Returns a bench whose plugin `B` reads the labels of pending pods.
fn bench(answers: &[(&'static str, Answer)]) -> Bench {
    let mut bench = Bench::new(answers);
    bench.plugins.hint = Some(Hint::Queue);
    read_pending_pods(&mut bench, 1);
    bench
}

fn read_pending_pods(bench: &mut Bench, generation: u32) {
    bench.pending_pods = Some(PodFacts::LABELS);
    bench.swap(generation, &["A", "B", "C"]);
}

fn pending(bench: &Bench) -> Vec<&str> {
    let mut names: Vec<&str> = bench.core.cache().pending_pods().map(|(_, pod)| &*pod.key.name).collect();
    names.sort_unstable();
    names
}

/// Handles the event without running cycles.
fn only(bench: &mut Bench, event: Event) {
    bench.core.step(event, bench.now, &mut bench.plugins, &mut NoExtenders);
}

fn labelled(name: &str) -> Event {
    let labels: Labels = [("l", "x".to_owned())].into_iter().collect();
    Event::PodSet(Arc::new(Pod { labels: Arc::new(labels), ..pod(name) }))
}

#[test]
fn pods_in_each_sub_queue_are_pending() {
    let mut bench =
        bench(&[("A pre-enqueue gated", NO), ("A filter rejected", NO), ("A filter failed", Answer::Fails)]);
    ["gated", "rejected", "failed", "bound"].iter().for_each(|name| drop(bench.add(name)));
    only(&mut bench, Event::PodSet(Arc::new(pod("active"))));
    assert_eq!(pending(&bench), ["active", "failed", "gated", "rejected"]);
    for name in ["active", "failed", "gated", "rejected"] {
        only(&mut bench, Event::PodRemoved(pod(name).key));
    }
    assert_eq!(pending(&bench), [""; 0]);
}

#[test]
fn pods_without_a_profile_or_being_deleted_are_not_pending() {
    let mut bench = bench(&[("A filter p", NO)]);
    let spec = Arc::new(PodSpec { scheduler_name: "other".into(), ..PodSpec::default() });
    bench.step(Event::PodSet(Arc::new(Pod { spec: Arc::clone(&spec), ..pod("q") })));
    bench.add("p");
    assert_eq!(pending(&bench), ["p"]);
    bench.step(Event::PodSet(Arc::new(Pod { deleting: true, ..pod("p") })));
    bench.add("r");
    assert_eq!(pending(&bench), [""; 0]);
}

#[test]
fn an_assumed_pod_is_not_pending_until_its_reservation_is_undone() {
    let mut bench = bench(&[("A permit p", WAITS), ("C permit q", NO)]);
    let in_cycle = bench.core.cache().log().end();
    bench.add("q");
    assert_eq!(pending(&bench), ["q"]);
    assert!(bench.core.cache().log().end() > in_cycle);
    bench.add("p");
    assert_eq!(pending(&bench), ["q"]);
    let ids = |bench: &Bench| bench.core.cache().pods().map(|(id, _)| id).collect::<Vec<_>>();
    assert!(bench.core.cache().pending_pods().all(|(id, _)| !ids(&bench).contains(&id)));
    bench.step(labelled("p"));
    bench.after(5000);
    assert_eq!((pending(&bench), ids(&bench).len()), (vec!["p", "q"], 0));
    let labels = bench.core.cache().pending_pods().map(|(_, pod)| *pod.labels != Labels::default());
    assert_eq!(labels.filter(|labelled| *labelled).count(), 1, "the pod comes back as it is now");
}

#[test]
fn a_reservation_of_a_pod_that_needs_no_node_leaves_no_pending_pod() {
    let deleting = Arc::new(Pod { deleting: true, ..pod("p") });
    let assigned = Arc::new(Pod { node_name: "elsewhere".into(), ..pod("p") });
    for event in [Event::PodRemoved(pod("p").key), Event::PodSet(deleting), Event::PodSet(assigned)] {
        let mut bench = bench(&[("A permit p", WAITS)]);
        bench.add("p");
        bench.step(event.clone());
        assert_eq!(pending(&bench), [""; 0], "{event:?}");
    }
}

#[test]
fn pending_pods_are_kept_while_a_plugin_reads_them() {
    let mut bench = Bench::new(&[("A filter p", NO), ("A pre-enqueue q", NO), ("A permit r", Answer::Waits(90_000))]);
    bench.plugins.hint = Some(Hint::Skip);
    ["q", "p", "r"].iter().for_each(|name| drop(bench.add(name)));
    assert_eq!(pending(&bench), [""; 0]);
    read_pending_pods(&mut bench, 1);
    assert_eq!(pending(&bench), ["p", "q"]);
    bench.pending_pods = None;
    bench.swap(2, &["A", "B", "C"]);
    assert_eq!(pending(&bench), [""; 0]);
}

#[test]
fn pods_of_a_removed_profile_are_not_pending_any_more_when_they_would_be_tried() {
    let mut bench = bench(&[("A filter p", NO)]);
    bench.add("p");
    let mut profiles = bench.core.profiles().to_vec();
    profiles.iter_mut().for_each(|profile| profile.scheduler_name = "other".into());
    bench.step(Event::PluginsSwapped(profiles));
    assert_eq!(pending(&bench), [""; 0]);
}

/// Returns whether the event makes the pod `p` leave the unschedulable sub-queue. The plugin with this name rejected
/// `p`.
fn helps(rejector: &'static str, event: Event) -> bool {
    let mut bench = bench(&[(rejector, NO)]);
    bench.add("p");
    bench.add("s");
    assert!(bench.core.queue().len(SubQueue::Unschedulable) > 0);
    only(&mut bench, event);
    bench.core.queue().pods().any(|(part, of)| part != SubQueue::Unschedulable && &*of.pod.key.name == "p")
}

#[test]
fn changes_of_pending_pods_help_pods_that_a_reader_rejected() {
    let added = || Event::PodSet(Arc::new(pod("q")));
    assert!(helps("B filter p", added()));
    assert!(!helps("A filter p", added()), "A does not read pending pods");
    assert!(helps("B filter p", labelled("q")), "a new pod with labels");
    let nominated = |name: &str| Event::PodSet(Arc::new(Pod { nominated_node_name: "n".into(), ..pod(name) }));
    assert!(!helps("B filter p", nominated("p")), "its own nomination does not help a pod");
}

#[test]
fn only_declared_facts_of_pending_pods_help() {
    for (event, helps) in [
        (labelled("q"), true),
        (Event::PodSet(Arc::new(Pod { nominated_node_name: "n".into(), ..pod("q") })), false),
        (Event::PodRemoved(pod("q").key), true),
    ] {
        let mut bench = bench(&[("B filter p", NO), ("A pre-enqueue q", NO)]);
        ["q", "p"].iter().for_each(|name| drop(bench.add(name)));
        assert_eq!(bench.core.queue().len(SubQueue::Unschedulable), 1);
        only(&mut bench, event.clone());
        assert_eq!(bench.core.queue().len(SubQueue::Backoff), usize::from(helps), "{event:?}");
    }
}

#[test]
fn a_plugin_with_hints_is_asked_about_pending_pods() {
    for (hint, part) in [(Hint::Skip, SubQueue::Unschedulable), (Hint::Queue, SubQueue::Backoff)] {
        let mut bench = bench(&[("B filter p", NO)]);
        bench.plugins.hint = Some(hint);
        bench.add("p");
        bench.calls();
        only(&mut bench, Event::PodSet(Arc::new(pod("q"))));
        assert!(bench.calls().contains(&"B hints p EventActions(ADD)".to_owned()), "{hint:?}");
        let entry = bench.core.queue().pods().find(|(_, of)| &*of.pod.key.name == "p").map(|(part, _)| part);
        assert_eq!(entry, Some(part), "{hint:?}");
    }
}

#[test]
fn pods_without_a_rejector_are_not_concerned() {
    let mut bench = bench(&[]);
    bench.step(Event::NodeRemoved("n".into()));
    bench.add("p");
    assert_eq!(bench.core.queue().len(SubQueue::Unschedulable), 1);
    only(&mut bench, Event::PodSet(Arc::new(pod("q"))));
    assert_eq!(bench.core.queue().len(SubQueue::Unschedulable), 1);
    assert_eq!(bench.step(Event::NodeSet(node(""))).len(), 2, "an event of a node helps");
}

/// The queue does not get the events of an assumption that is undone in its cycle.
#[test]
fn a_pod_that_fails_in_its_cycle_helps_no_other_pod() {
    let mut bench = bench(&[("B filter p", NO), ("C permit q", NO)]);
    only(&mut bench, Event::PodSet(Arc::new(pod("q"))));
    only(&mut bench, Event::PodSet(Arc::new(pod("p"))));
    only(&mut bench, Event::Cycle);
    only(&mut bench, Event::Cycle);
    assert_eq!(bench.core.queue().len(SubQueue::Unschedulable), 2, "q came back before p was rejected");
    bench.add("q");
    assert_eq!(pending(&bench), ["p", "q"]);
}
