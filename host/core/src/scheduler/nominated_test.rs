//! Tests of nominated nodes and of sampling, with a plugin that counts pods.

use super::*;
use crate::cache::{NodeId, PodId};
use crate::extenders::NoExtenders;
use crate::facts::{NodeFacts, PodFacts};
use crate::model::{Node, PodSpec, Resources};
use crate::plugins::{
    AskBack, Code, Cycle, Declaration, ExtensionPoints, PluginError, PluginId, PostFilterResult, PreemptionPlan,
    Reserved, Scope, Status, Verdicts, WhatIf,
};
use crate::profile::ProfilePlugin;

/// Plugin 0 rejects a node that has as many pods as its allocatable allows, and plugin 1 a node without pods. Plugin 2
/// gates pods with scheduling gates, plugin 3 fails, plugin 4 preempts nothing, plugin 5 rejects the pod `other` at
/// reserve, plugin 6 nominates a node that does not exist, and plugin 7 evicts a pod that does not exist.
#[derive(Default)]
struct Counting {
    /// The nodes of each call of plugin 0's filter.
    asked: Vec<Vec<u32>>,
}

impl Plugins for Counting {
    fn pre_enqueue(&mut self, _: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        Ok((!cycle.pod.spec.scheduling_gates.is_empty()).then(|| status("gated")))
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        if plugin == PluginId(3) {
            return Err(failed());
        }
        if plugin == PluginId(0) {
            self.asked.push(nodes.iter().map(|node| node.0).collect());
        }
        let rejects = |node: &NodeId| {
            let info = cycle.cache.node(*node);
            let (pods, most) = info.map_or((0, 0), |info| (info.usage.requested.pods, info.node.allocatable.pods));
            u16::from(if plugin == PluginId(0) { pods >= most } else { pods == 0 })
        };
        let reason = if plugin == PluginId(0) { "Too many pods" } else { "lonely" };
        Ok(Verdicts { outcomes: vec![status(reason)], nodes: nodes.iter().map(rejects).collect() })
    }

    fn reserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        _: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        let rejects = plugin == PluginId(5) && *cycle.pod.key.name == *"other";
        Ok(if rejects { Err(status("none left")) } else { Ok(Reserved::default()) })
    }

    fn post_filter(
        &mut self,
        plugin: PluginId,
        _: &Cycle<'_>,
        _: &[NodeId],
        _: &[Code],
        _: &[PodId],
        _: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        Ok(match plugin {
            PluginId(3) => return Err(failed()),
            PluginId(6) => PostFilterResult::Nominate(PreemptionPlan { node: NodeId(7), ..PreemptionPlan::default() }),
            PluginId(7) => {
                PostFilterResult::Nominate(PreemptionPlan { evict: vec![PodId(7)], ..PreemptionPlan::default() })
            }
            _ => PostFilterResult::default(),
        })
    }

    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        let mut verdicts =
            Verdicts { outcomes: vec![status("Too many pods, with those nominated")], nodes: Vec::new() };
        for case in cases {
            let cache = cycle.cache.as_if(case);
            let cycle = Cycle { cache: &cache, ..*cycle };
            verdicts.nodes.extend(self.filter(plugin, &cycle, &[case.node])?.nodes);
        }
        Ok(verdicts)
    }
}

fn failed() -> PluginError {
    PluginError::failed("P3".into(), "trapped".into())
}

fn status(reason: &str) -> Status {
    Status { code: Code::Unschedulable, reasons: vec![reason.into()] }
}

/// With the name among the facts, each node has a signature of its own and is asked about.
const READ: NodeFacts = NodeFacts::NAME.union(NodeFacts::USAGE).union(NodeFacts::ALLOCATABLE);

struct Bench {
    core: Core,
    plugins: Counting,
}

impl Bench {
    /// Creates a bench with these nodes (name and number of pods) and these filters.
    fn new(nodes: impl IntoIterator<Item = (String, i64)>, filters: &[u32], percentage: Option<u8>) -> Self {
        let mut bench = Self { core: Core::new(Options::default()), plugins: Counting::default() };
        bench.swap(filters, &[], percentage);
        for (name, pods) in nodes {
            let allocatable = Resources { pods, ..Resources::default() };
            let node = Node { name: name.clone().into(), uid: name.into(), allocatable, ..Node::default() };
            bench.step(Event::NodeSet(Arc::new(node)));
        }
        bench
    }

    /// Replaces the filters and post-filters.
    fn swap(&mut self, filters: &[u32], post_filters: &[u32], percentage: Option<u8>) {
        let plugin = |id: &u32| ProfilePlugin {
            id: PluginId(*id),
            declaration: Arc::new(Declaration {
                name: format!("P{id}").into(),
                pod: PodFacts::SCHEDULING_GATES.into(),
                node: if *id == 2 { NodeFacts::empty() } else { READ }.into(),
                filter_scope: Scope::Node,
                points: ExtensionPoints::FILTER,
                ..Declaration::default()
            }),
            failure_policy: Default::default(),
        };
        let profile = Profile {
            pre_enqueue: vec![plugin(&2)],
            filter: filters.iter().map(plugin).collect(),
            post_filter: post_filters.iter().map(plugin).collect(),
            reserve: vec![plugin(&5)],
            percentage_of_nodes_to_score: percentage,
            ..Profile::default()
        };
        self.step(Event::PluginsSwapped(vec![profile]));
    }

    /// Creates a bench with one or two nodes.
    fn with(nodes: &[(&str, i64)], filters: &[u32]) -> Self {
        Self::new(nodes.iter().map(|(name, pods)| ((*name).to_owned(), *pods)), filters, None)
    }

    /// Handles an event. Returns the node of each bound pod, or the reason why it was not bound, and the nominations.
    fn step(&mut self, event: Event) -> Vec<String> {
        let mut actions = self.core.step(event, Timestamp(0), &mut self.plugins, &mut NoExtenders);
        while self.core.has_work() {
            actions.extend(self.core.step(Event::Cycle, Timestamp(0), &mut self.plugins, &mut NoExtenders));
        }
        let reported = actions.iter().filter_map(|action| match action {
            Action::Bind { pod, node } => Some(format!("{} on {node}", pod.name)),
            Action::Nominate { pod, node } => Some(format!("{} nominated to {node:?}", pod.name)),
            Action::Emit(event) if event.kind == "Warning" => Some(event.note.to_string()),
            _ => None,
        });
        reported.collect()
    }

    fn set(&mut self, pod: Pod) -> Vec<String> {
        self.step(Event::PodSet(Arc::new(pod)))
    }
}

fn key(name: &str) -> PodKey {
    PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() }
}

fn pod(name: &str, priority: i32) -> Pod {
    Pod { key: key(name), spec: Arc::new(PodSpec { priority, ..PodSpec::default() }), ..Pod::default() }
}

/// Returns a pod with this nominated node. The pod is gated, so that it does not take the node.
fn nominated(name: &str, priority: i32, node: &str) -> Pod {
    let spec = PodSpec { priority, scheduling_gates: vec!["gate".into()], ..PodSpec::default() };
    Pod { nominated_node_name: node.into(), spec: Arc::new(spec), ..pod(name, priority) }
}

const FULL: &str = "0/1 nodes are available: 1 Too many pods, with those nominated.";

#[test]
fn pods_of_lower_or_equal_priority_yield_to_nominated_pods() {
    for (priority, expected) in [(4, FULL), (5, FULL), (6, "p on n")] {
        let mut bench = Bench::with(&[("n", 1)], &[0]);
        assert_eq!(bench.set(nominated("other", 5, "n")), [""; 0]);
        assert_eq!(bench.set(pod("p", priority)), [expected], "priority {priority}");
    }
}

#[test]
fn a_nominated_node_is_free_when_the_nomination_ends() {
    let elsewhere = Event::PodSet(Arc::new(nominated("other", 5, "elsewhere")));
    let assigned = Event::PodSet(Arc::new(Pod { node_name: "elsewhere".into(), ..nominated("other", 5, "n") }));
    for event in [Event::PodRemoved(key("other")), elsewhere, assigned] {
        let mut bench = Bench::with(&[("n", 1)], &[0]);
        bench.set(nominated("other", 5, "n"));
        assert_eq!(bench.set(pod("p", 5)), [FULL]);
        assert_eq!(bench.step(event.clone()), ["p on n"], "{event:?}");
    }
}

/// The nomination ends when the node is chosen for the pod. If the pod is then rejected in the same cycle, the node
/// is free for others.
#[test]
fn a_nominated_pod_rejected_at_reserve_wakes_pods_that_yielded_to_it() {
    let mut bench = Bench::with(&[("n", 1)], &[0]);
    bench.set(nominated("other", 5, "n"));
    assert_eq!(bench.set(pod("p", 5)), [FULL]);
    let ungated = Pod { nominated_node_name: "n".into(), ..pod("other", 5) };
    let reported = bench.set(ungated);
    assert!(reported.contains(&"p on n".to_owned()), "{reported:?}");
}

#[test]
fn a_pod_has_to_fit_with_and_without_the_nominated_pods() {
    let mut bench = Bench::with(&[("n", 2)], &[0, 1]);
    bench.set(nominated("other", 5, "n"));
    assert_eq!(bench.set(pod("p", 5)), ["0/1 nodes are available: 1 lonely."], "the other one is not there yet");
}

#[test]
fn a_pod_gets_its_nominated_node_if_it_fits() {
    for at in 0..8 {
        let nodes = [("a", 1), ("b", 1), ("c", 1), ("d", 1)];
        let mut bench = Bench::with(&nodes, &[0]);
        let (name, _) = nodes[at % nodes.len()];
        let nominated = Pod { nominated_node_name: name.into(), ..pod("p", 0) };
        assert_eq!(bench.set(nominated), [format!("p on {name}")]);
        assert_eq!(bench.plugins.asked, [[at as u32 % 4]], "no other was looked at");
    }
    let mut bench = Bench::with(&[("full", 0), ("free", 1)], &[0]);
    assert_eq!(bench.set(Pod { nominated_node_name: "full".into(), ..pod("p", 0) }), ["p on free"]);
}

/// As in kube-scheduler, the nomination is cleared if no post-filter is asked.
#[test]
fn a_nomination_ends_with_an_attempt_that_fails_but_for_a_post_filter() {
    const NO_NODES: &str = "no nodes available to schedule pods";
    const FULL: &str = "0/1 nodes are available: 1 Too many pods.";
    const CLEARED: &[&str] = &["p nominated to \"\""];
    let full: &[(&str, i64)] = &[("n", 0)];
    for (name, nodes, filters, post_filters, why, nominated) in [
        ("no nodes", &[][..], &[0], &[4][..], NO_NODES, CLEARED),
        ("no post-filter", full, &[0], &[], FULL, CLEARED),
        ("a filter fails", full, &[3], &[4], "plugin P3: trapped", CLEARED),
        ("a post-filter preempts nothing", full, &[0], &[4], FULL, &[]),
        ("a post-filter fails", full, &[0], &[3], "plugin P3: trapped", &[]),
    ] {
        let mut bench = Bench::with(nodes, filters);
        bench.swap(filters, post_filters, None);
        let described = bench.set(Pod { nominated_node_name: "n".into(), ..pod("p", 0) });
        // The end of the nomination helps pods of up to its priority, and so the pod itself: it is tried again, once.
        let again = if nominated.is_empty() || why.starts_with("plugin") { &[][..] } else { &[why] };
        assert_eq!(described, [nominated, &[why], again].concat(), "{name}");
        assert_eq!(bench.core.nominations().is_empty(), !nominated.is_empty(), "{name}");
    }
}

#[test]
fn a_post_filter_that_names_an_unknown_node_or_pod_fails() {
    for (post_filter, why) in [
        (6, "plugin P6: post-filter nominated node 7, which does not exist"),
        (7, "plugin P7: post-filter evicts pod 7, which does not exist"),
    ] {
        let mut bench = Bench::with(&[("n", 0)], &[0]);
        bench.swap(&[0], &[post_filter], None);
        assert_eq!(bench.set(pod("p", 0)), [why]);
    }
}

/// Preemption helps on a node that is full, and not on a node that is too small.
#[test]
fn a_node_helps_if_the_pod_would_fit_there_alone() {
    for (room, tried_again) in [(0, 0), (1, 1)] {
        let mut bench = Bench::with(&[("n", 0)], &[0]);
        bench.set(pod("p", 0));
        let resident = |name| Event::PodSet(Arc::new(Pod { node_name: "m".into(), ..pod(name, 0) }));
        bench.step(resident("there"));
        let allocatable = Resources { pods: room, ..Resources::default() };
        let node = Node { name: "m".into(), uid: "m".into(), allocatable, ..Node::default() };
        let reported = bench.step(Event::NodeSet(Arc::new(node)));
        assert_eq!(reported.len(), tried_again, "space for {room} pods: {reported:?}");
    }
}

#[test]
fn a_profile_may_sample_nodes_and_continues_where_it_stopped() {
    let names = (0..300).map(|number| (number.to_string(), 9));
    let mut bench = Bench::new(names, &[0], Some(50));
    for name in ["p", "q", "r"] {
        bench.set(pod(name, 0));
    }
    // Cached results are not asked for again: the third pod uses those of the first pod.
    let asked: Vec<(u32, usize)> = bench.plugins.asked.iter().map(|nodes| (nodes[0], nodes.len())).collect();
    assert_eq!(asked[..2], [(0, 150), (150, 150)]);
    assert!(asked[2..].iter().all(|(_, nodes)| *nodes <= 2), "{asked:?}");
}
