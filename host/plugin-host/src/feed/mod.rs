//! Keeps the snapshot of an instance up to date: sends the whole cluster once, and then only changes.

mod objects;
mod overlay;
mod pending;
mod usage;

use berth_core::cache::{Cache, PodId};
use berth_core::facts::{ClusterFacts, NodeFacts, PodFacts};
use berth_core::model::Pod;
use berth_core::plugins::Declaration;
use berth_core::reads::{NodeReads, PodReads};
use bumpalo::Bump;

pub(crate) use self::objects::ObjectFeed;
pub(crate) use self::overlay::Overlay;
use self::pending::{Item, Pending};
use self::usage::UsageColumns;
use super::bindings::v0_2::exports::berth::scheduler::snapshot::{Change, Image, PendingPod, ResidentPod};
use super::convert;

/// The largest number of changes per call of `apply`, not counting the change of usage. The number is limited because
/// the deadline applies to a call, and because the instance's memory stays as large as the largest call needed.
pub const BATCH: usize = 512;

/// The facts of the cluster that a plugin reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reads {
    pub node: NodeReads,
    pub resident: PodReads,
    pub pending: Option<PodReads>,
    pub cluster: ClusterFacts,
}

impl Reads {
    pub fn of(declaration: &Declaration) -> Self {
        Self {
            node: declaration.node.clone(),
            resident: declaration.resident_pods.clone(),
            pending: declaration.pending_pods.clone(),
            cluster: declaration.cluster_facts,
        }
    }

    /// Returns whether the plugin reads anything that is sent through `snapshot`.
    pub fn any(&self) -> bool {
        !self.node.is_empty() || !self.cluster.is_empty() || self.pending.is_some()
    }

    /// Returns the pod on a node with this id, if the plugin reads the requests of pods on nodes.
    pub fn requested<'a>(&self, cache: &'a Cache, id: u32) -> Option<&'a Pod> {
        let pod = self.resident.facts.contains(PodFacts::REQUESTS).then(|| cache.pod(PodId(id)))?;
        pod.map(|cached| &*cached.pod)
    }

    /// Returns the facts that are part of a node's record. Usage and pods are separate changes.
    fn in_record(&self) -> NodeFacts {
        self.node.touching().difference(NodeFacts::USAGE | NodeFacts::PODS)
    }
}

/// Converts changes of the cache into calls of `apply`. One feeder serves all instances of a thread, because it keeps
/// only buffers between calls.
#[derive(Default)]
pub struct Feeder {
    arena: Bump,
    pending: Pending,
    usage: UsageColumns,
}

impl Feeder {
    /// Sends the whole cluster. Returns the position in the change log up to which the instance is then current.
    pub(crate) fn fill<E>(
        &mut self,
        cache: &Cache,
        reads: &Reads,
        apply: impl FnMut(&[Change<'_>]) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.pending.everything(cache, reads);
        self.send(cache, reads, apply)?;
        Ok(cache.log().end())
    }

    /// Sends the changes since `position`, each item once in its current state. Returns the new position, or `None`
    /// if the log no longer contains `position`.
    pub(crate) fn catch_up<E>(
        &mut self,
        cache: &Cache,
        position: u64,
        reads: &Reads,
        apply: impl FnMut(&[Change<'_>]) -> Result<(), E>,
    ) -> Result<Option<u64>, E> {
        let end = cache.log().end();
        if position < end {
            let Some(changes) = cache.log().since(position) else {
                return Ok(None);
            };
            self.pending.collect(changes, reads);
            self.send(cache, reads, apply)?;
        }
        Ok(Some(end))
    }

    fn send<E>(
        &mut self,
        cache: &Cache,
        reads: &Reads,
        mut apply: impl FnMut(&[Change<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        for batch in self.pending.take_items(cache).chunks(BATCH) {
            self.arena.reset();
            self.usage.clear();
            let mut changes = Vec::with_capacity(batch.len().min(BATCH) + 1);
            for item in batch {
                if let Item::Node(id, facts) = *item
                    && facts.contains(NodeFacts::USAGE)
                    && reads.node.facts.contains(NodeFacts::USAGE)
                    && let Some(info) = cache.node(id)
                {
                    self.usage.push(id, &info.usage);
                }
                changes.extend(change(&self.arena, cache, reads, *item));
            }
            changes.extend(self.usage.as_change(&self.arena, cache));
            if !changes.is_empty() {
                apply(&changes)?;
            }
        }
        Ok(())
    }
}

/// Returns the change with the current state of an item, or `None` for a known node whose record has no changed fact.
fn change<'a>(arena: &'a Bump, cache: &'a Cache, reads: &'a Reads, item: Item) -> Option<Change<'a>> {
    Some(match item {
        Item::Node(id, facts) => {
            let new = facts.contains(NodeFacts::NAME);
            let facts = facts & reads.in_record();
            if facts.is_empty() && !new {
                return None;
            }
            Change::Node(convert::node(arena, cache.node(id)?, &reads.node, facts))
        }
        Item::NodeRemoved(id) => Change::NodeRemoved(id.0),
        Item::Pod(id) => {
            let cached = cache.pod(id)?;
            let pod = convert::pod(arena, &cached.pod, &reads.resident);
            Change::ResidentPod(ResidentPod { id: id.0, node: cached.node?.0, pod })
        }
        Item::PodRemoved(id) => Change::ResidentPodRemoved(id.0),
        Item::PendingPod(id) => {
            let pod = convert::pod(arena, cache.pending_pod(id)?, reads.pending.as_ref()?);
            Change::PendingPod(PendingPod { id: id.0, pod })
        }
        Item::PendingPodRemoved(id) => Change::PendingPodRemoved(id.0),
        Item::Image(id) => {
            let state = cache.images().get(id)?;
            Change::Image(Image { id: id.0, name: &state.name, size: state.size, nodes: state.nodes })
        }
        Item::ImageRemoved(id) => Change::ImageRemoved(id.0),
        Item::NodeCount => Change::NodeCount(u32::try_from(cache.node_count()).unwrap_or(u32::MAX)),
    })
}

#[cfg(test)]
#[path = "feed_test.rs"]
mod tests;
