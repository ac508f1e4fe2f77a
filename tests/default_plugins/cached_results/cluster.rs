//! A cluster that goes through each kind of change in [`Change`].

use std::sync::Arc;

use anyhow::{Result, ensure};
use berth_tests::engine::{Attempt, DefaultEngine, Setup};
use berth_tests::unlike;
use fastrand::Rng;
use serde_json::{Value, json};

/// The number of apps. The app of a new pod is random. Results are cached for each app.
const APPS: usize = 45;

/// The number of pods per node, initially and at most. The pods take most of the nodes' CPU, so that some new pods fit
/// on no node.
const PODS_AT_FIRST: usize = 5;
const PODS_AT_MOST: usize = 7;

/// The kind of change in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    PodComes,
    PodGoes,
    PodIsRelabelled,
    NodeComes,
    NodeGoes,
    NodeChanges,
    ObjectsAreReplaced,
    NamespaceIsRelabelled,
}

/// Counts of the new pods.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// The number of pods that were added after the start.
    pub tried: usize,
    /// The number of pods that were scheduled.
    pub scheduled: usize,
    /// The number of pods that were evicted by preemption.
    pub evicted: usize,
}

/// Nodes, pods and objects as the API server has them, and the engine that knows them.
pub struct Cluster {
    engine: DefaultEngine,
    seed: u64,
    chance: Rng,
    nodes: Vec<Value>,
    running: Vec<Value>,
    /// The objects of each app.
    objects: Vec<[Value; 4]>,
    made: usize,
}

impl Cluster {
    /// Starts a cluster with all nodes, with the objects, and with the initial pods, which run already.
    ///
    /// # Errors
    /// Returns an error if the components can't be loaded.
    pub fn start(seed: u64, nodes: usize) -> Result<Self> {
        let mut chance = Rng::with_seed(seed);
        let nodes: Vec<Value> = (0..nodes).map(|number| unlike::node(number, &mut chance)).collect();
        let objects: Vec<_> = (0..APPS).map(|app| unlike::objects(app, &mut chance)).collect();
        let mut further = objects.concat();
        further.push(unlike::namespace("a"));
        let mut running = Vec::new();
        for (number, node) in nodes.iter().cycle().take(PODS_AT_FIRST * nodes.len()).enumerate() {
            let mut pod = pod(number, chance.usize(..APPS), seed);
            pod["spec"]["nodeName"] = node["metadata"]["name"].clone();
            running.push(pod);
        }
        let all = nodes.iter().chain(&running).cloned();
        let engine = DefaultEngine::start(all, &further, Setup { verify_every: 1, ..Setup::default() })?;
        let made = running.len();
        Ok(Self { engine, seed, chance, nodes, running, objects, made })
    }

    /// Makes one random change. Returns its kind.
    ///
    /// # Errors
    /// Returns an error if a plugin fails or an object can't be read.
    pub fn change(&mut self, counts: &mut Counts) -> Result<Change> {
        let change = self.draw();
        match change {
            Change::PodComes => self.pod_comes(counts)?,
            Change::PodGoes => {
                let gone = self.chance.usize(..self.running.len());
                let gone = self.running.swap_remove(gone);
                self.engine.remove_object(&gone)?;
            }
            Change::PodIsRelabelled => {
                let relabelled = self.chance.usize(..self.running.len());
                let pod = &mut self.running[relabelled];
                pod["metadata"]["labels"]["app"] = json!(format!("app-{}", self.chance.usize(..APPS)));
                self.engine.set_object(pod)?;
            }
            Change::NodeComes => {
                self.made += 1;
                let node = unlike::node(self.made, &mut self.chance);
                self.engine.set_object(&node)?;
                self.nodes.push(node);
            }
            Change::NodeGoes => self.node_goes()?,
            Change::NodeChanges => self.node_changes()?,
            Change::ObjectsAreReplaced => {
                let app = self.chance.usize(..APPS);
                let new = unlike::objects(app, &mut self.chance);
                for (old, new) in self.objects[app].iter().zip(&new) {
                    self.engine.remove_object(old)?;
                    self.engine.set_object(new)?;
                }
                self.objects[app] = new;
            }
            Change::NamespaceIsRelabelled => {
                self.engine.set_object(&unlike::namespace(if self.chance.bool() { "a" } else { "b" }))?;
            }
        }
        self.engine.take_deliveries();
        Ok(change)
    }

    fn draw(&mut self) -> Change {
        match self.chance.u8(..20) {
            0 if !self.running.is_empty() => Change::PodIsRelabelled,
            1 => Change::NodeComes,
            2 => Change::NodeGoes,
            3..=5 => Change::NodeChanges,
            6 => Change::ObjectsAreReplaced,
            7 => Change::NamespaceIsRelabelled,
            8..=9 if !self.running.is_empty() => Change::PodGoes,
            _ if self.running.len() >= PODS_AT_MOST * self.nodes.len() => Change::PodGoes,
            _ => Change::PodComes,
        }
    }

    /// Adds a pod and schedules it. Removes the pod again if no node fits, and its victims too.
    fn pod_comes(&mut self, counts: &mut Counts) -> Result<()> {
        self.made += 1;
        counts.tried += 1;
        let mut pod = pod(self.made, self.chance.usize(..APPS), self.seed);
        let read = DefaultEngine::read(&pod)?;
        self.engine.enqueue(Arc::clone(&read));
        match self.engine.attempt()? {
            Attempt::Scheduled(_, node) => {
                counts.scheduled += 1;
                self.engine.bind(&read, &node);
                pod["spec"]["nodeName"] = json!(node);
                self.running.push(pod);
            }
            Attempt::Failed { message, evicted, .. } => {
                ensure!(message.contains("nodes are available"), "a plugin failed: {message}");
                self.engine.remove(&read);
                let is_evicted = |pod: &Value| evicted.iter().any(|key| pod["metadata"]["uid"] == *key.uid);
                let (gone, stay) = std::mem::take(&mut self.running).into_iter().partition(is_evicted);
                self.running = stay;
                let gone: Vec<Value> = gone;
                counts.evicted += gone.len();
                gone.iter().try_for_each(|pod| self.engine.remove_object(pod))?;
            }
        }
        Ok(())
    }

    /// Removes a node and its pods.
    fn node_goes(&mut self) -> Result<()> {
        let gone = self.chance.usize(..self.nodes.len());
        let gone = self.nodes.swap_remove(gone);
        let is_there = |pod: &Value| pod["spec"]["nodeName"] == gone["metadata"]["name"];
        let (lost, stay): (Vec<Value>, Vec<Value>) = std::mem::take(&mut self.running).into_iter().partition(is_there);
        self.running = stay;
        lost.iter().try_for_each(|pod| self.engine.remove_object(pod))?;
        self.engine.remove_object(&gone)
    }

    /// Replaces one part of a node by that of a new node. The node's name stays.
    fn node_changes(&mut self) -> Result<()> {
        self.made += 1;
        let other = unlike::node(self.made, &mut self.chance);
        let changed = self.chance.usize(..self.nodes.len());
        let node = &mut self.nodes[changed];
        match self.chance.u8(..6) {
            0 => node["spec"]["taints"] = other["spec"]["taints"].clone(),
            1 => node["spec"]["unschedulable"] = other["spec"]["unschedulable"].clone(),
            2 => node["status"]["allocatable"] = other["status"]["allocatable"].clone(),
            3 => node["status"]["images"] = other["status"]["images"].clone(),
            part => {
                let label = if part == 4 { "rack" } else { "topology.kubernetes.io/zone" };
                node["metadata"]["labels"][label] = other["metadata"]["labels"][label].clone();
            }
        }
        self.engine.set_object(node)
    }

    /// Checks that no cached result differed from a fresh answer.
    ///
    /// # Errors
    /// Returns an error with the plugins' names and the differences.
    pub fn check(&self) -> Result<()> {
        let distrusted: Vec<String> =
            self.engine.core().distrusted().map(|(plugin, what)| format!("{plugin} {what}")).collect();
        ensure!(distrusted.is_empty(), "{}", distrusted.join("; "));
        Ok(())
    }
}

/// Returns a pod that requests up to a third of a node's CPU. Pods of some apps may preempt others.
fn pod(number: usize, app: usize, seed: u64) -> Value {
    let mut pod = unlike::pod(number, app, seed);
    pod["spec"]["priority"] = json!(if app.is_multiple_of(6) { 1_000 } else { 0 });
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!(format!("{}m", 200 + app * 379 % 2_900));
    pod
}
