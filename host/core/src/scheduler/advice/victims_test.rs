//! Tests of pods that await their victims. Each node has two places, and a pod takes one or both of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::cache::{NodeId, PodId};
use crate::extenders::NoExtenders;
use crate::facts::{NodeFacts, PodFacts};
use crate::model::{Node, Pod, PodKey, PodSpec, Resources};
use crate::plugins::{
    AskBack, Code, Cycle, Declaration, ExtensionPoints, PluginError, PluginId, Plugins, PostFilterResult, Scope,
    Status, Verdicts,
};
use crate::profile::{Profile, ProfilePlugin};
use crate::scheduler::scripted::{evict_lower, is_lower};
use crate::{Action, Core, Event, Options, Timestamp};

/// Each millicore of a node is a place. The post-filter evicts all pods of lower priority from the first node where
/// this helps, unless pods of lower priority are leaving the nominated node already.
struct Places;

impl Plugins for Places {
    fn filter(&mut self, _: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let outcomes = vec![Status { code: Code::Unschedulable, reasons: vec!["full".into()] }];
        let wanted = cycle.pod.requests.effective.milli_cpu;
        let is_full = |node: &NodeId| {
            let info = cycle.cache.node(*node);
            info.is_some_and(|info| info.usage.requested.milli_cpu + wanted > info.node.allocatable.milli_cpu)
        };
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
        let plan = match leaving.iter().any(|pod| is_lower(cycle, *pod)) {
            true => None,
            false => evict_lower(self, cycle, nodes, ask)?,
        };
        let none = PostFilterResult::default();
        Ok(plan.map_or(none, PostFilterResult::Nominate))
    }
}

struct Bench {
    core: Core,
    now: Timestamp,
    /// The number of failed attempts of each pod.
    in_vain: BTreeMap<Box<str>, usize>,
    /// The victims.
    evicted: Vec<PodKey>,
    /// The bound pods with their nodes.
    bound: Vec<String>,
}

impl Bench {
    /// Creates a bench with nodes `a`, `b`, …, each with two pods of priority 1: `a0`, `a1`, …
    fn new(nodes: usize) -> Self {
        let (core, now) = (Core::new(Options::default()), Timestamp(1_000_000));
        let (in_vain, evicted, bound) = Default::default();
        let mut bench = Self { core, now, in_vain, evicted, bound };
        let declaration = Arc::new(Declaration {
            pod: PodFacts::REQUESTS.into(),
            node: (NodeFacts::USAGE | NodeFacts::ALLOCATABLE).into(),
            filter_scope: Scope::Node,
            points: ExtensionPoints::FILTER,
            ..Declaration::default()
        });
        let plugin = |id| ProfilePlugin {
            id: PluginId(id),
            declaration: Arc::clone(&declaration),
            failure_policy: Default::default(),
        };
        let profile = Profile { filter: vec![plugin(0)], post_filter: vec![plugin(1)], ..Profile::default() };
        bench.step(Event::PluginsSwapped(vec![profile]));
        for name in ["a", "b", "c", "d"].into_iter().take(nodes) {
            bench.node(name, 2);
            for number in 0..2 {
                bench.set(on(name, pod(&format!("{name}{number}"), 1, 1)));
            }
        }
        bench
    }

    fn step(&mut self, event: Event) {
        let mut actions = self.core.step(event, self.now, &mut Places, &mut NoExtenders);
        while self.core.has_work() {
            actions.extend(self.core.step(Event::Cycle, self.now, &mut Places, &mut NoExtenders));
        }
        for action in actions {
            match action {
                Action::Bind { pod, node } => self.bound.push(format!("{} to {node}", pod.name)),
                Action::Evict { pod, .. } => self.evicted.push(pod),
                Action::Emit(event) if event.reason == "FailedScheduling" => {
                    *self.in_vain.entry(event.pod.name).or_default() += 1;
                }
                _ => {}
            }
        }
    }

    fn node(&mut self, name: &str, milli_cpu: i64) {
        let allocatable = Resources { milli_cpu, ..Resources::default() };
        self.step(Event::NodeSet(Arc::new(Node {
            name: name.into(),
            uid: name.into(),
            allocatable,
            ..Node::default()
        })));
    }

    fn set(&mut self, pod: Pod) {
        self.step(Event::PodSet(Arc::new(pod)));
    }

    /// Reports that all victims are being deleted.
    fn all_leave(&mut self) {
        for key in std::mem::take(&mut self.evicted) {
            self.leaves(&key.name);
        }
    }

    fn leaves(&mut self, name: &str) {
        let known = self.core.cache().pod_by_uid(name).expect("it is there").pod.clone();
        self.set(Pod { deleting: true, preempted: true, ..Pod::clone(&known) });
    }

    /// Reports that the pod is gone. The time advances by 60 seconds, so that all backoffs end.
    fn gone(&mut self, name: &str) {
        self.now = self.now.after(Duration::from_secs(60));
        self.step(Event::PodRemoved(pod(name, 0, 0).key));
    }

    fn tried_in_vain(&self, name: &str) -> usize {
        self.in_vain.get(name).copied().unwrap_or_default()
    }
}

fn pod(name: &str, priority: i32, places: i64) -> Pod {
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    let mut pod = Pod { key, spec: Arc::new(PodSpec { priority, ..PodSpec::default() }), ..Pod::default() };
    Arc::make_mut(&mut pod.requests).effective.milli_cpu = places;
    pod
}

fn on(node: &str, pod: Pod) -> Pod {
    Pod { node_name: node.into(), ..pod }
}

#[test]
fn each_pod_has_two_attempts_in_any_order_of_deletions() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bench = Bench::new(4);
        for name in ["p", "q", "r", "s"] {
            bench.set(pod(name, 9, 2));
        }
        let (mut stay, mut leave) = (std::mem::take(&mut bench.evicted), Vec::new());
        assert_eq!(stay.len(), 8, "two for each");
        while !(stay.is_empty() && leave.is_empty()) {
            if rng.bool() && !stay.is_empty() {
                let victim = stay.swap_remove(rng.usize(..stay.len()));
                bench.leaves(&victim.name);
                leave.push(victim);
            } else if !leave.is_empty() {
                let victim = leave.swap_remove(rng.usize(..leave.len()));
                bench.gone(&victim.name);
            }
        }
        assert_eq!(bench.bound.len(), 4, "seed {seed}");
        let once: BTreeMap<Box<str>, usize> = ["p", "q", "r", "s"].map(|name| (name.into(), 1)).into();
        assert_eq!(bench.in_vain, once, "seed {seed}: {:?}", bench.bound);
    }
}

#[test]
fn a_pod_whose_victims_never_end_takes_space_of_other_pods() {
    for (gone, node) in [("more", "a"), ("b0", "b")] {
        let mut bench = Bench::new(1);
        bench.node("b", 2);
        for (name, node, places) in [("b0", "b", 1), ("b1", "b", 1), ("more", "a", 1)] {
            bench.set(on(node, pod(name, 99, places)));
        }
        bench.node("a", 3);
        bench.set(pod("p", 9, 2));
        bench.all_leave();
        assert_eq!(bench.core.nominations().node_of("p"), Some("a"));
        // The freed place is not enough yet, on node a or on node b.
        bench.gone(if gone == "more" { "a0" } else { "b1" });
        assert_eq!((bench.tried_in_vain("p"), bench.bound.len()), (1, 0), "{gone}");
        bench.gone(gone);
        assert_eq!((bench.tried_in_vain("p"), &*bench.bound), (1, &[format!("p to {node}")][..]));
    }
}

#[test]
fn space_for_nominated_pods_does_not_help_other_pods() {
    let mut bench = Bench::new(2);
    bench.set(pod("p", 9, 2));
    bench.set(pod("q", 9, 1));
    bench.all_leave();
    assert_eq!(bench.core.nominations().node_of("q"), Some("b"));
    bench.gone("b0");
    assert_eq!(bench.bound, ["q to b"], "no preemption was needed on this node");
    bench.gone("b1");
    assert_eq!((bench.in_vain.values().sum::<usize>(), bench.bound.len()), (2, 1), "one place is not enough");
    bench.gone("a0");
    bench.gone("a1");
    assert_eq!(bench.bound, ["q to b", "p to a"]);
    assert_eq!(bench.in_vain.values().sum::<usize>(), 2);
}

#[test]
fn a_pod_that_loses_its_node_preempts_elsewhere() {
    let lose: [fn(&mut Bench); 3] = [
        |bench| bench.step(Event::NodeRemoved("a".into())),
        |bench| bench.node("a", 1),
        |bench| bench.set(pod("p", 9, 2)),
    ];
    for (which, lose) in lose.into_iter().enumerate() {
        let mut bench = Bench::new(2);
        for name in ["b2", "b3"] {
            bench.set(on("b", pod(name, 99, 1)));
        }
        bench.set(pod("p", 9, 2));
        bench.all_leave();
        // The pod's status names node a, so that a later version of the pod without the name clears the nomination.
        bench.set(Pod { nominated_node_name: "a".into(), ..pod("p", 9, 2) });
        bench.gone("b0");
        assert_eq!((bench.tried_in_vain("p"), bench.bound.len()), (1, 0), "{which}");
        lose(&mut bench);
        bench.gone("b1");
        assert!(bench.tried_in_vain("p") > 1, "{which}: what happens elsewhere may help now");
    }
}
