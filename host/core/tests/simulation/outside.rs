//! Actions of other clients, and unusual behavior of the API server and of plugins: pods that other clients bind or
//! recreate under the same name, resizes, lists in place of watches, a refused kind, recovered plugins, and a jump of
//! the clock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use berth_core::Event;
use berth_core::extenders::{Extender, Extenders, Filtered, Scores, Victims};
use berth_core::model::{Pod, PodKey, PodRequests, Resources};

use crate::cluster::claims;
use crate::world::World;

/// The names of all plugins, and a name that no plugin has.
const PLUGINS: [&str; 10] =
    ["Taints", "Fit", "Random", "Queueing", "Preemption", "First", "Second", "Crowd", "Spread", "None"];

impl World {
    /// Runs one random action.
    pub fn others_do(&mut self, rng: &mut fastrand::Rng) {
        match rng.u8(..9) {
            0 => self.cluster.bind_elsewhere(rng),
            1 => self.cluster.make_pod_anew(rng),
            2 | 3 => self.cluster.resize_pod(rng),
            4 => self.list_nodes(),
            5 => self.list_pods(),
            6 => self.step(Event::ObjectsRefused(claims().kind, "forbidden".into())),
            7 => self.step(Event::PluginRecovered(PLUGINS[rng.usize(..PLUGINS.len())].into())),
            // As after a suspension of the machine.
            _ => self.now = self.now.after(Duration::from_secs(rng.u64(..3600))),
        }
    }

    /// Breaks the watch of nodes: its undelivered events are lost, and all nodes are listed.
    fn list_nodes(&mut self) {
        let mut gone = BTreeSet::new();
        for event in std::mem::take(&mut self.cluster.node_watch) {
            if let Event::NodeRemoved(name) = event {
                gone.insert(name);
            }
        }
        gone.retain(|name| !self.cluster.nodes.contains_key(name));
        gone.into_iter().for_each(|name| self.step(Event::NodeRemoved(name)));
        let all: Vec<_> = self.cluster.nodes.values().cloned().collect();
        all.into_iter().for_each(|node| self.step(Event::NodeSet(node)));
    }

    /// Breaks the watch of pods, in the same way.
    fn list_pods(&mut self) {
        let mut gone = BTreeMap::new();
        for event in std::mem::take(&mut self.cluster.pod_watch) {
            match event {
                Event::PodSet(pod) => drop(gone.insert(pod.key.uid.clone(), pod.key.clone())),
                Event::PodRemoved(key) => drop(gone.insert(key.uid.clone(), key)),
                _ => {}
            }
        }
        gone.retain(|uid, _| !self.cluster.pods.contains_key(uid));
        gone.into_values().for_each(|key| self.tell_of_pod(Event::PodRemoved(key)));
        let all: Vec<_> = self.cluster.pods.values().cloned().collect();
        all.into_iter().for_each(|pod| self.tell_of_pod(Event::PodSet(pod)));
    }
}

impl crate::cluster::Cluster {
    /// Binds a pending pod as another client, even if it does not fit.
    fn bind_elsewhere(&mut self, rng: &mut fastrand::Rng) {
        let pending = self.pods.values().filter(|pod| pod.node_name.is_empty() && !pod.deleting);
        let pod = rng.choice(pending.map(|pod| pod.key.clone()).collect::<Vec<_>>());
        let node = rng.choice(self.nodes.keys().cloned().collect::<Vec<_>>());
        let (Some(pod), Some(node)) = (pod, node) else { return };
        // The API server refuses a gated pod.
        let _ = self.bind(&pod, &node);
    }

    /// Deletes a pod and creates a pod of the same name with another uid at once.
    fn make_pod_anew(&mut self, rng: &mut fastrand::Rng) {
        let Some(pod) = rng.choice(self.pods.values().cloned().collect::<Vec<_>>()) else { return };
        self.pods.remove(&pod.key.uid);
        self.pod_watch.push_back(Event::PodRemoved(pod.key.clone()));
        let key = PodKey { uid: format!("{}-anew", pod.key.uid).into(), ..pod.key.clone() };
        let (requests, spec) = (Arc::clone(&pod.requests), Arc::clone(&pod.spec));
        self.set_pod(Arc::new(Pod { key, requests, spec, ..Pod::default() }));
    }

    /// Changes the requests of a pod in place.
    fn resize_pod(&mut self, rng: &mut fastrand::Rng) {
        let Some(pod) = rng.choice(self.pods.values().cloned().collect::<Vec<_>>()) else { return };
        let amount = Resources { milli_cpu: rng.i64(1..=5) * 300, ..Resources::default() };
        let requests = PodRequests { fit: amount.clone(), effective: amount, ..PodRequests::default() };
        self.set_pod(Arc::new(Pod { requests: requests.into(), ..Pod::clone(&pod) }));
    }
}

/// The answers of the extenders in one scheduling cycle. Clones share them.
#[derive(Clone, Default)]
#[expect(clippy::disallowed_types, reason = "the core wants extenders that can be sent to another thread")]
pub struct ExtenderAnswers(Arc<std::sync::Mutex<Answers>>);

#[derive(Default)]
struct Answers {
    taken_away: BTreeSet<Box<str>>,
    scores: BTreeMap<Box<str>, i64>,
}

impl ExtenderAnswers {
    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the answers of the cycle before.
    pub fn forget(&self) {
        *self.lock() = Answers::default();
    }

    /// Returns true for a node that an extender took away.
    pub fn takes_away(&self, node: &str) -> bool {
        self.lock().taken_away.contains(node)
    }

    /// Returns the score that the extenders gave the node.
    pub fn score(&self, node: &str) -> i64 {
        self.lock().scores.get(node).copied().unwrap_or_default()
    }
}

/// Two extenders: one takes nodes away and fails while there are faults, and one scores and may be ignored. The first one binds.
pub struct FakeExtenders {
    list: [Extender; 2],
    rng: fastrand::Rng,
    faults: Arc<std::sync::atomic::AtomicBool>,
    answers: ExtenderAnswers,
}

impl FakeExtenders {
    pub fn new(seed: u64, faults: Arc<std::sync::atomic::AtomicBool>, answers: ExtenderAnswers) -> Self {
        let filters =
            Extender { name: "first".into(), filters: true, preempts: true, binds: true, ..Extender::default() };
        let scores = Extender { name: "second".into(), weight: Some(1), ignorable: true, ..Extender::default() };
        Self { list: [filters, scores], rng: fastrand::Rng::with_seed(seed), faults, answers }
    }

    fn one_in(&mut self, times: u8) -> bool {
        self.faults.load(std::sync::atomic::Ordering::Relaxed) && self.rng.u8(..times) == 0
    }
}

impl Extenders for FakeExtenders {
    fn list(&self) -> &[Extender] {
        &self.list
    }

    fn filter(&mut self, _: usize, _: &Pod, nodes: &[&str]) -> Result<Filtered, String> {
        if self.one_in(16) {
            return Err("no answer".to_owned());
        }
        let mut filtered = Filtered::default();
        for node in nodes {
            match self.one_in(4) {
                true => drop(filtered.failed.insert((*node).into(), "taken away".into())),
                false => filtered.nodes.push((*node).into()),
            }
        }
        // A pod's nominated node is asked about alone first, and then with the others.
        self.answers.lock().taken_away = filtered.failed.keys().cloned().collect();
        Ok(filtered)
    }

    fn prioritize(&mut self, extenders: &[usize], _: &Pod, nodes: &[&str]) -> Vec<Result<Scores, String>> {
        let each = extenders.iter().map(|_| match self.one_in(8) {
            true => Err("no answer".to_owned()),
            false => Ok(nodes.iter().map(|node| ((*node).into(), node.len() as i64 % 11)).collect()),
        });
        let each: Vec<Result<Scores, String>> = each.collect();
        // The scoring extender has the weight 1.
        for (node, score) in each.iter().flatten().flatten() {
            *self.answers.lock().scores.entry(node.clone()).or_default() += *score;
        }
        each
    }

    fn process_preemption(
        &mut self,
        _: usize,
        _: &Pod,
        candidates: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String> {
        if self.one_in(8) {
            return Err("no answer".to_owned());
        }
        let uids = |victims: &Victims<PodKey>| Victims {
            node: victims.node.clone(),
            pods: victims.pods.iter().map(|pod| pod.uid.clone()).collect(),
            violations: victims.violations,
        };
        Ok(candidates.iter().map(uids).collect())
    }

    fn ignored(&mut self, _: usize, _: &Pod, _: &str) {}
}
