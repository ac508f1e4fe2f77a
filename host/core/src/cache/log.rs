//! The log of cache changes, in order. Every reader that derives state from the cache reads the log.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::ids::{ImageId, KindId, NodeId, ObjectId, PodId};
use crate::facts::NodeFacts;

/// One change. It names the changed item. The new value is read from the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// These facts of the node changed. A new node has all facts.
    Node(NodeId, NodeFacts),
    /// The node was removed.
    NodeRemoved(NodeId),
    /// A pod was added to a node or changed there.
    Pod(PodId),
    /// A pod left its node, or the pod's node was removed. The pod may still be in the cache.
    PodRemoved(PodId),
    /// A pending pod was added or changed.
    PendingPod(PodId),
    /// A pod is not pending any more.
    PendingPodRemoved(PodId),
    /// An image's size or number of nodes changed.
    Image(ImageId),
    /// The last node with the image lost it.
    ImageRemoved(ImageId),
    /// The number of nodes changed.
    NodeCount,
    /// An object of this kind appeared or changed.
    Object(ObjectId, KindId),
    /// The object was removed.
    ObjectRemoved(ObjectId, KindId),
}

/// The latest changes. A reader remembers the position up to which it has applied them. A reader that fell behind the
/// start of the log starts again from the whole cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeLog {
    changes: VecDeque<Change>,
    start: u64,
    /// The position after the last change that is not about a single node, its pods or a pending pod.
    beyond_nodes: u64,
    /// The position after the last change of a pending pod.
    pending_pods: u64,
    /// The log drops no changes while it has at most this many.
    holds: usize,
}

impl Default for ChangeLog {
    fn default() -> Self {
        Self::with_limit(65_536)
    }
}

impl ChangeLog {
    pub(super) fn with_limit(holds: usize) -> Self {
        Self { changes: VecDeque::new(), start: 0, beyond_nodes: 0, pending_pods: 0, holds }
    }

    /// Returns a log with the same end that only holds the changes since this position. If the log no longer reaches
    /// back so far, the copy holds no changes.
    pub(super) fn latest(&self, since: u64) -> Self {
        let changes: VecDeque<Change> = self.since(since).into_iter().flatten().collect();
        Self { start: self.end() - changes.len() as u64, changes, ..*self }
    }

    /// Returns whether the position after the last change is a number.
    pub(crate) fn has_valid_positions(&self) -> bool {
        self.start.checked_add(self.changes.len() as u64).is_some()
    }

    /// Returns the position after the last change.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.start + self.changes.len() as u64
    }

    /// Returns the changes since `position`, or `None` if the log no longer reaches back so far.
    #[must_use]
    pub fn since(&self, position: u64) -> Option<impl Iterator<Item = Change> + '_> {
        let skip = usize::try_from(position.checked_sub(self.start)?).ok()?;
        Some(self.changes.range(skip.min(self.changes.len())..).copied())
    }

    /// Returns the position after the last change that is not about a node, a pod on it or a pending pod.
    #[must_use]
    pub fn end_beyond_nodes(&self) -> u64 {
        self.beyond_nodes
    }

    /// Returns the position after the last change of a pending pod.
    #[must_use]
    pub fn end_of_pending_pods(&self) -> u64 {
        self.pending_pods
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push_back(change);
        match change {
            Change::Node(..) | Change::NodeRemoved(_) | Change::Pod(_) | Change::PodRemoved(_) => {}
            Change::PendingPod(_) | Change::PendingPodRemoved(_) => self.pending_pods = self.end(),
            Change::Image(_) | Change::ImageRemoved(_) | Change::NodeCount => self.beyond_nodes = self.end(),
            Change::Object(..) | Change::ObjectRemoved(..) => self.beyond_nodes = self.end(),
        }
    }

    /// Returns whether the log is longer than a cluster of this many nodes needs.
    pub(super) fn is_too_long(&self, nodes: usize) -> bool {
        self.changes.len() > self.holds.max(8 * nodes)
    }

    pub(super) fn pop_oldest(&mut self) -> Option<Change> {
        let oldest = self.changes.pop_front()?;
        self.start += 1;
        Some(oldest)
    }
}
