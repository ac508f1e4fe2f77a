//! Tests of the order of pods and their moves between sub-queues.

use super::*;
use crate::cluster_event::{EventActions, Interest};
use crate::facts::NodeFacts;
use crate::model::{Labels, Node, PodSpec};
use crate::plugins::{Declaration, PluginError, PluginId, PodSignatureId, Scope};
use crate::reads::PodReads;

/// Gates pods with scheduling gates. The hints say that events help the pods with the names in `helped`, or all pods if
/// `helped` is empty.
#[derive(Default)]
struct Fake {
    helped: Vec<&'static str>,
    /// The uid of the only pod that fits after an event, among pods that await their victims. With `None`, all of them
    /// fit.
    only: Option<Box<str>>,
    asked: usize,
    fails: bool,
}

impl Advisor for Fake {
    fn admit(&mut self, entry: &QueuedPod) -> Admission {
        self.asked += 1;
        if self.fails {
            return Admission::Failed(PluginError::failed("Gates".into(), "trapped".into()));
        }
        match entry.pod.spec.scheduling_gates.is_empty() {
            true => Admission::Admitted,
            false => Admission::Gated(rejector(9, PodFacts::SCHEDULING_GATES, NodeFacts::empty())),
        }
    }

    fn sort_key(&mut self, entry: &QueuedPod) -> SortKey {
        SortKey::from([-i64::from(entry.pod.spec.priority), entry.queued.0 as i64])
    }

    fn hints(&mut self, _: &Rejector, _: &ClusterEvent, pods: &[&Arc<Pod>]) -> Vec<bool> {
        pods.iter().map(|pod| self.helped.is_empty() || self.helped.contains(&&*pod.key.name)).collect()
    }

    fn pods_that_fit(&mut self, _: &Rejector, _: &ClusterEvent, _: &Arc<Pod>) -> HelpedPods {
        self.only.clone().map_or(HelpedPods::All, |uid| HelpedPods::Only(vec![uid]))
    }
}

/// A queue with its advisor.
#[derive(Default)]
struct Bench {
    queue: Queue,
    fake: Fake,
}

impl Bench {
    fn set(&mut self, pod: Arc<Pod>, second: u64) {
        self.queue.set(pod, at(second));
        self.settle(second);
    }

    fn settle(&mut self, second: u64) -> Vec<(QueuedPod, PluginError)> {
        self.queue.settle(at(second), &mut self.fake)
    }

    fn happened(&mut self, event: &ClusterEvent, second: u64) {
        self.queue.on_event(event, &mut self.fake);
        self.settle(second);
    }

    fn tick(&mut self, second: u64) {
        self.queue.tick(at(second));
        self.settle(second);
    }

    /// Pops the next pod and rejects it.
    fn reject(&mut self, rejection: Rejection, second: u64) {
        let entry = self.queue.pop().expect("a pod");
        self.queue.add_unschedulable(entry, rejection, at(second));
        self.settle(second);
    }

    fn waiting(&self) -> [usize; 4] {
        SubQueue::ALL.map(|sub_queue| self.queue.len(sub_queue))
    }

    fn popped(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.queue.pop()).map(|entry| entry.pod.key.name.to_string()).collect()
    }
}

const ACTIVE: [usize; 4] = [1, 0, 0, 0];
const BACKOFF: [usize; 4] = [0, 1, 0, 0];
const UNSCHEDULABLE: [usize; 4] = [0, 0, 1, 0];
const GATED: [usize; 4] = [0, 0, 0, 1];

fn pod(name: &str, priority: i32) -> Arc<Pod> {
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    Arc::new(Pod { key, spec: Arc::new(PodSpec { priority, ..PodSpec::default() }), ..Pod::default() })
}

fn gated(name: &str) -> Arc<Pod> {
    let spec = PodSpec { scheduling_gates: vec!["gate".into()], ..PodSpec::default() };
    Arc::new(Pod { spec: Arc::new(spec), ..Pod::clone(&pod(name, 0)) })
}

fn at(second: u64) -> Timestamp {
    Timestamp(second * 1000)
}

fn rejector(id: u32, pod_facts: PodFacts, node_facts: NodeFacts) -> Rejector {
    let declaration = Declaration {
        pod: pod_facts.into(),
        node: node_facts.into(),
        filter_scope: Scope::Node,
        ..Declaration::default()
    };
    Rejector { id: PluginId(id), declaration: Arc::new(declaration), pending: false, signature: PodSignatureId(0) }
}

fn by(node_facts: NodeFacts) -> Rejection {
    Rejection { by: vec![rejector(0, PodFacts::TOLERATIONS, node_facts)] }
}

fn node_changed(facts: NodeFacts) -> ClusterEvent {
    let node = Some(Arc::new(Node::default()));
    ClusterEvent::node(node.clone(), node, facts)
}

/// Returns a queue with one pod `p` that was tried once and rejected because of these facts at second 0.
fn rejected(facts: NodeFacts) -> Bench {
    let mut bench = Bench::default();
    bench.set(pod("p", 0), 0);
    bench.reject(by(facts), 0);
    bench
}

#[test]
fn pods_are_ordered_by_priority_then_time_then_arrival() {
    let mut bench = Bench::default();
    for (name, priority, second) in [("early", 0, 1), ("also early", 0, 1), ("late", 0, 2), ("high", 9, 3)] {
        bench.set(pod(name, priority), second);
    }
    assert_eq!(bench.popped(), ["high", "early", "also early", "late"]);
}

#[test]
fn only_a_new_priority_changes_the_position_in_the_queue() {
    let mut bench = Bench::default();
    for name in ["a", "b", "c"] {
        bench.set(pod(name, 0), 0);
    }
    bench.set(pod("a", 0), 9);
    bench.set(pod("b", 5), 9);
    assert_eq!(bench.waiting(), [3, 0, 0, 0]);
    assert_eq!(bench.popped(), ["b", "a", "c"]);
}

#[test]
fn events_that_help_and_events_that_do_not() {
    let read = NodeFacts::TAINTS | NodeFacts::UNSCHEDULABLE;
    let added = ClusterEvent::node(None, Some(Arc::default()), NodeFacts::all());
    for (event, helps) in [
        (node_changed(NodeFacts::TAINTS), true),
        (node_changed(NodeFacts::USAGE), false),
        (added.clone(), true),
        (ClusterEvent { up_to_priority: Some(0), ..added.clone() }, true),
        (ClusterEvent { up_to_priority: Some(-1), ..added }, false),
    ] {
        let mut bench = rejected(read);
        bench.happened(&event, 60);
        assert_eq!(bench.waiting(), if helps { ACTIVE } else { UNSCHEDULABLE }, "{event:?}");
    }
}

#[test]
fn a_plugin_may_name_the_events_it_waits_for() {
    let retry_on = vec![Interest { kind: "Node".into(), actions: EventActions::ADD | EventActions::UPDATE_LABELS }];
    let declaration = Declaration { retry_on, node: NodeFacts::TAINTS.into(), ..Declaration::default() };
    let waits = Rejector { declaration: Arc::new(declaration), ..rejector(0, PodFacts::empty(), NodeFacts::empty()) };
    for (facts, helps) in [(NodeFacts::LABELS, true), (NodeFacts::TAINTS, false)] {
        let mut bench = Bench::default();
        bench.set(pod("p", 0), 0);
        bench.reject(Rejection { by: vec![waits.clone()] }, 0);
        bench.happened(&node_changed(facts), 60);
        assert_eq!(bench.queue.has_next(), helps, "{facts:?}");
    }
}

#[test]
fn the_hint_for_a_pod_says_nothing_about_a_pod_with_another_nominated_node() {
    for (facts, helped) in [(PodFacts::NOMINATED_NODE, 1), (PodFacts::TOLERATIONS, 0)] {
        let mut bench = Bench { fake: Fake { helped: vec!["b"], ..Fake::default() }, ..Bench::default() };
        for name in ["a", "b"] {
            bench.set(pod(name, 0), 0);
            bench.reject(Rejection { by: vec![rejector(0, facts, NodeFacts::TAINTS)] }, 0);
        }
        bench.set(Arc::new(Pod { nominated_node_name: "n".into(), ..Pod::clone(&pod("a", 0)) }), 1);
        bench.happened(&node_changed(NodeFacts::TAINTS), 60);
        assert_eq!(bench.waiting(), [helped, 0, 2 - helped, 0], "{facts:?}");
    }
}

#[test]
fn hints_are_asked_once_per_signature_and_move_all_its_pods() {
    let mut bench = Bench { fake: Fake { helped: vec!["b"], ..Fake::default() }, ..Bench::default() };
    let declaration = Declaration { node: NodeFacts::TAINTS.into(), ..Declaration::default() };
    for (name, signature) in [("a", 0), ("b", 1), ("c", 1)] {
        bench.set(pod(name, 0), 0);
        let declaration = Arc::new(Declaration { filter_scope: Scope::Node, ..declaration.clone() });
        let signature = PodSignatureId(signature);
        bench.reject(Rejection { by: vec![Rejector { id: PluginId(0), declaration, pending: false, signature }] }, 0);
    }
    bench.happened(&node_changed(NodeFacts::TAINTS), 60);
    assert_eq!(bench.waiting(), [2, 0, 1, 0]);
    assert_eq!(bench.popped(), ["b", "c"]);
}

#[test]
fn an_expected_event_ends_the_backoff() {
    for (pending, expected) in [(false, BACKOFF), (true, ACTIVE)] {
        let mut bench = Bench::default();
        bench.set(pod("p", 0), 0);
        let waits = Rejector { pending, ..rejector(0, PodFacts::empty(), NodeFacts::TAINTS) };
        bench.reject(Rejection { by: vec![waits] }, 0);
        bench.happened(&node_changed(NodeFacts::TAINTS), 0);
        assert_eq!(bench.waiting(), expected);
    }
}

#[test]
fn backoffs_double_up_to_their_maximum_and_end_with_the_second() {
    let mut bench = rejected(NodeFacts::TAINTS);
    let mut now = 0;
    for wait in [1, 2, 4, 8, 10, 10] {
        bench.happened(&node_changed(NodeFacts::TAINTS), now);
        assert_eq!(bench.waiting(), BACKOFF);
        now += wait + 1;
        assert_eq!(bench.queue.next_wakeup(), Some(at(now)));
        bench.queue.tick(Timestamp(at(now).0 - 1));
        assert_eq!(bench.waiting(), BACKOFF);
        bench.tick(now);
        assert_eq!(bench.waiting(), ACTIVE);
        bench.reject(by(NodeFacts::TAINTS), now);
    }
}

#[test]
fn backoff_pods_are_popped_early_but_not_after_errors() {
    let mut bench = Bench::default();
    for (name, priority) in [("failed", 9), ("low", 1), ("high", 2)] {
        bench.set(pod(name, priority), 0);
        let entry = bench.queue.pop().expect("a pod");
        match name {
            "failed" => bench.queue.add_failed(entry, None, at(0)),
            _ => bench.queue.add_unschedulable(entry, by(NodeFacts::TAINTS), at(0)),
        }
        bench.settle(0);
    }
    bench.happened(&node_changed(NodeFacts::TAINTS), 0);
    assert_eq!(bench.waiting(), [0, 3, 0, 0]);
    assert_eq!(bench.popped(), ["high", "low"]);
    assert_eq!(bench.queue.incoming().of(SubQueue::Active, Cause::PopFromBackoff), 2);
}

#[test]
fn a_failed_attempt_is_repeated_without_an_event() {
    let mut bench = Bench::default();
    bench.set(pod("p", 0), 0);
    let entry = bench.queue.pop().expect("a pod");
    bench.queue.add_failed(entry, Some("Broken".into()), at(0));
    bench.queue.retry_plugin("Other");
    bench.settle(0);
    assert_eq!(bench.waiting(), BACKOFF);
    bench.queue.retry_plugin("Broken");
    bench.settle(0);
    assert_eq!(bench.waiting(), ACTIVE);
}

#[test]
fn long_unschedulable_pods_are_flushed() {
    let mut bench = rejected(NodeFacts::TAINTS);
    assert_eq!(bench.queue.next_wakeup(), Some(at(300)));
    bench.tick(299);
    assert!(!bench.queue.has_next());
    bench.tick(300);
    assert_eq!(bench.waiting(), ACTIVE);
}

#[test]
fn a_change_of_the_pod_requeues_it_if_a_rejecting_plugin_reads_the_fact() {
    let mut bench = rejected(NodeFacts::TAINTS);
    bench.set(Arc::new(Pod { nominated_node_name: "n".into(), ..Pod::clone(&pod("p", 1)) }), 60);
    assert_eq!(bench.waiting(), UNSCHEDULABLE, "its tolerations are the same");
    let tolerations = vec![crate::model::Toleration {
        key: "k".into(),
        operator: crate::model::TolerationOperator::Exists,
        value: "".into(),
        effect: None,
    }];
    let tolerant = PodSpec { tolerations, ..PodSpec::default() };
    bench.set(Arc::new(Pod { spec: Arc::new(tolerant), ..Pod::clone(&pod("p", 1)) }), 60);
    assert_eq!(bench.waiting(), ACTIVE);
}

#[test]
fn events_during_an_attempt_count_after_it() {
    for (happens, expected) in [(NodeFacts::TAINTS, BACKOFF), (NodeFacts::USAGE, UNSCHEDULABLE)] {
        let mut bench = Bench::default();
        bench.set(pod("p", 0), 0);
        let mut entry = bench.queue.pop().expect("a pod");
        bench.happened(&node_changed(happens), 0);
        entry.update(pod("p", 7));
        bench.queue.add_unschedulable(entry, by(NodeFacts::TAINTS), at(0));
        bench.settle(0);
        assert_eq!(bench.waiting(), expected, "{happens:?}");
    }
}

#[test]
fn gated_pods_wait_for_their_gate_and_are_asked_about_it_again() {
    let mut bench = Bench::default();
    bench.set(gated("p"), 0);
    assert_eq!((bench.waiting(), bench.queue.has_next()), (GATED, false));
    bench.happened(&ClusterEvent::node(None, None, NodeFacts::all()), 0);
    let labels: Labels = [("a", "b")].into_iter().collect();
    bench.set(Arc::new(Pod { labels: labels.into(), ..Pod::clone(&gated("p")) }), 0);
    bench.tick(1000);
    assert_eq!((bench.waiting(), bench.fake.asked), (GATED, 1), "nothing of that concerns the gate");
    bench.set(pod("p", 0), 0);
    assert_eq!((bench.waiting(), bench.fake.asked), (ACTIVE, 2));
}

#[test]
fn a_plugin_that_fails_at_pre_enqueue_gives_the_pod_back() {
    let mut bench = Bench { fake: Fake { fails: true, ..Fake::default() }, ..Bench::default() };
    bench.queue.set(pod("p", 0), at(0));
    let failed = bench.settle(0);
    assert_eq!(failed.iter().map(|(entry, _)| &*entry.pod.key.name).collect::<Vec<_>>(), ["p"]);
    assert!(bench.queue.is_empty());
}

#[test]
fn other_plugins_are_asked_about_all_pods() {
    let mut bench = Bench::default();
    bench.set(gated("gated"), 0);
    bench.set(pod("unschedulable", 0), 0);
    bench.reject(by(NodeFacts::TAINTS), 0);
    bench.set(pod("active", 0), 0);
    assert_eq!((bench.waiting(), bench.fake.asked), ([1, 0, 1, 1], 3));
    bench.queue.plugins_changed();
    bench.settle(60);
    assert_eq!((bench.waiting(), bench.fake.asked), ([2, 0, 0, 1], 6));
}

#[test]
fn pods_that_enter_a_sub_queue_are_counted_by_cause() {
    let mut bench = rejected(NodeFacts::TAINTS);
    bench.happened(&node_changed(NodeFacts::TAINTS), 0);
    bench.tick(2);
    // An update of a pod in the active sub-queue does not count as an arrival there.
    bench.set(pod("p", 1), 2);
    let entry = bench.queue.pop().expect("a pod");
    bench.queue.add_failed(entry, Some("Broken".into()), at(2));
    bench.queue.retry_plugin("Broken");
    bench.settle(2);
    bench.set(gated("g"), 2);
    let counts = bench.queue.incoming().iter();
    let counts: Vec<String> =
        counts.map(|(sub_queue, event, count)| format!("{} {event} {count}", sub_queue.name())).collect();
    let expected = [
        "active UnschedulablePodAdd 1",
        "active BackoffComplete 1",
        "active PluginsChange 1",
        "backoff ScheduleAttemptFailure 1",
        "backoff NodeUpdateNodeTaint 1",
        "unschedulable ScheduleAttemptFailure 1",
        "gated UnschedulablePodAdd 1",
    ];
    assert_eq!(counts, expected);
    let mut parts: Vec<&str> = bench.queue.pods().map(|(sub_queue, _)| sub_queue.name()).collect();
    parts.sort_unstable();
    assert_eq!(parts, ["active", "gated"]);
}

#[test]
fn a_pod_that_awaits_evictions_waits_until_they_end() {
    let labels: Arc<Labels> = Arc::new([("a", "b".to_owned())].into_iter().collect());
    let relabelled = || Arc::new(Pod { labels: Arc::clone(&labels), ..Pod::clone(&pod("p", 0)) });
    let changed = node_changed(NodeFacts::TAINTS);
    for (release, update, sub_queue) in [
        (AfterEvictions::Waits, None, UNSCHEDULABLE),
        (AfterEvictions::AwaitsVictims, None, UNSCHEDULABLE),
        (AfterEvictions::Waits, Some(relabelled()), BACKOFF),
        (AfterEvictions::Retries, None, BACKOFF),
        (AfterEvictions::Activates, None, ACTIVE),
    ] {
        let mut bench = Bench::default();
        bench.set(pod("p", 0), 0);
        let entry = bench.queue.pop().expect("a pod");
        let read = PodFacts::TOLERATIONS | PodFacts::LABELS;
        bench.queue.await_evictions(entry, Rejection { by: vec![rejector(0, read, NodeFacts::TAINTS)] }, at(0));
        bench.happened(&changed, 0);
        bench.tick(1000);
        update.into_iter().for_each(|pod| bench.set(pod, 1000));
        assert_eq!(bench.waiting(), GATED);
        assert!(!bench.queue.has_next() && bench.queue.next_wakeup().is_none());
        bench.queue.evictions_ended("p", release);
        bench.settle(0);
        assert_eq!(bench.waiting(), sub_queue, "{release:?}");
        bench.happened(&changed, 1000);
        assert_eq!(bench.queue.len(SubQueue::Unschedulable), 0, "{release:?}: what happens now counts");
    }
}

#[test]
fn a_pod_that_awaits_victims_is_helped_if_it_fits() {
    for (only, helped) in [(None, &["a", "b"][..]), (Some("b"), &["b"]), (Some("c"), &[])] {
        let mut bench = Bench::default();
        for (name, priority) in [("a", 1), ("b", 1)] {
            bench.set(pod(name, priority), 0);
            let mut entry = bench.queue.pop().expect("a pod");
            entry.awaits_victims = true;
            bench.queue.add_unschedulable(entry, by(NodeFacts::TAINTS), at(0));
            bench.settle(0);
        }
        bench.fake.only = only.map(Into::into);
        bench.happened(&node_changed(NodeFacts::TAINTS), 60);
        assert_eq!(bench.popped(), helped);
        for name in ["a", "b"] {
            bench.queue.stop_awaiting_victims(name);
        }
        bench.happened(&node_changed(NodeFacts::TAINTS), 60);
        assert_eq!(bench.popped().len(), 2 - helped.len(), "the pods no longer await victims");
    }
}

#[test]
fn a_change_of_a_label_helps_if_a_rejecting_plugin_reads_its_key() {
    let labelled = |app: &str, other: &str| {
        let labels: Labels = [("app", app), ("other", other)].into_iter().collect();
        Arc::new(Pod { labels: labels.into(), ..Pod::clone(&pod("p", 0)) })
    };
    for (after, sub_queue) in [(labelled("web", "2"), UNSCHEDULABLE), (labelled("db", "1"), ACTIVE)] {
        let mut bench = Bench::default();
        bench.set(labelled("web", "1"), 0);
        let reads = PodReads::new(PodFacts::TOLERATIONS, ["app".into()], [], []);
        let declaration = Declaration { pod: reads, filter_scope: Scope::Node, ..Declaration::default() };
        let by = Rejector { declaration: Arc::new(declaration), ..rejector(0, PodFacts::empty(), NodeFacts::TAINTS) };
        bench.reject(Rejection { by: vec![by] }, 0);
        bench.set(after, 60);
        assert_eq!(bench.waiting(), sub_queue);
    }
}

#[path = "activation_test.rs"]
mod activation;
