//! A core with a cluster, and the actions of the cases.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::decision::DecisionOptions;
use berth_core::extenders::NoExtenders;
use berth_core::model::{
    Condition, ConditionStatus, Node, NodeImage, NodeSelectorTerm, Pod, PodKey, PodRequests, PodSpec,
    PreferredNodeTerm, Resources,
};
use berth_core::{Action, Core, Event, Options, Timestamp};

use crate::plugins::{Fakes, PROFILE, ZONES, profile};

/// The time of all steps, in milliseconds since 1970. The time does not pass, because no case depends on time.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// The limit of the decision records in bytes: so small that the log is full when the count starts.
const RECORDS: usize = 128 << 10;

/// The number of different images, in addition to the image that every node has.
const IMAGES: usize = 50;

/// A core with its cluster.
pub struct Cluster {
    core: Core,
    plugins: Fakes,
    nodes: usize,
    pods: usize,
    /// Whether steps from now on are counted.
    pub counts: bool,
}

/// Calls [`Core::step`] for a counted step. Callgrind finds this function by name, so that it must not be inlined.
#[inline(never)]
fn counted_step(core: &mut Core, event: Event, plugins: &mut Fakes) -> Vec<Action> {
    black_box(core.step(event, NOW, plugins, &mut NoExtenders))
}

impl Cluster {
    /// Creates a cluster of this many nodes, without pods. `records` says whether decisions are recorded.
    pub fn of(nodes: usize, records: bool) -> Self {
        // A comparison of cached results would look at all nodes for a single pod.
        let bytes = if records { RECORDS } else { 0 };
        let decisions = DecisionOptions { bytes, ..DecisionOptions::default() };
        let options = Options { verify_every: 0, decisions, ..Options::default() };
        let mut cluster = Self { core: Core::new(options), plugins: Fakes::default(), nodes, pods: 0, counts: false };
        (0..nodes).for_each(|at| drop(cluster.step(Event::NodeSet(Arc::new(node(at, 0))))));
        cluster.step(Event::PluginsSwapped(vec![profile()]));
        cluster
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        if self.counts {
            counted_step(&mut self.core, event, &mut self.plugins)
        } else {
            self.core.step(event, NOW, &mut self.plugins, &mut NoExtenders)
        }
    }

    /// Adds a pod of this signature, lets the core bind it, and reports the pod with its node, as the informer does.
    pub fn place(&mut self, signature: usize) -> Result<()> {
        let pod = pod(self.pods, signature);
        self.pods += 1;
        self.step(Event::PodSet(Arc::new(pod.clone())));
        let bound = |action| if let Action::Bind { node, .. } = action { Some(node) } else { None };
        let node = self.step(Event::Cycle).into_iter().find_map(bound);
        let node_name = node.with_context(|| format!("{} was not placed", pod.key))?;
        self.step(Event::Bound(pod.key.clone()));
        self.step(Event::PodSet(Arc::new(Pod { node_name, ..pod })));
        Ok(())
    }

    /// Reports a node with this release in its labels.
    pub fn set_node(&mut self, at: usize, release: usize) {
        self.step(Event::NodeSet(Arc::new(node(at % self.nodes, release))));
    }
}

/// Returns a node in one of the zones. `release` is the value of a label.
fn node(at: usize, release: usize) -> Node {
    let name = format!("node-{at}");
    let (zone, rack) = (format!("zone-{}", at % ZONES as usize), format!("rack-{}", at / 40));
    let release = format!("12.{release}");
    let labels = [
        ("kubernetes.io/hostname", &*name),
        ("kubernetes.io/arch", "amd64"),
        ("kubernetes.io/os", "linux"),
        ("node.kubernetes.io/instance-type", "m5.xlarge"),
        ("topology.kubernetes.io/region", "region-1"),
        ("topology.kubernetes.io/zone", &*zone),
        ("node.example/pool", "general"),
        ("node.example/rack", &*rack),
        ("node.example/lifecycle", "on-demand"),
        ("node.example/os-release", &*release),
    ];
    let image = |name: String, size| NodeImage { names: vec![name.into()], size };
    Node {
        uid: format!("uid-{name}").into(),
        labels: labels.into_iter().collect(),
        allocatable: resources(4000, 32 << 30, 110),
        images: vec![
            image("registry.k8s.io/pause:3.10.2".to_owned(), 700_000),
            image(format!("registry.example/app-{}:1.0", at % IMAGES), 300_000_000),
        ],
        conditions: vec![Condition { kind: "Ready".into(), status: ConditionStatus::True }],
        name: name.into(),
        ..Node::default()
    }
}

/// Returns a pending pod. Pods of one signature are equal except for their names. Pods of two signatures differ in all
/// facts that plugins read.
fn pod(number: usize, signature: usize) -> Pod {
    let name = format!("pod-{number}");
    let requests = resources(100 + signature as i64, 500 << 20, 0);
    let preferred = PreferredNodeTerm { weight: 1 + signature as i32, term: NodeSelectorTerm::default() };
    let spec =
        PodSpec { scheduler_name: PROFILE.into(), preferred_node_affinity: vec![preferred], ..PodSpec::default() };
    Pod {
        key: PodKey { namespace: "load".into(), uid: format!("uid-{name}").into(), name: name.into() },
        labels: Arc::new([("app", format!("app-{signature}"))].into_iter().collect()),
        requests: Arc::new(PodRequests { fit: requests.clone(), effective: requests, ..PodRequests::default() }),
        spec: Arc::new(spec),
        ..Pod::default()
    }
}

fn resources(milli_cpu: i64, memory: i64, pods: i64) -> Resources {
    Resources { milli_cpu, memory, pods, ..Resources::default() }
}
