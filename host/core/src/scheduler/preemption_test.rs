//! Tests of preemption, with nodes that hold one pod each.

use std::time::Duration;

use super::*;
use crate::cache::{NodeId, PodId};
use crate::extenders::NoExtenders;
use crate::facts::NodeFacts;
use crate::model::{Labels, Node, PodKey, PodSpec};
use crate::plugins::{
    AskBack, Code, Cycle, Decision, Declaration, Permission, PluginError, PluginId, Plugins, PodActions,
    PostFilterResult, Status, Verdicts,
};
use crate::profile::{Profile, ProfilePlugin};
use crate::scheduler::scripted::evict_lower;
use crate::{Event, Options, Timestamp};

/// A node holds one pod. Pods of lower priority are evicted. A pod named `waiting` waits at permit.
struct OnePodANode;

impl Plugins for OnePodANode {
    fn filter(&mut self, _: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let outcomes = vec![Status { code: Code::Unschedulable, reasons: vec!["full".into()] }];
        let is_full = |node: &NodeId| cycle.cache.node(*node).is_some_and(|info| !info.pods.is_empty());
        Ok(Verdicts { outcomes, nodes: nodes.iter().map(|node| u16::from(is_full(node))).collect() })
    }

    fn post_filter(
        &mut self,
        _: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        _: &[Code],
        leaving: &[PodId],
        ask: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        if !leaving.is_empty() {
            let reasons = vec!["preemption: one is leaving".into()];
            return Ok(PostFilterResult::Unschedulable {
                reasons,
                clear: false,
                intents: Vec::new(),
                pods: PodActions::default(),
            });
        }
        let nobody = || PostFilterResult::Unschedulable {
            reasons: vec!["preemption: nobody".into()],
            clear: true,
            intents: Vec::new(),
            pods: PodActions::default(),
        };
        Ok(evict_lower(self, cycle, nodes, ask)?.map_or_else(nobody, PostFilterResult::Nominate))
    }

    fn permit(&mut self, _: PluginId, cycle: &Cycle<'_>, _: &str, _: &[u8]) -> Result<Permission, PluginError> {
        let waits = &*cycle.pod.key.name == "waiting";
        let decision = if waits { Decision::Wait(Duration::from_secs(600)) } else { Decision::Approve };
        Ok(Permission { decision, ..Permission::default() })
    }
}

struct Bench {
    core: Core,
    now: Timestamp,
}

impl Bench {
    /// Creates a bench with a pod `low` on the only node `n`.
    fn new() -> Self {
        let mut bench = Self { core: Core::new(Options::default()), now: Timestamp(1_000_000) };
        let declaration = Arc::new(Declaration { node: NodeFacts::PODS.into(), ..Declaration::default() });
        let plugin = ProfilePlugin { id: PluginId(0), declaration, failure_policy: Default::default() };
        let (filter, post_filter, permit) = (vec![plugin.clone()], vec![plugin.clone()], vec![plugin]);
        bench.step(Event::PluginsSwapped(vec![Profile { filter, post_filter, permit, ..Profile::default() }]));
        bench.step(Event::NodeSet(Arc::new(Node { name: "n".into(), uid: "n".into(), ..Node::default() })));
        bench.step(Event::PodSet(Arc::new(Pod { node_name: "n".into(), ..pod("low", 1) })));
        bench
    }

    fn step(&mut self, event: Event) -> Vec<String> {
        let mut actions = self.core.step(event, self.now, &mut OnePodANode, &mut NoExtenders);
        while self.core.has_work() {
            actions.extend(self.core.step(Event::Cycle, self.now, &mut OnePodANode, &mut NoExtenders));
        }
        let described = actions.iter().filter_map(|action| match action {
            Action::Bind { pod, node } => Some(format!("bind {} to {node}", pod.name)),
            Action::Nominate { pod, node } => Some(format!("nominate {node:?} for {}", pod.name)),
            Action::Evict { pod, note, .. } => Some(format!("evict {}: {note}", pod.name)),
            Action::Emit(event) if event.reason == "FailedScheduling" => Some(event.note.to_string()),
            _ => None,
        });
        described.collect()
    }

    /// Causes an event and runs all pending cycles. Returns the actions in a short form.
    fn something_happens(&mut self) -> Vec<String> {
        let labels: Labels = [("a", self.now.0.to_string())].into_iter().collect();
        self.later(set(Pod { labels: labels.into(), node_name: "n".into(), ..pod("low", 1) }))
    }

    fn later(&mut self, event: Event) -> Vec<String> {
        self.now = self.now.after(Duration::from_secs(60));
        self.step(event)
    }
}

fn pod(name: &str, priority: i32) -> Pod {
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    Pod { key, spec: Arc::new(PodSpec { priority, ..PodSpec::default() }), ..Pod::default() }
}

fn set(pod: Pod) -> Event {
    Event::PodSet(Arc::new(pod))
}

const FULL: &str = "0/1 nodes are available: 1 full.";

#[test]
fn a_pod_preempts_and_gets_the_node() {
    let mut bench = Bench::new();
    let made = bench.step(set(pod("high", 9)));
    assert_eq!(made, ["nominate \"n\" for high", "evict low: Preempted by pod high on node n", FULL]);
    // The victim is not being deleted yet, so that no event makes the core try the pod.
    assert_eq!(bench.something_happens(), [""; 0]);
    let leaving = || set(Pod { deleting: true, preempted: true, node_name: "n".into(), ..pod("low", 1) });
    bench.step(leaving());
    bench.step(set(Pod { node_name: "n".into(), ..pod("nobody", 0) }));
    assert_eq!(bench.later(Event::PodRemoved(pod("nobody", 0).key)), [format!("{FULL} preemption: one is leaving")]);
    assert_eq!(bench.later(Event::PodRemoved(pod("low", 1).key)), ["bind high to n"]);
    assert!(bench.core.nominations.is_empty());
}

/// Events do not move a pod that awaits evictions. All nodes are therefore looked at when the evictions have ended.
#[test]
fn a_pod_gets_a_node_that_appeared_during_its_evictions() {
    let mut bench = Bench::new();
    bench.step(set(pod("high", 9)));
    let other = Node { name: "other".into(), uid: "other".into(), ..Node::default() };
    assert_eq!(bench.later(Event::NodeSet(Arc::new(other))), [""; 0]);
    assert_eq!(bench.later(Event::NodeRemoved("n".into())), [""; 0]);
    assert_eq!(bench.later(Event::PodRemoved(pod("low", 1).key)), ["bind high to other"]);
}

#[test]
fn a_pod_that_is_being_deleted_is_not_evicted() {
    let mut bench = Bench::new();
    bench.step(set(Pod { deleting: true, node_name: "n".into(), ..pod("low", 1) }));
    assert_eq!(bench.step(set(pod("high", 9))), ["nominate \"n\" for high", FULL]);
}

#[test]
fn a_nominated_node_is_kept_from_pods_of_no_higher_priority() {
    let mut bench = Bench::new();
    bench.step(set(pod("high", 9)));
    bench.step(set(pod("same", 9)));
    bench.step(Event::PodRemoved(pod("low", 1).key));
    // The backoffs of the preempting pod and of the other pod are not over. A new pod is tried at once.
    let newcomer = bench.step(set(pod("lower", 3)));
    assert!(newcomer.iter().any(|described| described.starts_with(FULL)), "{newcomer:?}");
}

#[test]
fn a_pod_that_cannot_preempt_loses_its_nomination() {
    let mut bench = Bench::new();
    let described = bench.step(set(Pod { nominated_node_name: "n".into(), ..pod("humble", 0) }));
    let reported = format!("{FULL} preemption: nobody");
    // The end of a nomination is worth another attempt.
    assert_eq!(described, ["nominate \"\" for humble", &reported, &reported]);
}

#[test]
fn a_pod_of_higher_priority_takes_the_nominated_node() {
    let mut bench = Bench::new();
    bench.step(set(pod("middle", 5)));
    let described = bench.step(set(pod("high", 9)));
    let expected =
        ["nominate \"\" for middle", "nominate \"n\" for high", "evict low: Preempted by pod high on node n", FULL];
    assert_eq!(described, expected);
    // The displaced pod is tried again after its own victims are gone.
    assert_eq!(
        bench.later(Event::PodRemoved(pod("low", 1).key)),
        ["bind high to n", &format!("{FULL} preemption: nobody")]
    );
}

#[test]
fn a_failed_eviction_may_be_requested_again() {
    let mut bench = Bench::new();
    bench.step(set(pod("high", 9)));
    let again = bench.step(Event::EvictionFailed(pod("low", 1).key));
    assert_eq!(again, ["evict low: Preempted by pod high on node n", FULL], "at once");
}

#[test]
fn evictions_end_with_the_last_victim() {
    let victims = [pod("one", 1), pod("two", 1)];
    let mut evictions = Evictions::default();
    victims.iter().for_each(|victim| evictions.begin("high", &victim.key.uid));
    evictions.begin("higher", "two");
    assert_eq!(evictions.ended("one", false), []);
    assert_eq!(evictions.ended("two", true), [("high".into(), false), ("higher".into(), false)]);
    assert!(evictions.underway.is_empty() && evictions.by_victim.is_empty());
    evictions.begin("high", "three");
    evictions.not_needed_by("high");
    assert!(evictions.underway.is_empty() && evictions.by_victim.is_empty());
}

#[test]
fn an_unbound_victim_is_requeued_instead_of_deleted() {
    let mut bench = Bench::new();
    bench.step(Event::PodRemoved(pod("low", 1).key));
    assert_eq!(bench.step(set(pod("waiting", 1))), ["nominate \"n\" for waiting"]);
    let described = bench.step(set(pod("high", 9)));
    let expected = [
        "nominate \"n\" for high",
        "nominate \"\" for waiting",
        "preempted before it was bound",
        FULL,
        "bind high to n",
    ];
    assert_eq!(described, expected);
    assert_eq!(bench.later(Event::Tick), [format!("{FULL} preemption: nobody")], "it looks for another place");
}
