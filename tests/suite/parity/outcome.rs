//! The outcome of the workload, and the distance between two outcomes.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use berth_test_kit::wait::Look;
use berth_tests::{Journal, Pods};

use super::workload::Workload;

/// The nodes of the placed pods, and the messages of the other pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The node by pod name.
    pub placed: BTreeMap<String, String>,
    /// The message of the pod's condition `PodScheduled`, by pod name.
    pub rejected: BTreeMap<String, String>,
}

/// The distribution of pods.
pub struct Distribution {
    /// The number of pods by group and zone.
    zones: BTreeMap<(String, String), i64>,
    /// The number of pods on each node, in descending order.
    nodes: Vec<i64>,
}

impl Outcome {
    /// Waits until the expected number of pods of each group is placed and all other pods are rejected.
    ///
    /// # Errors
    /// Returns an error if this did not happen in time.
    pub async fn wait(journal: &Journal, workload: &Workload) -> Result<Self> {
        journal.until("the expected number of pods of each group is placed", |pods| Self::look(pods, workload)).await
    }

    fn look(pods: &Pods, workload: &Workload) -> Look<Self> {
        let mut outcome = Self::default();
        for (name, seen) in &pods.by_name {
            match (&seen.node, seen.rejection()) {
                (Some(node), _) => drop(outcome.placed.insert(name.clone(), node.clone())),
                (None, Some(message)) => drop(outcome.rejected.insert(name.clone(), message.to_owned())),
                (None, None) => return Look::NotYet(format!("no attempt was made for pod {name}")),
            }
        }
        for group in &workload.pods {
            let placed = outcome.placed.keys().filter(|pod| is_in_group(pod, &group.name)).count();
            let rejected = outcome.rejected.iter().filter(|(pod, _)| is_in_group(pod, &group.name));
            if placed < group.placed() || rejected.clone().count() < group.count - group.placed() {
                return Look::NotYet(format!("{placed} {} are placed: {:?}", group.name, rejected.collect::<Vec<_>>()));
            }
        }
        Look::Yes(outcome)
    }

    /// Returns the distribution of the pods over zones and nodes. `zones` has the zone of each node.
    pub fn distribution(&self, zones: &BTreeMap<String, String>) -> Distribution {
        let mut by_node: BTreeMap<&str, i64> = zones.keys().map(|node| (node.as_str(), 0)).collect();
        let mut by_zone = BTreeMap::new();
        for (pod, node) in &self.placed {
            let group = pod.rsplit_once('-').map_or(pod.as_str(), |(group, _)| group);
            let zone = zones.get(node).cloned().unwrap_or_default();
            *by_node.entry(node).or_default() += 1;
            *by_zone.entry((group.to_owned(), zone)).or_default() += 1;
        }
        let mut nodes: Vec<i64> = by_node.into_values().collect();
        nodes.sort_unstable_by(|one, other| other.cmp(one));
        Distribution { zones: by_zone, nodes }
    }
}

impl Distribution {
    /// Returns two numbers of pods that would have to move to reach the other distribution: pods that would change the
    /// zone, and pods that would change the node. Nodes are compared by their rank in the number of pods, not by name.
    pub fn distance(&self, other: &Self) -> [i64; 2] {
        let keys: BTreeSet<_> = self.zones.keys().chain(other.zones.keys()).collect();
        let in_zone = |of: &Self, key| of.zones.get(key).copied().unwrap_or_default();
        let zones: i64 = keys.into_iter().map(|key| (in_zone(self, key) - in_zone(other, key)).abs()).sum();
        let nodes: i64 = self.nodes.iter().zip(&other.nodes).map(|(one, other)| (one - other).abs()).sum();
        [zones / 2, nodes / 2]
    }
}

/// Returns true if the pod belongs to the group, which is the part of the pod's name before the last hyphen.
pub fn is_in_group(pod: &str, group: &str) -> bool {
    pod.rsplit_once('-').is_some_and(|(name, _)| name == group)
}
