//! Compares the order of attempts with the queue, and the choice of a node with all scores.

use berth_core::cache::NodeId;
use berth_core::plugins::{Cycle, Normalization};
use berth_core::profile::Profile;
use berth_core::queue::{Part, Queue};

use crate::plugins::{KINDS, score};
use crate::spread;

/// The state of the current scheduling cycle.
#[derive(Default)]
pub struct Choice {
    /// The priority of the pod of this cycle.
    tried: Option<i32>,
    /// The nodes with the highest total, if there are several nodes to choose from.
    best: Option<Vec<NodeId>>,
    /// The number of choices that were compared.
    pub compared: usize,
}

impl Choice {
    /// Starts a cycle for a pod.
    pub fn begin(&mut self, cycle: &Cycle<'_>) {
        self.tried = Some(cycle.pod.spec.priority);
    }

    /// Takes in the nodes that passed all filters.
    pub fn found(&mut self, cycle: &Cycle<'_>, profile: &Profile, nodes: &[NodeId]) {
        let mut totals = vec![0_i64; nodes.len()];
        for (plugin, weight) in &profile.score {
            let raw: Vec<i64> = nodes.iter().map(|node| score(plugin.id.0 % KINDS, cycle, *node)).collect();
            let normalized = match plugin.declaration.normalization {
                Normalization::None => raw,
                Normalization::Default => to_100(&raw),
                Normalization::DefaultReversed => to_100(&raw).iter().map(|score| 100 - score).collect(),
                Normalization::Custom => spread::normalized(&raw),
            };
            totals.iter_mut().zip(normalized).for_each(|(total, score)| *total += weight * score);
        }
        let highest = totals.iter().max();
        let best = nodes.iter().zip(&totals).filter(|(_, total)| Some(*total) == highest);
        self.best = Some(best.map(|(node, _)| *node).collect());
    }

    /// Checks the node that the pod gets.
    pub fn chosen(&mut self, cycle: &Cycle<'_>, node: NodeId) {
        let Some(best) = self.best.take() else { return };
        assert!(best.contains(&node), "{} got node {node:?}, and {best:?} have the highest score", cycle.pod.key);
        self.compared += 1;
    }

    /// Ends the cycle. Checks that no pod of a higher priority was waiting to be tried.
    pub fn end(&mut self, highest: Option<i32>) {
        self.best = None;
        let Some(tried) = self.tried.take() else { return };
        assert!(
            highest.is_none_or(|highest| tried >= highest),
            "a pod of priority {tried} was tried before {highest:?}"
        );
    }
}

/// Returns the highest priority among the active pods.
pub fn highest_priority(queue: &Queue) -> Option<i32> {
    queue.pods().filter(|(part, _)| *part == Part::Active).map(|(_, entry)| entry.pod.spec.priority).max()
}

/// Scales the scores so that the highest becomes 100.
fn to_100(raw: &[i64]) -> Vec<i64> {
    let highest = raw.iter().copied().max().unwrap_or_default().max(1);
    raw.iter().map(|score| score * 100 / highest).collect()
}
