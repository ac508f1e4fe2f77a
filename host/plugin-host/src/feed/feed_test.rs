//! Tests that an instance that received every change has the same state as one that received everything at once.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::facts::{ClusterFacts, NodeFacts, PodFacts};
use berth_core::model::{
    Effect, HostPort, Node, NodeImage, Pod, PodKey, PodRequests, PodSpec, Protocol, Resources, Taint,
};

use super::{Feeder, Reads};
use crate::bindings::v0_2::exports::berth::scheduler::snapshot::Change;

/// The state of a plugin, as text: facts and usage by node, images, pods.
#[derive(Debug, Default, PartialEq, Eq)]
struct Mirror {
    nodes: BTreeMap<u32, BTreeMap<&'static str, String>>,
    usage: BTreeMap<u32, [i64; 6]>,
    scalars: BTreeMap<(u32, String), i64>,
    images: BTreeMap<u32, String>,
    pods: BTreeMap<u32, String>,
    pending: BTreeMap<u32, String>,
    count: Option<u32>,
}

impl Mirror {
    fn apply(&mut self, changes: &[Change<'_>]) {
        for change in changes {
            match change {
                Change::Node(node) => {
                    let known = self.nodes.entry(node.id).or_default();
                    let facts = [
                        ("name", node.name.map(|fact| format!("{fact} {:?}", node.uid))),
                        ("labels", node.labels.map(|fact| format!("{fact:?}"))),
                        ("annotations", node.annotations.map(|fact| format!("{fact:?}"))),
                        ("taints", node.taints.map(|fact| format!("{fact:?}"))),
                        ("unschedulable", node.unschedulable.map(|fact| format!("{fact:?}"))),
                        ("allocatable", node.allocatable.as_ref().map(|fact| format!("{fact:?}"))),
                        ("images", node.images.map(|fact| format!("{fact:?}"))),
                        ("ports", node.used_ports.map(|fact| format!("{fact:?}"))),
                    ];
                    known.extend(facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))));
                }
                Change::NodeRemoved(id) => {
                    assert!(self.nodes.remove(id).is_some(), "node {id} was never there");
                    self.usage.remove(id);
                    self.scalars.retain(|(node, _), _| node != id);
                }
                Change::Usage(usage) => {
                    for (row, id) in usage.nodes.iter().enumerate() {
                        assert!(
                            self.nodes.contains_key(id)
                                || changes.iter().any(|c| matches!(c, Change::Node(n) if n.id == *id))
                        );
                        let columns = [
                            usage.milli_cpu,
                            usage.memory,
                            usage.ephemeral_storage,
                            usage.pods,
                            usage.non_zero_milli_cpu,
                            usage.non_zero_memory,
                        ];
                        self.usage.insert(*id, columns.map(|column| column[row]));
                    }
                    for scalar in usage.scalars {
                        self.scalars.insert((scalar.node, scalar.name.to_owned()), scalar.quantity);
                    }
                }
                Change::Image(image) => drop(self.images.insert(image.id, format!("{image:?}"))),
                Change::ImageRemoved(id) => drop(self.images.remove(id)),
                Change::ResidentPod(pod) => drop(self.pods.insert(pod.id, format!("{pod:?}"))),
                Change::ResidentPodRemoved(id) => drop(self.pods.remove(id)),
                Change::PendingPod(pod) => drop(self.pending.insert(pod.id, format!("{pod:?}"))),
                Change::PendingPodRemoved(id) => drop(self.pending.remove(id)),
                Change::NodeCount(count) => self.count = Some(*count),
            }
        }
    }
}

/// A cluster with random changes, determined by a seed.
struct Happenings {
    cache: Cache,
    random: fastrand::Rng,
}

impl Happenings {
    fn step(&mut self) {
        let name = format!("node-{}", self.random.u8(..6));
        let pod = format!("pod-{}", self.random.u8(..12));
        let pending = format!("pending-{}", self.random.u8(..4));
        match self.random.u8(..12) {
            0 => self.cache.remove_node(&name),
            1..4 => {
                let node = self.node(&name);
                self.cache.set_node(Arc::new(node));
            }
            4 | 5 => self.cache.remove_pod(&pod),
            6 => self.cache.forget(&pod),
            10 => self.cache.remove_pending_pod(&pending),
            11 => {
                let pod = self.pod(&pending, "");
                self.cache.set_pending_pod(&Arc::new(pod));
            }
            7 => {
                let pod = self.pod(&pod, &name);
                self.cache.assume(Arc::new(pod));
            }
            _ => {
                let pod = self.pod(&pod, &name);
                self.cache.set_pod(Arc::new(pod));
            }
        }
    }

    fn node(&mut self, name: &str) -> Node {
        let taint = Taint { key: "key".into(), value: "".into(), effect: Effect::NoSchedule };
        let image = |number: u8| NodeImage { names: vec![format!("image-{number}").into()], size: 7 };
        Node {
            name: name.into(),
            uid: format!("{name}-{}", self.random.u8(..2)).into(),
            labels: [("zone", self.random.u8(..3).to_string())].into_iter().collect(),
            taints: if self.random.bool() { vec![taint] } else { Vec::new() },
            unschedulable: self.random.bool(),
            allocatable: Resources { milli_cpu: self.random.i64(..4), ..Resources::default() },
            images: (0..self.random.u8(..4)).map(image).collect(),
            ..Node::default()
        }
    }

    fn pod(&mut self, name: &str, node: &str) -> Pod {
        let mut effective = Resources { milli_cpu: self.random.i64(0..100), ..Resources::default() };
        if self.random.bool() {
            effective.set_scalar("example.com/gpu", self.random.i64(0..3));
        }
        let port = HostPort { ip: "0.0.0.0".into(), protocol: Protocol::Tcp, port: 80 };
        let host_ports = if self.random.bool() { vec![port] } else { Vec::new() };
        Pod {
            key: PodKey { namespace: "default".into(), name: name.into(), uid: name.into() },
            node_name: node.into(),
            requests: Arc::new(PodRequests { effective, ..PodRequests::default() }),
            spec: Arc::new(PodSpec { host_ports, ..PodSpec::default() }),
            ..Pod::default()
        }
    }
}

fn everything() -> Reads {
    let reads = reads(NodeFacts::all(), PodFacts::all(), ClusterFacts::all());
    Reads { pending: Some(PodFacts::all().into()), ..reads }
}

fn reads(node: NodeFacts, resident: PodFacts, cluster: ClusterFacts) -> Reads {
    Reads { node: node.into(), resident: resident.into(), pending: None, cluster }
}

#[test]
fn a_thousand_changes_result_in_the_same_state_as_a_new_fill() {
    let some_of_it = [
        everything(),
        reads(NodeFacts::USAGE, PodFacts::empty(), ClusterFacts::empty()),
        reads(NodeFacts::PODS, PodFacts::LABELS, ClusterFacts::NODE_COUNT),
        reads(NodeFacts::LABELS | NodeFacts::IMAGES, PodFacts::empty(), ClusterFacts::IMAGES),
        Reads { pending: Some(PodFacts::NAME.into()), ..reads(NodeFacts::PODS, PodFacts::UID, ClusterFacts::empty()) },
        reads(NodeFacts::empty(), PodFacts::empty(), ClusterFacts::NODE_COUNT),
    ];
    for (seed, reads) in (0..).zip(some_of_it) {
        let mut happenings = Happenings { cache: Cache::default(), random: fastrand::Rng::with_seed(seed) };
        happenings.cache.keep_pending_pods(reads.pending.is_some(), Vec::new);
        let mut feeder = Feeder::default();
        let (mut mirror, mut position) = (Mirror::default(), 0);
        for step in 0..1_000 {
            happenings.step();
            // Sometimes several changes are sent at once.
            if happenings.random.bool() {
                continue;
            }
            let caught_up = feeder.catch_up(&happenings.cache, position, &reads, |changes| {
                mirror.apply(changes);
                Ok::<_, Infallible>(())
            });
            position = caught_up.unwrap_or_else(|never| match never {}).expect("the log reaches back so far");
            let mut fresh = Mirror::default();
            let filled = feeder.fill(&happenings.cache, &reads, |changes| {
                fresh.apply(changes);
                Ok::<_, Infallible>(())
            });
            filled.unwrap_or_else(|never| match never {});
            // The feed sends the number of nodes only after a change, so the mirror may have none yet.
            mirror.count = mirror.count.or(fresh.count);
            assert_eq!(mirror, fresh, "seed {seed}, step {step}, {reads:?}");
        }
    }
}

#[test]
fn changes_of_undeclared_facts_cause_no_call() {
    let reads = reads(NodeFacts::LABELS, PodFacts::empty(), ClusterFacts::empty());
    let mut happenings = Happenings { cache: Cache::default(), random: fastrand::Rng::with_seed(1) };
    let node = happenings.node("node-0");
    happenings.cache.set_node(Arc::new(node));
    let position = happenings.cache.log().end();
    let pod = happenings.pod("pod-0", "node-0");
    happenings.cache.set_pod(Arc::new(pod));
    let called = Feeder::default().catch_up(&happenings.cache, position, &reads, |changes| Err(format!("{changes:?}")));
    assert_eq!(called, Ok(Some(happenings.cache.log().end())));
}

#[test]
fn many_nodes_are_sent_in_several_batches() {
    let mut cache = Cache::default();
    for number in 0..super::BATCH + 1 {
        cache.set_node(Arc::new(Node { name: number.to_string().into(), ..Node::default() }));
    }
    let reads = Reads { node: NodeFacts::NAME.into(), ..everything() };
    let mut sizes = Vec::new();
    let filled = Feeder::default().fill(&cache, &reads, |changes| {
        sizes.push(changes.len());
        Ok::<_, Infallible>(())
    });
    // The last batch also contains the number of nodes.
    assert_eq!((filled, sizes), (Ok(cache.log().end()), vec![super::BATCH, 2]));
}

#[test]
fn a_position_before_the_start_of_the_log_is_reported() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(Node { name: "node".into(), ..Node::default() }));
    for number in 0..70_000 {
        cache.set_node(Arc::new(Node { name: "node".into(), unschedulable: number % 2 == 0, ..Node::default() }));
    }
    let behind = Feeder::default().catch_up(&cache, 0, &everything(), |_| Ok::<_, Infallible>(()));
    assert_eq!(behind, Ok(None));
}
