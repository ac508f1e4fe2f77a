//! Finds the fewest nodes that still run all running pods, by cell compaction: see A. Verma, M. Korupolu and J. Wilkes,
//! "Evaluating job packing in warehouse-scale computing", IEEE CLUSTER 2014.
//!
//! A trial removes nodes in random order. After each removal, all pods are packed again from scratch by the scheduler's
//! core, in a cluster of the remaining nodes. The trial ends when no further node can be removed. Several trials with
//! different orders show how much the result depends on the order.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use berth_core::model::{Node, Pod};

use super::answer::{Answer, Compaction};
use super::control::Control;
use super::nodes::{belongs_to_node, created_again};
use super::placement::Placement;
use super::question::Compact;
use super::{WhatIfError, WhatIfInputs, sandbox};
use crate::copy::ClusterCopy;
use crate::percentile::percentile;
use crate::sandbox::Sandbox;

/// A trial ends after this many nodes in a row that can't be removed.
const MOST_NEEDED_IN_A_ROW: usize = 8;

/// The largest number of times that a trial packs all pods again.
const MOST_REPACKS: usize = 100;

/// The largest number of trials.
const MOST_TRIALS: usize = 101;

/// Answers a question with `compact`.
///
/// # Errors
/// The control ends the work before the first trial is complete, or there is no sandbox.
pub(super) fn answer(
    compact: &Compact,
    inputs: &WhatIfInputs<'_>,
    control: &mut Control<'_>,
    answer: &mut Answer,
) -> Result<(), WhatIfError> {
    let mut packer = Packer::new(inputs)?;
    if packer.pods.len() > inputs.limits.most_pods {
        return Err(WhatIfError::TooManyPods(inputs.limits.most_pods));
    }
    answer.nodes = packer.copy.nodes.len();
    answer.left_out = packer.sandbox.left_out().iter().map(ToString::to_string).collect();
    let needed = packer.pack_on_all(control)?;
    let mut found = Compaction { nodes: answer.nodes, pods: packer.pods.len(), ..Compaction::default() };
    let mut kept: Vec<BTreeSet<Box<str>>> = Vec::new();
    let trials = compact.trials.clamp(1, MOST_TRIALS);
    for trial in 0..trials {
        let mut rng = fastrand::Rng::with_seed(compact.seed.wrapping_add(trial as u64));
        match packer.trial(&needed, &mut rng, control) {
            Ok(nodes) => kept.push(nodes),
            Err(WhatIfError::Stopped { .. }) if !kept.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    found.unfinished = trials - kept.len();
    kept.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    found.trials = kept.iter().map(BTreeSet::len).collect();
    let median = percentile(kept.len(), 50);
    found.median = found.trials.get(median).copied();
    found.percentile90 = found.trials.get(percentile(kept.len(), 90)).copied();
    let all = packer.copy.nodes.iter().map(|node| &node.name);
    let removable = kept.get(median).into_iter().flat_map(|kept| all.clone().filter(|name| !kept.contains(*name)));
    found.removable = removable.map(ToString::to_string).collect();
    found.picky = packer.picky.iter().map(|pod| (&pod.key).into()).collect();
    found.repacks = packer.repacks;
    answer.compaction = Some(found);
    Ok(())
}

/// Packs all pods of a cluster again, on fewer nodes each time.
struct Packer<'a> {
    inputs: &'a WhatIfInputs<'a>,
    /// The cluster without the pods to pack.
    copy: ClusterCopy,
    /// The pods to pack, without their nodes.
    pods: Vec<Arc<Pod>>,
    sandbox: Sandbox,
    /// The pods that get no node although all nodes are there. The trials leave them out.
    picky: Vec<Arc<Pod>>,
    /// The largest number of pods that waited for other pods at one time when all nodes were there.
    most_failed: usize,
    repacks: usize,
}

impl<'a> Packer<'a> {
    fn new(inputs: &'a WhatIfInputs<'a>) -> Result<Self, WhatIfError> {
        let mut copy = ClusterCopy { pending: Vec::new(), ..inputs.copy.clone() };
        let (fixed, packed): (Vec<_>, Vec<_>) = copy.pods.drain(..).partition(|pod| belongs_to_node(pod));
        copy.pods = fixed;
        let mut pods: Vec<Arc<Pod>> = packed.iter().filter(|pod| !pod.deleting).map(|pod| created_again(pod)).collect();
        pods.sort_by(|one, other| (one.created, &one.key).cmp(&(other.created, &other.key)));
        let sandbox = sandbox(inputs.policy, &copy, inputs.now, false)?;
        // A pod of another scheduler keeps its node.
        let (pods, others): (Vec<_>, Vec<_>) = pods.into_iter().partition(|pod| sandbox.profile_of(pod).is_some());
        let others: HashSet<&str> = others.iter().map(|pod| &*pod.key.uid).collect();
        copy.pods.extend(packed.iter().filter(|pod| others.contains(&*pod.key.uid)).cloned());
        Ok(Self { inputs, copy, pods, sandbox, picky: Vec::new(), most_failed: usize::MAX, repacks: 0 })
    }

    /// Packs all pods on all nodes, which finds the picky pods. Returns the nodes that are needed in any case: the nodes
    /// of pods that fit on one node only, and of running pods of other schedulers.
    fn pack_on_all(&mut self, control: &mut Control<'_>) -> Result<HashSet<Box<str>>, WhatIfError> {
        let nodes: Vec<Arc<Node>> = self.copy.nodes.clone();
        self.prepare(&nodes)?;
        let mut needed: HashSet<Box<str>> = HashSet::new();
        let fixed = self.copy.pods.iter().filter(|pod| !belongs_to_node(pod));
        needed.extend(fixed.map(|pod| pod.node_name.clone()));
        let mut only: BTreeMap<Box<str>, Option<Box<str>>> = BTreeMap::new();
        for pod in &self.pods {
            let controller = pod.owners.iter().find(|owner| owner.controller && &*owner.kind != "StatefulSet");
            // The pods of a ReplicaSet are alike. Those of a StatefulSet have volumes of their own.
            let like = controller.map_or_else(|| pod.key.uid.clone(), |owner| owner.uid.clone());
            if only.contains_key(&like) {
                continue;
            }
            control.attempt()?;
            let node = match self.sandbox.fits(pod) {
                Some(Ok(nodes)) if nodes.len() == 1 => {
                    self.sandbox.core().cache().node(nodes[0]).map(|info| info.node.name.clone())
                }
                _ => None,
            };
            only.insert(like, node);
        }
        needed.extend(only.into_values().flatten());
        let (placed, failed) = self.pack(control, None)?;
        self.most_failed = failed;
        let (placed, picky) =
            std::mem::take(&mut self.pods).into_iter().partition(|pod| placed.contains(&*pod.key.uid));
        (self.pods, self.picky) = (placed, picky);
        Ok(needed)
    }

    /// Removes nodes in random order, in groups, while all pods fit on the others. A group that can't be removed is
    /// halved. Returns the names of the remaining nodes.
    fn trial(
        &mut self,
        needed: &HashSet<Box<str>>,
        rng: &mut fastrand::Rng,
        control: &mut Control<'_>,
    ) -> Result<BTreeSet<Box<str>>, WhatIfError> {
        let mut kept: BTreeSet<Box<str>> = self.copy.nodes.iter().map(|node| node.name.clone()).collect();
        let mut order: Vec<Box<str>> = kept.iter().filter(|name| !needed.contains(*name)).cloned().collect();
        rng.shuffle(&mut order);
        let (mut group, mut at, mut in_a_row, mut repacks) = (order.len().div_ceil(2), 0, 0, 0);
        while at < order.len() && in_a_row < MOST_NEEDED_IN_A_ROW && repacks < MOST_REPACKS {
            group = group.min(order.len() - at);
            let without = &order[at..at + group];
            let is_left = |node: &&Arc<Node>| kept.contains(&node.name) && !without.contains(&node.name);
            let nodes: Vec<Arc<Node>> = self.copy.nodes.iter().filter(is_left).cloned().collect();
            repacks += 1;
            if self.fits_on(&nodes, control)? {
                kept.retain(|name| !without.contains(name));
                (at, in_a_row, group) = (at + group, 0, group * 2);
            } else if group > 1 {
                group /= 2;
            } else {
                (at, in_a_row) = (at + 1, in_a_row + 1);
            }
        }
        Ok(kept)
    }

    fn fits_on(&mut self, nodes: &[Arc<Node>], control: &mut Control<'_>) -> Result<bool, WhatIfError> {
        self.prepare(nodes)?;
        let most_failed = self.most_failed;
        let (placed, _) = self.pack(control, Some(most_failed))?;
        Ok(placed.len() == self.pods.len())
    }

    /// Makes the sandbox a cluster of these nodes without the pods to pack.
    fn prepare(&mut self, nodes: &[Arc<Node>]) -> Result<(), WhatIfError> {
        let names: HashSet<&str> = nodes.iter().map(|node| &*node.name).collect();
        let pods = self.copy.pods.iter().filter(|pod| names.contains(&*pod.node_name));
        let copy = ClusterCopy { nodes: nodes.to_vec(), pods: pods.cloned().collect(), ..self.copy.clone() };
        if self.sandbox.core().cache().objects().are_as_the_server_has_them() {
            self.sandbox.update(&copy, self.inputs.now);
        } else {
            // Objects that plugins assumed for bound pods, such as volumes, stay assumed.
            self.sandbox = sandbox(self.inputs.policy, &copy, self.inputs.now, false)?;
        }
        Ok(())
    }

    /// Schedules all pods. Returns the uids of the pods that have a node, and the largest number of pods that waited at
    /// one time.
    fn pack(
        &mut self,
        control: &mut Control<'_>,
        most_failed: Option<usize>,
    ) -> Result<(HashSet<Box<str>>, usize), WhatIfError> {
        self.repacks += 1;
        let mut placement = Placement::new(&mut self.sandbox, false);
        placement.place(&self.pods, most_failed, control)?;
        let placed = self.pods.iter().map(|pod| &pod.key.uid).filter(|uid| placement.is_placed(uid));
        Ok((placed.cloned().collect(), placement.peak_failed))
    }
}
