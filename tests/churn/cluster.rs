//! A cluster of constant size of which everything is exchanged, one after the other.

use std::collections::VecDeque;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use berth_core::Options;
use berth_core::model::Pod;
use berth_tests::engine::{Attempt, Engine, Setup};
use berth_tests::unlike::{node, objects, pod};
use fastrand::Rng;
use serde_json::Value;

use crate::held::{Held, Most};
use crate::{HEAP, status};

/// Nodes at any time.
const NODES: usize = 150;

/// Pods that run at most.
const PODS: usize = 900;

/// One of so many pods comes with an exchange of a node, or of an object.
const NODE_EVERY: usize = 10;
const OBJECT_EVERY: usize = 3;

/// Bytes of kept answers: few, so that they reach their bound in a short run.
const KEPT_ANSWERS: usize = 8 << 20;

/// Changes that the cache's log holds.
const LOG: usize = 65_536;

/// Objects of each kind at any time.
const OBJECTS: usize = 50;

/// Nodes, pods and objects, each with a number of its own.
pub struct Cluster {
    engine: Engine,
    seed: u64,
    chance: Rng,
    nodes: VecDeque<Value>,
    objects: VecDeque<Value>,
    running: VecDeque<Arc<Pod>>,
    made: usize,
}

impl Cluster {
    /// With all its nodes, and no pods.
    ///
    /// # Errors
    /// The components can't be had.
    pub fn start(seed: u64) -> Result<Self> {
        let mut chance = Rng::with_seed(seed);
        let nodes: VecDeque<Value> = (0..NODES).map(|number| node(number, &mut chance)).collect();
        let objects: VecDeque<Value> = (0..OBJECTS).flat_map(|number| objects(number, &mut chance)).collect();
        let further: Vec<Value> = objects.iter().cloned().collect();
        let engine = Engine::start(
            nodes.iter().cloned(),
            &further,
            Setup {
                kept_answers_bytes: Some(KEPT_ANSWERS),
                verify_every: Options::default().verify_every,
                ..Setup::default()
            },
        )?;
        Ok(Self { engine, seed, chance, nodes, objects, running: VecDeque::new(), made: NODES })
    }

    /// Pods that came so far.
    pub fn pods(&self) -> usize {
        self.made - NODES
    }

    /// The most that there is at one time.
    pub fn most(&self) -> Most {
        Most { nodes: NODES, pods: PODS + 1, log: LOG }
    }

    /// A pod comes and is placed, or goes again where it fits nowhere; what there was longest goes.
    ///
    /// # Errors
    /// A cycle ends without an answer.
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
        let pod = Engine::read(&pod(self.made, self.made, self.seed))?;
        self.engine.enqueue(Arc::clone(&pod));
        match self.engine.attempt()? {
            Attempt::Placed(_, node) => {
                self.engine.bind(&pod, &node);
                self.running.push_back(pod);
            }
            Attempt::Failed { .. } => self.engine.remove(&pod),
        }
        self.engine.take_deliveries();
        Ok(())
    }

    /// The oldest node goes, with its pods, and another one comes.
    fn exchange_node(&mut self) -> Result<()> {
        let gone = self.nodes.pop_front().context("nodes are there")?;
        let name = gone["metadata"]["name"].as_str().unwrap_or_default();
        let on =
            |engine: &Engine, pod: &Arc<Pod>| engine.resident(&pod.key).is_none_or(|found| *found.node_name == *name);
        let (gone_pods, stay): (Vec<_>, Vec<_>) = self.running.drain(..).partition(|pod| on(&self.engine, pod));
        self.running = stay.into();
        gone_pods.iter().for_each(|pod| self.engine.remove(pod));
        self.engine.forget(&gone)?;
        let new = node(self.made, &mut self.chance);
        self.engine.tell(&new)?;
        self.nodes.push_back(new);
        Ok(())
    }

    fn exchange_objects(&mut self) -> Result<()> {
        for new in objects(self.made, &mut self.chance) {
            let gone = self.objects.pop_front().context("objects are there")?;
            self.engine.forget(&gone)?;
            self.engine.tell(&new)?;
            self.objects.push_back(new);
        }
        Ok(())
    }

    /// What is held now.
    ///
    /// # Errors
    /// A cycle is under way.
    pub fn held(&self) -> Result<Held> {
        let core = self.engine.core();
        if core.has_work() {
            bail!("a pod waits to be tried, though every pod was");
        }
        let cache = core.cache();
        Ok(Held {
            heap: HEAP.current_usage() as u64,
            resident: status("VmRSS")?,
            components: self.engine.held().all,
            nodes: cache.node_count(),
            node_ids: cache.node_id_end(),
            pods: cache.pods().count(),
            pod_ids: cache.pod_id_end(),
            queued: core.queue().pods().count(),
            in_flight: core.in_flight(),
        })
    }
}
