//! The workload PreemptionBasic: the nodes are full, and each new pod preempts three others.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::model::{Pod, PodKey};
use serde_json::{Value, json};

use super::objects::{self, NAMESPACES};
use super::{Attempt, DefaultEngine, Setup};

/// The number of pods that fill a node.
const ON_EACH: usize = 4;

/// A cluster of full nodes, and the pods that preempt.
pub struct PreemptionRun {
    /// The engine.
    pub engine: DefaultEngine,
    /// The pods that wait for a node, by uid, as the API server has them.
    waiting: BTreeMap<Box<str>, Arc<Pod>>,
    /// The pods to evict, in the order in which the core named them.
    victims: Vec<PodKey>,
}

/// Counts of scheduling attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptCounts {
    /// The number of attempts that ended with a node.
    pub scheduled: usize,
    /// The number of attempts that ended without a node.
    pub unschedulable: usize,
    /// The number of pods that the core evicted.
    pub evicted: usize,
}

fn pod(namespace: &str, name: &str, cpu: &str, priority: i32) -> Value {
    let mut pod = objects::pod(namespace, name, 0);
    for list in ["requests", "limits"] {
        pod["spec"]["containers"][0]["resources"][list]["cpu"] = json!(cpu);
    }
    pod["spec"]["priority"] = json!(priority);
    pod
}

impl PreemptionRun {
    /// Starts a cluster of this many full nodes.
    ///
    /// # Errors
    /// As [`DefaultEngine::start`].
    pub fn set(nodes: usize, setup: Setup) -> Result<Self> {
        let resident = |i: usize| {
            let mut pod = pod(NAMESPACES[1], &format!("before-{i}"), "900m", 0);
            pod["spec"]["nodeName"] = json!(objects::node_name(i % nodes));
            pod
        };
        let cluster = (0..nodes).map(|i| objects::node(i, 3)).chain((0..ON_EACH * nodes).map(resident));
        let engine = DefaultEngine::start(cluster, &[], setup)?;
        Ok(Self { engine, waiting: BTreeMap::new(), victims: Vec::new() })
    }

    /// Adds pods. Each needs the resources of three running pods.
    ///
    /// # Errors
    /// Returns an error if a pod can't be read.
    pub fn add_pods(&mut self, pods: usize) -> Result<()> {
        let first = self.waiting.len();
        for i in first..first + pods {
            let pod = DefaultEngine::read(&pod(NAMESPACES[0], &format!("pod-{i}"), "3", 1000))?;
            self.waiting.insert(pod.key.uid.clone(), Arc::clone(&pod));
            self.engine.enqueue(pod);
        }
        Ok(())
    }

    /// Runs cycles until the queue has no work, and tells the core what the API server would report: nominations
    /// and bindings. The evicted pods stay for now.
    ///
    /// # Errors
    /// As [`DefaultEngine::attempt`].
    pub fn run_cycles(&mut self) -> Result<AttemptCounts> {
        let mut counts = AttemptCounts::default();
        while self.engine.has_work() {
            match self.engine.attempt()? {
                Attempt::Scheduled(key, node) => {
                    counts.scheduled += 1;
                    let pod = self.waiting.get(&key.uid).with_context(|| format!("{key} is scheduled again"))?;
                    self.engine.bind(pod, &node);
                }
                Attempt::Failed { pod: key, nominated, evicted, .. } => {
                    counts.unschedulable += 1;
                    counts.evicted += evicted.len();
                    self.victims.extend(evicted);
                    let pod =
                        self.waiting.get_mut(&key.uid).with_context(|| format!("{key} is not a pod of this run"))?;
                    *pod = Arc::new(Pod { nominated_node_name: nominated, ..Pod::clone(pod) });
                    self.engine.enqueue(Arc::clone(pod));
                }
            }
            self.engine.take_deliveries();
        }
        Ok(counts)
    }

    /// Marks all evicted pods as being deleted, then removes them, one of each node after the other. After each
    /// step, runs the cycles that are possible.
    ///
    /// # Errors
    /// As [`PreemptionRun::run_cycles`].
    pub fn delete_victims(&mut self) -> Result<AttemptCounts> {
        let mut all = AttemptCounts::default();
        let victims = std::mem::take(&mut self.victims);
        let leaving: Vec<Arc<Pod>> = victims.iter().filter_map(|key| self.engine.cached_pod(key)).collect();
        for pod in &leaving {
            self.engine.enqueue(Arc::new(Pod { deleting: true, preempted: true, ..Pod::clone(pod) }));
            all += self.run_cycles()?;
        }
        for nth in 0..ON_EACH - 1 {
            for pod in leaving.iter().skip(nth).step_by(ON_EACH - 1) {
                self.engine.remove(pod);
                all += self.run_cycles()?;
            }
        }
        Ok(all)
    }
}

impl std::ops::AddAssign for AttemptCounts {
    fn add_assign(&mut self, more: Self) {
        self.scheduled += more.scheduled;
        self.unschedulable += more.unschedulable;
        self.evicted += more.evicted;
    }
}
