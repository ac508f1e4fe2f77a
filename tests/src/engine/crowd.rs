//! The workload PreemptionBasic: the nodes are full, and each new pod preempts three others.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::model::{Pod, PodKey};
use serde_json::{Value, json};

use super::objects::{self, NAMESPACES};
use super::{Attempt, Engine, Setup};

/// The number of pods that fill a node.
const ON_EACH: usize = 4;

/// A cluster of full nodes, and the pods that preempt.
pub struct Crowd {
    /// The engine.
    pub engine: Engine,
    /// The pods that wait for a node, by uid, as the API server has them.
    waiting: BTreeMap<Box<str>, Arc<Pod>>,
    /// The pods to evict, in the order in which the core named them.
    going: Vec<PodKey>,
}

/// Counts of scheduling attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of attempts that ended with a node.
    pub placed: usize,
    /// The number of attempts that ended without a node.
    pub in_vain: usize,
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

impl Crowd {
    /// Starts a cluster of this many full nodes.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn set(nodes: usize, setup: Setup) -> Result<Self> {
        let resident = |i: usize| {
            let mut pod = pod(NAMESPACES[1], &format!("before-{i}"), "900m", 0);
            pod["spec"]["nodeName"] = json!(objects::node_name(i % nodes));
            pod
        };
        let cluster = (0..nodes).map(|i| objects::node(i, 3)).chain((0..ON_EACH * nodes).map(resident));
        let engine = Engine::start(cluster, &[], setup)?;
        Ok(Self { engine, waiting: BTreeMap::new(), going: Vec::new() })
    }

    /// Adds pods. Each needs the resources of three running pods.
    ///
    /// # Errors
    /// Returns an error if a pod can't be read.
    pub fn come(&mut self, pods: usize) -> Result<()> {
        let first = self.waiting.len();
        for i in first..first + pods {
            let pod = Engine::read(&pod(NAMESPACES[0], &format!("pod-{i}"), "3", 1000))?;
            self.waiting.insert(pod.key.uid.clone(), Arc::clone(&pod));
            self.engine.enqueue(pod);
        }
        Ok(())
    }

    /// Runs cycles until the queue has no work, and tells the core what the API server would report: nominations
    /// and bindings. The evicted pods stay for now.
    ///
    /// # Errors
    /// As [`Engine::attempt`].
    pub fn tries(&mut self) -> Result<Tally> {
        let mut tally = Tally::default();
        while self.engine.has_work() {
            match self.engine.attempt()? {
                Attempt::Placed(key, node) => {
                    tally.placed += 1;
                    let pod = self.waiting.get(&key.uid).with_context(|| format!("{key} is placed again"))?;
                    self.engine.bind(pod, &node);
                }
                Attempt::Failed { pod: key, promised, evicted, .. } => {
                    tally.in_vain += 1;
                    tally.evicted += evicted.len();
                    self.going.extend(evicted);
                    let pod = self.waiting.get_mut(&key.uid).with_context(|| format!("{key} is none of ours"))?;
                    *pod = Arc::new(Pod { nominated_node_name: promised, ..Pod::clone(pod) });
                    self.engine.enqueue(Arc::clone(pod));
                }
            }
            self.engine.take_deliveries();
        }
        Ok(tally)
    }

    /// Marks all evicted pods as being deleted, then removes them, one of each node after the other. After each
    /// step, runs the cycles that are possible.
    ///
    /// # Errors
    /// As [`Crowd::tries`].
    pub fn they_go(&mut self) -> Result<Tally> {
        let mut all = Tally::default();
        let going = std::mem::take(&mut self.going);
        let leaving: Vec<Arc<Pod>> = going.iter().filter_map(|key| self.engine.resident(key)).collect();
        for pod in &leaving {
            self.engine.enqueue(Arc::new(Pod { deleting: true, preempted: true, ..Pod::clone(pod) }));
            all += self.tries()?;
        }
        for nth in 0..ON_EACH - 1 {
            for pod in leaving.iter().skip(nth).step_by(ON_EACH - 1) {
                self.engine.remove(pod);
                all += self.tries()?;
            }
        }
        Ok(all)
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.placed += more.placed;
        self.in_vain += more.in_vain;
        self.evicted += more.evicted;
    }
}
