//! The queue's order and its moves.

use super::*;
use crate::model::PodSpec;

fn pod(name: &str, priority: i32) -> Arc<Pod> {
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    Arc::new(Pod { key, spec: Arc::new(PodSpec { priority, ..PodSpec::default() }), ..Pod::default() })
}

fn at(seconds: u64) -> Timestamp {
    Timestamp(seconds * 1000)
}

fn popped(queue: &mut Queue) -> Vec<String> {
    std::iter::from_fn(|| queue.pop()).map(|entry| entry.pod.key.name.to_string()).collect()
}

fn rejection(facts: NodeFacts) -> Rejection {
    Rejection { helpful_facts: facts, plugins: vec!["P".into()], ..Rejection::default() }
}

/// A queue with one pod that was tried once and rejected at second 0 for these facts.
fn rejected(facts: NodeFacts) -> Queue {
    let mut queue = Queue::new(QueueOptions::default());
    queue.set(pod("p", 0), at(0));
    let entry = queue.pop().expect("a pod");
    queue.add_unschedulable(entry, rejection(facts), at(0));
    queue
}

#[test]
fn by_priority_then_by_time_then_by_arrival() {
    let mut queue = Queue::new(QueueOptions::default());
    for (name, priority, second) in [("late", 0, 2), ("early", 0, 1), ("also early", 0, 1), ("high", 9, 3)] {
        queue.set(pod(name, priority), at(second));
    }
    assert_eq!(popped(&mut queue), ["high", "early", "also early", "late"]);
}

#[test]
fn an_update_keeps_the_place_and_a_new_priority_changes_it() {
    let mut queue = Queue::new(QueueOptions::default());
    for name in ["a", "b"] {
        queue.set(pod(name, 0), at(0));
    }
    queue.set(pod("b", 5), at(9));
    assert_eq!(queue.len(), (2, 0, 0));
    assert_eq!(popped(&mut queue), ["b", "a"]);
}

#[test]
fn what_helps_and_what_does_not() {
    let read = NodeFacts::TAINTS | NodeFacts::UNSCHEDULABLE;
    for (changed, helps) in
        [(NodeFacts::TAINTS, true), (NodeFacts::USAGE, false), (NodeFacts::empty(), false), (NodeFacts::all(), true)]
    {
        let mut queue = rejected(read);
        queue.retry(changed, at(60));
        assert_eq!(queue.has_active(), helps, "{changed:?}");
    }
}

#[test]
fn a_retry_waits_for_the_backoff_which_doubles_up_to_its_maximum() {
    let mut queue = rejected(NodeFacts::TAINTS);
    let mut now = 0;
    for wait in [1, 2, 4, 8, 10, 10] {
        queue.retry(NodeFacts::TAINTS, at(now));
        assert_eq!(queue.len(), (0, 1, 0));
        assert_eq!(queue.next_wakeup(), Some(at(now + wait)));
        queue.tick(Timestamp(at(now + wait).0 - 1));
        assert!(!queue.has_active());
        now += wait;
        queue.tick(at(now));
        let entry = queue.pop().expect("backoff is over");
        queue.add_unschedulable(entry, rejection(NodeFacts::TAINTS), at(now));
    }
}

#[test]
fn a_failed_attempt_is_made_again_without_an_event() {
    let mut queue = Queue::new(QueueOptions::default());
    queue.set(pod("p", 0), at(0));
    let entry = queue.pop().expect("a pod");
    queue.add_failed(entry, Some("Broken".into()), at(0));
    queue.retry_plugin("Other", at(0));
    assert_eq!(queue.len(), (0, 1, 0));
    queue.retry_plugin("Broken", at(0));
    assert_eq!(queue.len(), (1, 0, 0));
}

#[test]
fn long_unschedulable_pods_are_flushed() {
    let mut queue = rejected(NodeFacts::TAINTS);
    assert_eq!(queue.next_wakeup(), Some(at(300)));
    queue.tick(at(299));
    assert!(!queue.has_active());
    queue.tick(at(300));
    assert!(queue.has_active());
}

#[test]
fn a_change_of_the_pod_itself_is_worth_a_try_but_its_status_is_not() {
    let mut queue = rejected(NodeFacts::TAINTS);
    queue.set(pod("p", 0), at(60));
    assert_eq!(queue.len(), (0, 0, 1));
    queue.set(pod("p", 1), at(60));
    assert_eq!(queue.len(), (1, 0, 0));
}

#[test]
fn what_comes_into_a_part_is_counted_by_its_cause() {
    let mut queue = rejected(NodeFacts::TAINTS);
    queue.retry(NodeFacts::TAINTS, at(0));
    queue.tick(at(1));
    // An update of a pod that waits for its turn moves it nowhere.
    queue.set(pod("p", 1), at(1));
    let entry = queue.pop().expect("a pod");
    queue.add_failed(entry, Some("Broken".into()), at(1));
    queue.retry_plugin("Broken", at(1));
    let all = Part::ALL.iter().flat_map(|part| Cause::ALL.iter().map(|cause| (*part, *cause)));
    let counts: Vec<String> = all
        .filter(|(part, cause)| queue.incoming().of(*part, *cause) > 0)
        .map(|(part, cause)| format!("{} {} {}", part.name(), cause.name(), queue.incoming().of(part, cause)))
        .collect();
    let expected = [
        "active UnschedulablePodAdd 1",
        "active BackoffComplete 1",
        "active PluginsChange 1",
        "backoff ScheduleAttemptFailure 1",
        "backoff ClusterChange 1",
        "unschedulable ScheduleAttemptFailure 1",
    ];
    assert_eq!(counts, expected);
    let parts: Vec<Part> = queue.pods().map(|(part, _)| part).collect();
    assert_eq!(parts, [Part::Active]);
}
