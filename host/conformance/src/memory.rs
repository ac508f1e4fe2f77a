//! Examines whether a plugin's memory stops growing. Each round adds and removes the same nodes, pods and pod
//! signatures. A plugin that frees forgotten objects stops growing after some rounds.

use std::sync::Arc;

use berth_core::cache::{Cache, NodeId};
use berth_core::model::{Node, Pod};
use berth_core::plugins::PodSignatureId;

use super::bench::{About, Bench, Broken};
use super::finding::Violation;
use super::maker::Maker;
use super::promise::Promise;
use super::question::Question;
use berth_plugin_host::Export;
use berth_plugin_host::examine::Resident;

const NODES: usize = 32;
const PODS_PER_NODE: usize = 2;
const PENDING_PODS: usize = 16;
/// The number of pod signatures per round, each held and forgotten.
const SIGNATURES: usize = 64;
/// The number of pod signatures per round for which the plugin is called.
const ASKED: usize = 4;
/// The capacity of the change log. It is small, so that ids are reused in the next round.
const LOG: usize = 128;
/// The number of rounds after which the memory can first count as stable.
const FIRST: usize = 4;
/// The required number of consecutive rounds without growth. It is smaller for larger plugins.
const REST: std::ops::RangeInclusive<usize> = 16..=128;
/// The memory size in bytes up to which the longest rest is required. Large plugins are interpreters, whose rounds
/// take several times as long. A limit by size, unlike one by time, is the same on every machine.
const SMALL: usize = 1 << 20;
/// The largest number of rounds, as a multiple of the required number of rounds without growth.
const PATIENCE: usize = 8;

/// The result of the memory examination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// The memory of the instance after the last round, in bytes.
    pub bytes: usize,
    /// The number of rounds that were run.
    pub rounds: usize,
    /// The required number of consecutive rounds without growth. If the memory stopped growing, these are the last
    /// rounds; otherwise, there is a finding.
    pub rest: usize,
}

/// Runs rounds until the memory stops growing. Records a finding if the memory still grows after the largest number of
/// rounds.
pub(super) fn check(bench: &mut Bench<'_>, seed: u64) -> Result<MemoryUse, Broken> {
    let mut turnover = Turnover::new(Maker::new(bench.words(), seed), bench.declaration.pending_pods.is_some());
    let mut resident = bench.fill(&turnover.cache)?;
    let from = resident.memory();
    let rest = (*REST.end() * SMALL / from.max(1)).clamp(*REST.start(), *REST.end());
    let (mut rested, mut round) = (0, 0);
    loop {
        round += 1;
        let memory = resident.memory();
        turnover.round(bench, &mut resident)?;
        rested = if resident.memory() > memory { 0 } else { rested + 1 };
        let used = MemoryUse { bytes: resident.memory(), rounds: round, rest };
        if round > FIRST && rested >= rest {
            return Ok(used);
        }
        if round >= PATIENCE * rest {
            let violation = Violation::Grows { from, to: used.bytes, rounds: round, rest };
            bench.record(Promise::Memory, Export::Apply, About::default(), violation);
            return Ok(used);
        }
    }
}

/// A cluster whose nodes, pods and pending pods are all replaced once per round.
struct Turnover {
    cache: Cache,
    /// Two versions of each node, equal except for the uid.
    nodes: Vec<[Arc<Node>; 2]>,
    /// For each place on a node, the pod of even rounds and the pod of odd rounds. The pods at index `i` are on the
    /// node at index `i % NODES`.
    pods: Vec<[Arc<Pod>; 2]>,
    /// The pending pods of even rounds and of odd rounds; none if the plugin does not read pending pods.
    pending: Vec<[Arc<Pod>; 2]>,
    asked: Vec<Arc<Pod>>,
    signatures: u32,
    rounds: usize,
}

impl Turnover {
    fn new(mut maker: Maker, has_pending_pods: bool) -> Self {
        let nodes: Vec<[Arc<Node>; 2]> =
            (0..NODES).map(|number| twice(maker.node(&format!("node-{number}")))).collect();
        let pods = (0..NODES * PODS_PER_NODE).map(|number| {
            let node_name = nodes[number % NODES][0].name.clone();
            let pod = |maker: &mut Maker| Arc::new(Pod { node_name: node_name.clone(), ..maker.pod() });
            [pod(&mut maker), pod(&mut maker)]
        });
        let pods = pods.collect();
        let pending_pods = if has_pending_pods { PENDING_PODS } else { 0 };
        let pending = (0..pending_pods).map(|_| [(); 2].map(|()| Arc::new(maker.pod()))).collect();
        let mut cache = Cache::with_log_of(LOG);
        cache.keep_pending_pods(has_pending_pods, Vec::new);
        let asked = (0..SIGNATURES).map(|_| Arc::new(maker.pod())).collect();
        Self { cache, nodes, pods, pending, asked, signatures: 0, rounds: 0 }
    }

    fn round(&mut self, bench: &mut Bench<'_>, resident: &mut Resident) -> Result<(), Broken> {
        let (now, before) = (self.rounds % 2, (self.rounds + 1) % 2);
        for at in 0..NODES {
            for pods in self.pods.iter().skip(at).step_by(NODES) {
                self.cache.remove_pod(&pods[before].key.uid);
            }
            self.cache.remove_node(&self.nodes[at][before].name);
            bench.catch_up(resident, &self.cache)?;
            self.cache.set_node(Arc::clone(&self.nodes[at][now]));
            for pods in self.pods.iter().skip(at).step_by(NODES) {
                self.cache.set_pod(Arc::clone(&pods[now]));
            }
            bench.catch_up(resident, &self.cache)?;
        }
        for pods in &self.pending {
            self.cache.remove_pending_pod(&pods[before].key.uid);
            self.cache.set_pending_pod(&pods[now]);
        }
        bench.catch_up(resident, &self.cache)?;
        drop(self.cache.take_events());
        bench.deltas += NODES * (2 + 2 * PODS_PER_NODE) + 2 * self.pending.len();
        self.rounds += 1;
        self.ask(bench, resident)
    }

    fn ask(&mut self, bench: &mut Bench<'_>, resident: &mut Resident) -> Result<(), Broken> {
        let nodes: Vec<NodeId> = self.cache.nodes().map(|info| info.id).collect();
        let first = self.signatures;
        for (number, pod) in self.asked.iter().enumerate() {
            let signature = PodSignatureId(self.signatures);
            self.signatures = self.signatures.wrapping_add(1);
            let question = Question { pod: Arc::clone(pod), signature, cycle: bench.cycles + 1 };
            if number % (SIGNATURES / ASKED) == 0 {
                bench.ask(resident, &question, &self.cache, &nodes)?;
            } else {
                bench.hold(resident, &question)?;
            }
        }
        let signatures: Vec<PodSignatureId> = (first..self.signatures).map(PodSignatureId).collect();
        resident.forget(&signatures);
        Ok(())
    }
}

fn twice(node: Node) -> [Arc<Node>; 2] {
    let other = Node { uid: format!("{}-2", node.uid).into(), ..node.clone() };
    [Arc::new(node), Arc::new(other)]
}
