//! Actions of other clients, and unusual behavior of the API server and of plugins: pods that other clients bind or
//! recreate under the same name, resizes, lists in place of watches, a refused kind, recovered plugins, and a jump of
//! the clock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use berth_core::Event;
use berth_core::model::{Pod, PodKey, PodRequests, Resources};

use super::World;
use crate::cluster::{Cluster, claims};

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

    /// Breaks the watch of pods: its undelivered events are lost, and all pods are listed.
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

impl Cluster {
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
