//! Tests the queue: each task runs at most once at a time, workload tasks pause after a run, and failed tasks wait.

use std::time::{Duration, Instant};

use super::super::controller::{Controller, Task};
use super::super::queue::{Queue, RunResult};
use super::key;

const OK: RunResult = RunResult { failed: false, spent: Duration::ZERO, rerun_at: None };
const FAILED: RunResult = RunResult { failed: true, ..OK };

fn single(name: &str) -> Task {
    Controller::Kubelet.task(key(name))
}

fn workload(name: &str) -> Task {
    Controller::Deployment.task(key(name))
}

#[test]
fn workloads_go_first() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    queue.add(single("a"), now);
    queue.add(workload("b"), now);
    assert_eq!(queue.pop(now), Some(workload("b")));
    assert_eq!(queue.pop(now), Some(single("a")));
    assert_eq!(queue.pop(now), None);
}

#[test]
fn a_task_requested_twice_runs_once() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    queue.add(single("a"), now);
    queue.add(single("a"), now);
    assert!(queue.pop(now).is_some());
    assert_eq!(queue.pop(now), None);
}

#[test]
fn a_task_requested_while_it_runs_runs_again() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    queue.add(single("a"), now);
    queue.pop(now);
    queue.add(single("a"), now);
    assert_eq!(queue.pop(now), None, "it still runs");
    queue.done(single("a"), OK, now);
    assert_eq!(queue.pop(now), Some(single("a")));
}

#[test]
fn a_workload_pauses_in_proportion_to_its_cost() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    queue.add(workload("a"), now);
    queue.pop(now);
    queue.done(workload("a"), RunResult { spent: Duration::from_millis(10), ..OK }, now);
    queue.add(workload("a"), now);
    queue.add(workload("a"), now);
    assert_eq!(queue.pop(now + Duration::from_millis(199)), None);
    assert_eq!(queue.next_wake(), Some(now + Duration::from_millis(200)));
    assert_eq!(queue.pop(now + Duration::from_millis(200)), Some(workload("a")));
    assert_eq!(queue.pop(now + Duration::from_secs(9)), None);
}

/// A clock that the caller moves can advance by hours while a task runs.
#[test]
fn the_pause_of_a_workload_is_bounded() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    queue.add(workload("a"), now);
    queue.pop(now);
    queue.done(workload("a"), RunResult { spent: Duration::from_secs(3600), ..OK }, now);
    queue.add(workload("a"), now);
    assert_eq!(queue.next_wake(), Some(now + Duration::from_secs(5)));
    assert_eq!(queue.pop(now + Duration::from_secs(5)), Some(workload("a")));
}

#[test]
fn failures_back_off_until_a_success() {
    let (mut queue, mut now) = (Queue::default(), Instant::now());
    queue.add(single("a"), now);
    for wait in [50, 100, 200, 400] {
        assert!(queue.pop(now).is_some());
        queue.done(single("a"), FAILED, now);
        queue.add(single("a"), now);
        assert_eq!(queue.pop(now + Duration::from_millis(wait - 1)), None, "after {wait} ms");
        now += Duration::from_millis(wait);
    }
    assert!(queue.pop(now).is_some());
    queue.done(single("a"), OK, now);
    queue.add(single("a"), now);
    assert!(queue.pop(now).is_some());
}

#[test]
fn a_task_can_request_a_later_run() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    queue.add(single("a"), now);
    queue.pop(now);
    queue.done(single("a"), RunResult { rerun_at: Some(now + Duration::from_secs(5)), ..OK }, now);
    assert_eq!(queue.next_wake(), Some(now + Duration::from_secs(5)));
    queue.add(single("a"), now + Duration::from_secs(1));
    assert!(queue.pop(now + Duration::from_secs(1)).is_some(), "a change causes an earlier run");
    queue.done(single("a"), OK, now + Duration::from_secs(1));
    assert_eq!(queue.pop(now + Duration::from_secs(5)), None, "the requested run took place earlier");
}
