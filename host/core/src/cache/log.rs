//! What changed in the cache, in order, for everyone who keeps something derived from it.

use std::collections::VecDeque;

use super::ids::{ImageId, NodeId, PodId};
use super::objects::{KindId, ObjectId};
use crate::facts::NodeFacts;

/// One change. It says what changed, not to what: read that from the cache, as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// These facts of the node changed; all of them where it is new.
    Node(NodeId, NodeFacts),
    /// The node went.
    NodeRemoved(NodeId),
    /// A pod came to a node, or changed there.
    Pod(PodId),
    /// A pod left its node.
    PodRemoved(PodId),
    /// An image's size or number of nodes changed.
    Image(ImageId),
    /// No node has the image any more.
    ImageRemoved(ImageId),
    /// The number of nodes changed.
    NodeCount,
    /// An object of this kind appeared or changed.
    Object(ObjectId, KindId),
    /// It went.
    ObjectRemoved(ObjectId, KindId),
}

/// The latest changes. A reader remembers the position up to which it has applied them; one that has fallen behind the
/// log's beginning starts anew from the whole cache.
#[derive(Clone, Debug)]
pub struct ChangeLog {
    changes: VecDeque<Change>,
    start: u64,
    /// The position after the last change that is about more than one node.
    beyond_nodes: u64,
    /// How many it holds at least, once there were so many.
    holds: usize,
}

impl Default for ChangeLog {
    fn default() -> Self {
        Self::holding(65_536)
    }
}

impl ChangeLog {
    pub(super) fn holding(holds: usize) -> Self {
        Self { changes: VecDeque::new(), start: 0, beyond_nodes: 0, holds }
    }

    /// The same position, and nothing of what came before it.
    pub(super) fn without_history(&self) -> Self {
        Self { changes: VecDeque::new(), start: self.end(), ..*self }
    }

    /// The position after the last change.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.start + self.changes.len() as u64
    }

    /// The changes since `position`; `None` if the log no longer reaches back so far.
    #[must_use]
    pub fn since(&self, position: u64) -> Option<impl Iterator<Item = Change> + '_> {
        let skip = usize::try_from(position.checked_sub(self.start)?).ok()?;
        Some(self.changes.range(skip.min(self.changes.len())..).copied())
    }

    /// The position after the last change that is not about a node or a pod there.
    #[must_use]
    pub fn end_beyond_nodes(&self) -> u64 {
        self.beyond_nodes
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push_back(change);
        match change {
            Change::Node(..) | Change::NodeRemoved(_) | Change::Pod(_) | Change::PodRemoved(_) => {}
            Change::Image(_) | Change::ImageRemoved(_) | Change::NodeCount => self.beyond_nodes = self.end(),
            Change::Object(..) | Change::ObjectRemoved(..) => self.beyond_nodes = self.end(),
        }
    }

    /// Whether it is longer than a cluster of so many nodes needs.
    pub(super) fn is_too_long(&self, nodes: usize) -> bool {
        self.changes.len() > self.holds.max(8 * nodes)
    }

    pub(super) fn pop_oldest(&mut self) -> Option<Change> {
        let oldest = self.changes.pop_front()?;
        self.start += 1;
        Some(oldest)
    }
}
