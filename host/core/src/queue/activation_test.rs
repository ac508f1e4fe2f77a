//! Tests of activation.

use super::*;

const NOTHING: NodeFacts = NodeFacts::empty();

impl Bench {
    fn activate(&mut self, uid: &str, second: u64) {
        self.queue.activate(uid);
        self.settle(second);
    }
}

#[test]
fn a_rejected_pod_becomes_active_without_backoff() {
    let mut bench = rejected(NOTHING);
    assert_eq!(bench.waiting(), UNSCHEDULABLE);
    bench.activate("p", 0);
    bench.activate("unknown", 0);
    assert_eq!(bench.waiting(), ACTIVE);
    assert_eq!(bench.queue.incoming().of(SubQueue::Active, Cause::Activated), 1);
    bench.activate("p", 0);
    assert_eq!(bench.queue.incoming().of(SubQueue::Active, Cause::Activated), 1, "the pod is active already");
}

#[test]
fn activation_ends_both_kinds_of_backoff() {
    let mut bench = rejected(NodeFacts::TAINTS);
    bench.happened(&node_changed(NodeFacts::TAINTS), 0);
    assert_eq!(bench.waiting(), BACKOFF);
    bench.activate("p", 0);
    assert_eq!(bench.waiting(), ACTIVE);
    let entry = bench.queue.pop().expect("a pod");
    bench.queue.add_failed(entry, None, at(0));
    assert_eq!(bench.waiting(), BACKOFF);
    bench.activate("p", 0);
    assert_eq!(bench.waiting(), ACTIVE);
}

#[test]
fn a_gated_pod_stays_gated() {
    let mut bench = Bench::default();
    bench.set(gated("p"), 0);
    let asked = bench.fake.asked;
    bench.activate("p", 0);
    assert_eq!((bench.waiting(), bench.fake.asked), (GATED, asked + 1));
    bench.set(pod("p", 0), 1);
    assert_eq!(bench.waiting(), ACTIVE);
}

#[test]
fn a_pod_that_is_activated_during_its_attempt_is_tried_again_after_its_backoff() {
    let activated: fn(&mut Bench, &mut QueuedPod) = |_, entry| entry.remember_activation();
    let just_rejected: fn(&mut Bench, &mut QueuedPod) = |_, _| {};
    for (during, after) in [(activated, false), (just_rejected, true)] {
        let mut bench = Bench::default();
        bench.set(pod("p", 0), 0);
        let mut entry = bench.queue.pop().expect("a pod");
        during(&mut bench, &mut entry);
        bench.queue.add_unschedulable(entry, by(NOTHING), at(0));
        if after {
            bench.queue.activate("p");
        }
        bench.settle(0);
        assert_eq!(bench.waiting(), BACKOFF);
        bench.tick(10);
        bench.reject(by(NOTHING), 10);
        assert_eq!(bench.waiting(), UNSCHEDULABLE, "the activation counts once");
    }
}

#[test]
fn an_activation_does_not_outlast_a_failed_attempt() {
    let mut bench = Bench::default();
    bench.set(pod("p", 0), 0);
    let mut entry = bench.queue.pop().expect("a pod");
    entry.remember_activation();
    bench.queue.add_failed(entry, None, at(0));
    bench.tick(10);
    bench.reject(by(NOTHING), 10);
    assert_eq!(bench.waiting(), UNSCHEDULABLE);
}

#[test]
fn a_pod_that_waits_for_admission_skips_its_backoff() {
    let mut bench = rejected(NodeFacts::TAINTS);
    bench.queue.on_event(&node_changed(NodeFacts::TAINTS), &mut bench.fake);
    bench.activate("p", 0);
    assert_eq!(bench.waiting(), ACTIVE);
}

#[test]
fn a_pod_that_awaits_evictions_is_tried_when_they_have_ended() {
    let mut bench = Bench::default();
    bench.set(pod("p", 0), 0);
    let entry = bench.queue.pop().expect("a pod");
    bench.queue.await_evictions(entry, by(NOTHING), at(0));
    bench.activate("p", 0);
    assert_eq!(bench.waiting(), GATED);
    bench.queue.evictions_ended("p", AfterEvictions::Waits);
    bench.settle(0);
    assert_eq!(bench.waiting(), ACTIVE);
}

#[test]
fn a_pod_that_activates_itself_keeps_its_backoff() {
    let mut bench = Bench::default();
    bench.set(pod("p", 0), 0);
    let entry = bench.queue.pop().expect("a pod");
    bench.queue.add_failed(entry, None, at(0));
    assert!(!bench.queue.remember_activation("p"));
    bench.settle(0);
    assert_eq!(bench.waiting(), BACKOFF);
}
