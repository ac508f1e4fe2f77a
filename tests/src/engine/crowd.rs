//! PreemptionBasic: nodes that are full, and pods that each take the place of three others.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::model::{Pod, PodKey};
use serde_json::{Value, json};

use super::objects::{self, NAMESPACES};
use super::{Attempt, Engine, Setup};

/// Pods that fill a node.
const ON_EACH: usize = 4;

/// A cluster without room, and those who come to it.
pub struct Crowd {
    /// The engine.
    pub engine: Engine,
    /// Those who wait, by uid, as the API server has them.
    waiting: BTreeMap<Box<str>, Arc<Pod>>,
    /// Who has to go, in the order in which that was said.
    going: Vec<PodKey>,
}

/// What became of pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Attempts that ended with a node.
    pub placed: usize,
    /// Attempts that ended without.
    pub in_vain: usize,
    /// Pods that had to go.
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
    /// So many nodes, each of them full.
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

    /// So many pods come, of which each needs the room of three that are there.
    ///
    /// # Errors
    /// They can't be read.
    pub fn come(&mut self, pods: usize) -> Result<()> {
        let first = self.waiting.len();
        for i in first..first + pods {
            let pod = Engine::read(&pod(NAMESPACES[0], &format!("pod-{i}"), "3", 1000))?;
            self.waiting.insert(pod.key.uid.clone(), Arc::clone(&pod));
            self.engine.enqueue(pod);
        }
        Ok(())
    }

    /// Tries all that are to be tried, and tells what the API server does of it: room is promised, pods are bound. Who has to go
    /// stays as yet.
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

    /// All who have to go are told so, then they end, one of each node after the other; what can be tried is, after each of them.
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
