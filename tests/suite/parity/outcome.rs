//! What a scheduler made of the workload, and how far two outcomes are from each other.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use berth_tests::wait::Look;
use berth_tests::{Journal, Pods};

use super::workload::Workload;

/// Nodes of the pods that were placed, and what was said of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Node by pod.
    pub placed: BTreeMap<String, String>,
    /// The message of their condition, by pod.
    pub rejected: BTreeMap<String, String>,
}

/// Numbers of pods.
pub struct Distribution {
    /// By group and zone.
    zones: BTreeMap<(String, String), i64>,
    /// By node, the fullest first.
    nodes: Vec<i64>,
}

impl Outcome {
    /// Waits until all pods that can be are placed, and all others were told why not.
    ///
    /// # Errors
    /// They were not in time.
    pub async fn wait(journal: &Journal, workload: &Workload) -> Result<Self> {
        journal.until("as many pods of each group are placed as can be", |pods| Self::look(pods, workload)).await
    }

    fn look(pods: &Pods, workload: &Workload) -> Look<Self> {
        let mut outcome = Self::default();
        for (name, seen) in &pods.by_name {
            match (&seen.node, seen.rejection()) {
                (Some(node), _) => drop(outcome.placed.insert(name.clone(), node.clone())),
                (None, Some(why)) => drop(outcome.rejected.insert(name.clone(), why.to_owned())),
                (None, None) => return Look::NotYet(format!("{name} was not tried")),
            }
        }
        for group in &workload.pods {
            let placed = outcome.placed.keys().filter(|pod| is_of(pod, &group.name)).count();
            let rejected = outcome.rejected.iter().filter(|(pod, _)| is_of(pod, &group.name));
            if placed < group.placed() || rejected.clone().count() < group.count - group.placed() {
                return Look::NotYet(format!("{placed} {} are placed: {:?}", group.name, rejected.collect::<Vec<_>>()));
            }
        }
        Look::Yes(outcome)
    }

    /// How its pods are distributed over these nodes' zones and over the nodes.
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
    /// How many pods would have to be elsewhere to have the other one: by zone, and on nodes that are as full as there.
    pub fn distance(&self, other: &Self) -> [i64; 2] {
        let keys: BTreeSet<_> = self.zones.keys().chain(other.zones.keys()).collect();
        let in_zone = |of: &Self, key| of.zones.get(key).copied().unwrap_or_default();
        let zones: i64 = keys.into_iter().map(|key| (in_zone(self, key) - in_zone(other, key)).abs()).sum();
        let nodes: i64 = self.nodes.iter().zip(&other.nodes).map(|(one, other)| (one - other).abs()).sum();
        [zones / 2, nodes / 2]
    }
}

/// Whether the pod is one of the group.
pub fn is_of(pod: &str, group: &str) -> bool {
    pod.rsplit_once('-').is_some_and(|(name, _)| name == group)
}
