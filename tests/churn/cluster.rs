//! A cluster of constant size in which every node, pod and object is replaced, one after the other.

use std::collections::VecDeque;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use berth_core::Options;
use berth_core::model::Pod;
use berth_tests::engine::{Attempt, DefaultEngine, Setup};
use berth_tests::unlike::{node, objects, pod};
use fastrand::Rng;
use serde_json::Value;

use crate::memory::{MemoryUse, Most};
use crate::{HEAP, status};

/// The number of nodes at any time.
const NODES: usize = 150;

/// The maximum number of running pods.
const PODS: usize = 900;

/// The number of created pods after which the oldest node is deleted and a new node is added.
const NODE_EVERY: usize = 10;
/// The number of created pods after which the oldest object of each kind is deleted and a new object is added.
const OBJECT_EVERY: usize = 3;

/// The size of the result cache in bytes. The size is small, so that the cache fills up in a short run.
const KEPT_ANSWERS: usize = 8 << 20;

/// The number of changes that the cache's change log holds.
const LOG: usize = 65_536;

/// The number of objects of each kind at any time.
const OBJECTS: usize = 50;

/// Nodes, pods and objects. Each has a unique number.
pub struct Cluster {
    engine: DefaultEngine,
    seed: u64,
    chance: Rng,
    nodes: VecDeque<Value>,
    objects: VecDeque<Value>,
    running: VecDeque<Arc<Pod>>,
    made: usize,
}

impl Cluster {
    /// Starts the cluster with all its nodes and objects, and without pods.
    ///
    /// # Errors
    /// Returns an error if the components can't be loaded.
    pub fn start(seed: u64) -> Result<Self> {
        let mut chance = Rng::with_seed(seed);
        let nodes: VecDeque<Value> = (0..NODES).map(|number| node(number, &mut chance)).collect();
        let objects: VecDeque<Value> = (0..OBJECTS).flat_map(|number| objects(number, &mut chance)).collect();
        let further: Vec<Value> = objects.iter().cloned().collect();
        let engine = DefaultEngine::start(
            nodes.iter().cloned(),
            &further,
            Setup {
                result_cache_bytes: Some(KEPT_ANSWERS),
                verify_every: Options::default().verify_every,
                ..Setup::default()
            },
        )?;
        Ok(Self { engine, seed, chance, nodes, objects, running: VecDeque::new(), made: NODES })
    }

    /// Returns the number of pods created so far.
    pub fn pods(&self) -> usize {
        self.made - NODES
    }

    /// Returns the maximum number of nodes and pods that exist at one time.
    pub fn most(&self) -> Most {
        Most { nodes: NODES, pods: PODS + 1, log: LOG }
    }

    /// Creates a pod and places it, or removes it again if no node fits. Before that, removes the oldest pod if the
    /// maximum number of pods runs. Also exchanges a node every `NODE_EVERY` pods, and objects every `OBJECT_EVERY`
    /// pods.
    ///
    /// # Errors
    /// Returns an error if a cycle ends without a result.
    pub fn change(&mut self) -> Result<()> {
        self.made += 1;
        if self.made.is_multiple_of(NODE_EVERY) {
            self.exchange_node()?;
        }
        if self.made.is_multiple_of(OBJECT_EVERY) {
            self.exchange_objects()?;
        }
        if self.running.len() >= PODS {
            let oldest = self.running.pop_front().context("pods run")?;
            self.engine.remove(&oldest);
        }
        let pod = DefaultEngine::read(&pod(self.made, self.made, self.seed))?;
        self.engine.enqueue(Arc::clone(&pod));
        match self.engine.attempt()? {
            Attempt::Scheduled(_, node) => {
                self.engine.bind(&pod, &node);
                self.running.push_back(pod);
            }
            Attempt::Failed { .. } => self.engine.remove(&pod),
        }
        self.engine.take_deliveries();
        Ok(())
    }

    /// Removes the oldest node with its pods, and adds a new node.
    fn exchange_node(&mut self) -> Result<()> {
        let gone = self.nodes.pop_front().context("nodes are there")?;
        let name = gone["metadata"]["name"].as_str().unwrap_or_default();
        let on = |engine: &DefaultEngine, pod: &Arc<Pod>| {
            engine.cached_pod(&pod.key).is_none_or(|found| *found.node_name == *name)
        };
        let (gone_pods, stay): (Vec<_>, Vec<_>) = self.running.drain(..).partition(|pod| on(&self.engine, pod));
        self.running = stay.into();
        gone_pods.iter().for_each(|pod| self.engine.remove(pod));
        self.engine.remove_object(&gone)?;
        let new = node(self.made, &mut self.chance);
        self.engine.set_object(&new)?;
        self.nodes.push_back(new);
        Ok(())
    }

    fn exchange_objects(&mut self) -> Result<()> {
        for new in objects(self.made, &mut self.chance) {
            let gone = self.objects.pop_front().context("objects are there")?;
            self.engine.remove_object(&gone)?;
            self.engine.set_object(&new)?;
            self.objects.push_back(new);
        }
        Ok(())
    }

    /// Returns what the process and the core hold now.
    ///
    /// # Errors
    /// Returns an error if a pod is still waiting to be scheduled.
    pub fn memory(&self) -> Result<MemoryUse> {
        let core = self.engine.core();
        if core.has_work() {
            bail!("a pod waits to be tried, though every pod was");
        }
        let cache = core.cache();
        Ok(MemoryUse {
            heap: HEAP.current_usage() as u64,
            resident: status("VmRSS")?,
            components: self.engine.memory().all,
            nodes: cache.node_count(),
            node_ids: cache.node_id_end(),
            pods: cache.pods().count(),
            pod_ids: cache.pod_id_end(),
            queued: core.queue().pods().count(),
            in_flight: core.in_flight(),
        })
    }
}
