//! Compares the order of attempts with the queue, and the choice of a node with all scores.

use std::collections::BTreeSet;

use berth_core::cache::NodeId;
use berth_core::plugins::{Cycle, Normalization};
use berth_core::profile::Profile;
use berth_core::queue::{Queue, SubQueue};

use crate::answers::{KINDS, reason, score};
use crate::extenders::ExtenderAnswers;
use crate::spread;

/// The factor of the extenders' scores, as in kube-scheduler: plugins score from 0 to 100, extenders from 0 to 10.
const SCORE_SCALE: i64 = 10;

/// The data about the current scheduling cycle that the checks need.
#[derive(Default)]
pub struct Choice {
    /// The priority of the pod of this cycle.
    tried: Option<i32>,
    /// The nodes that pass all filters at the start of this cycle, and have no nominated pods.
    passing: Option<Vec<NodeId>>,
    /// The weighted sum of the plugins' scores of each node; `None` until the nodes are scored.
    totals: Option<Vec<(NodeId, i64)>>,
    /// The answers of the extenders in this cycle.
    pub extenders: ExtenderAnswers,
    /// The nodes to which pods are nominated at the start of this cycle.
    pub nominated: BTreeSet<Box<str>>,
    /// The number of choices that were compared.
    pub compared: usize,
}

impl Choice {
    /// Starts a cycle for a pod.
    pub fn begin(&mut self, cycle: &Cycle<'_>, profile: &Profile) {
        self.tried = Some(cycle.pod.spec.priority);
        self.passing = Some(self.passing(cycle, profile));
    }

    /// Records the nodes that passed all filters and the extenders' filter, with their scores. Checks that no node is
    /// missing.
    pub fn found(&mut self, cycle: &Cycle<'_>, profile: &Profile, nodes: &[NodeId]) {
        for node in nodes {
            let name = name_of(cycle, *node);
            assert!(!self.extenders.takes_away(name), "{} may get {name}, which an extender took away", cycle.pod.key);
        }
        self.none_is_left_out(cycle, &self.passing(cycle, profile), nodes);
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
        self.totals = Some(nodes.iter().copied().zip(totals).collect());
    }

    /// Returns the nodes that pass all filters. Nodes with nominated pods are left out, because the filters are asked
    /// about them with these pods as well.
    fn passing(&self, cycle: &Cycle<'_>, profile: &Profile) -> Vec<NodeId> {
        let passes =
            |node: NodeId| profile.filter.iter().all(|plugin| reason(plugin.id.0 % KINDS, cycle, node).is_none());
        let nodes = cycle.cache.nodes().filter(|info| !self.nominated.contains(&info.node.name));
        nodes.map(|info| info.id).filter(|node| passes(*node)).collect()
    }

    /// Checks that all nodes of `passing` are in `found`, except nodes that an extender took away.
    fn none_is_left_out(&self, cycle: &Cycle<'_>, passing: &[NodeId], found: &[NodeId]) {
        for node in passing.iter().filter(|node| !found.contains(node)) {
            let name = name_of(cycle, *node);
            let left_out = !self.extenders.takes_away(name);
            assert!(!left_out, "{name} passes all filters for {}, and is left out", cycle.pod.key);
        }
    }

    /// Checks the node that the pod gets: no other node has a higher sum of the plugins' and the extenders' scores.
    pub fn chosen(&mut self, cycle: &Cycle<'_>, node: NodeId) {
        let passing = self.passing.take();
        let Some(mut totals) = self.totals.take() else {
            // The only feasible node is not scored. The pod's nominated node is chosen without a look at other nodes.
            let is_nominated = self.nominated.contains(name_of(cycle, node));
            passing.filter(|_| !is_nominated).iter().for_each(|all| self.none_is_left_out(cycle, all, &[node]));
            return;
        };
        for (node, total) in &mut totals {
            *total += SCORE_SCALE * self.extenders.score(name_of(cycle, *node));
        }
        let highest = totals.iter().map(|(_, total)| *total).max();
        let best: Vec<NodeId> =
            totals.iter().filter(|(_, total)| Some(*total) == highest).map(|(node, _)| *node).collect();
        assert!(best.contains(&node), "{} got node {node:?}, and {best:?} have the highest score", cycle.pod.key);
        self.compared += 1;
    }

    /// Ends the cycle. Checks that the pod of the cycle has at least the priority `highest`, the highest in the active
    /// sub-queue when the cycle began. `None` if there is nothing to check.
    pub fn end(&mut self, highest: Option<i32>) {
        (self.totals, self.passing) = (None, None);
        self.extenders.forget();
        let Some(tried) = self.tried.take() else { return };
        assert!(
            highest.is_none_or(|highest| tried >= highest),
            "a pod of priority {tried} was tried before {highest:?}"
        );
    }
}

/// Returns the highest priority among the active pods.
pub fn highest_priority(queue: &Queue) -> Option<i32> {
    queue.pods().filter(|(sub_queue, _)| *sub_queue == SubQueue::Active).map(|(_, entry)| entry.pod.spec.priority).max()
}

fn name_of<'a>(cycle: &Cycle<'a>, node: NodeId) -> &'a str {
    cycle.cache.node(node).map_or("", |info| &info.node.name)
}

/// Scales the scores so that the highest becomes 100.
fn to_100(raw: &[i64]) -> Vec<i64> {
    let highest = raw.iter().copied().max().unwrap_or_default().max(1);
    raw.iter().map(|score| score * 100 / highest).collect()
}
