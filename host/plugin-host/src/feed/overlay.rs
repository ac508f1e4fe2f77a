//! Sends hypothetical states of nodes to an instance, and undoes them.

use berth_core::cache::{Cache, NodeInfo, PodId};
use berth_core::facts::{NodeFacts, PodFacts};
use berth_core::model::{Pod, Resources};
use berth_core::plugins::WhatIf;
use bumpalo::Bump;

use super::Reads;
use crate::bindings::v0_2::exports::berth::scheduler::snapshot::{Change, ResidentPod, ScalarUsage, Usage};
use crate::convert;

/// The difference between a node and one hypothetical case, as changes of `snapshot`.
pub(crate) struct Overlay<'a> {
    /// The actual node.
    before: &'a NodeInfo,
    /// The hypothetical node.
    after: NodeInfo,
    case: &'a WhatIf,
    /// The id of the first added pod. It is higher than all used ids.
    first: PodId,
}

impl<'a> Overlay<'a> {
    /// Creates the overlay of a case. `others` is the number of pods that earlier cases of the same call add. Returns
    /// `None` if the node does not exist.
    pub fn of(cache: &'a Cache, case: &'a WhatIf, others: usize) -> Option<Self> {
        let before = cache.node(case.node)?;
        let first = PodId(u32::try_from(cache.pod_id_end() + others).ok()?);
        Some(Self { before, after: before.as_if(cache, case, first), case, first })
    }

    /// Returns the changes that apply the case.
    pub fn push(&'a self, arena: &'a Bump, reads: &'a Reads) -> Vec<Change<'a>> {
        let mut changes = self.node(arena, reads, self.before, &self.after);
        if reads.node.facts.contains(NodeFacts::PODS) {
            changes.extend(self.case.removed.iter().map(|id| Change::ResidentPodRemoved(id.0)));
            changes.extend(self.added().map(|(id, at)| {
                let pod = convert::pod(arena, &self.case.added[at], &reads.resident);
                Change::ResidentPod(ResidentPod { id, node: self.before.id.0, pod })
            }));
        }
        changes
    }

    /// Returns the changes that undo the case.
    pub fn pop(&'a self, arena: &'a Bump, cache: &'a Cache, reads: &'a Reads) -> Vec<Change<'a>> {
        let mut changes = self.node(arena, reads, &self.after, self.before);
        if reads.node.facts.contains(NodeFacts::PODS) {
            changes.extend(self.added().map(|(id, _)| Change::ResidentPodRemoved(id)));
            changes.extend(self.case.removed.iter().filter_map(|id| {
                let pod = convert::pod(arena, &cache.pod(*id)?.pod, &reads.resident);
                Some(Change::ResidentPod(ResidentPod { id: id.0, node: self.before.id.0, pod }))
            }));
        }
        changes
    }

    /// Returns the pod that the case adds with this id, if the plugin reads the requests of pods on nodes.
    pub fn added_pod(&self, reads: &Reads, id: u32) -> Option<&'a Pod> {
        if !reads.resident.facts.contains(PodFacts::REQUESTS) {
            return None;
        }
        let at = id.checked_sub(self.first.0)?;
        self.case.added.get(at as usize).map(|pod| &**pod)
    }

    fn added(&self) -> impl Iterator<Item = (u32, usize)> {
        (self.first.0..).zip(0..self.case.added.len())
    }

    /// Returns the changes of usage and ports between two states.
    fn node(&self, arena: &'a Bump, reads: &'a Reads, from: &'a NodeInfo, to: &'a NodeInfo) -> Vec<Change<'a>> {
        let mut changes = Vec::new();
        if reads.node.facts.contains(NodeFacts::USAGE) {
            changes.push(Change::Usage(usage(arena, from, to)));
        }
        if reads.node.facts.contains(NodeFacts::USED_PORTS) && from.used_ports != to.used_ports {
            changes.push(Change::Node(convert::node(arena, to, &reads.node, NodeFacts::USED_PORTS)));
        }
        changes
    }
}

/// Returns the usage of `to`, with 0 for scalar resources that only `from` has.
fn usage<'a>(arena: &'a Bump, from: &'a NodeInfo, to: &'a NodeInfo) -> Usage<'a> {
    let node = to.id.0;
    let one = |value: i64| &*arena.alloc_slice_copy(&[value]);
    let (before, after): (&Resources, &Resources) = (&from.usage.requested, &to.usage.requested);
    let is_gone = |name: &str| !after.scalars.iter().any(|(known, _)| **known == *name);
    let gone = before.scalars.iter().filter(|(name, _)| is_gone(name)).map(|(name, _)| (&**name, 0));
    let there = after.scalars.iter().map(|(name, quantity)| (&**name, *quantity));
    let scalars: Vec<ScalarUsage<'a>> =
        there.chain(gone).map(|(name, quantity)| ScalarUsage { node, name, quantity }).collect();
    Usage {
        nodes: arena.alloc_slice_copy(&[node]),
        milli_cpu: one(after.milli_cpu),
        memory: one(after.memory),
        ephemeral_storage: one(after.ephemeral_storage),
        pods: one(after.pods),
        non_zero_milli_cpu: one(to.usage.non_zero_milli_cpu),
        non_zero_memory: one(to.usage.non_zero_memory),
        scalars: arena.alloc_slice_fill_iter(scalars),
    }
}
