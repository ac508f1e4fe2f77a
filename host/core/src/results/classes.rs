//! The classes that a plugin assigns to nodes for one pod signature, updated with each answer.

use std::collections::VecDeque;

use super::entry_at;
use crate::cache::NodeId;
use crate::classes::{ClassId, Classified};

/// The largest number of changes that are remembered. A reader that is further behind looks at all nodes again.
const MOST_CHANGES: usize = 1024;

/// No class. [`crate::classes::MOST_CLASSES`] is much smaller.
const NONE: u16 = u16::MAX;

/// The class of each node, with a log of changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeClasses {
    /// By node id; [`NONE`] for a node without a class.
    of_node: Vec<u16>,
    /// The number of the cycle of the last answer; 0 before the first.
    known: u64,
    /// The number of the cycle of the last answer that set all classes.
    epoch: u64,
    /// Nodes whose class changed, the latest last.
    changes: VecDeque<NodeId>,
    /// The index of the first remembered change among all changes of the epoch.
    start: u64,
}

/// A position in the log of class changes in [`NodeClasses`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassPosition {
    epoch: u64,
    at: u64,
}

impl NodeClasses {
    /// Returns the number of the cycle of the last answer; 0 before the first.
    pub fn known(&self) -> u64 {
        self.known
    }

    /// Applies the answer of the cycle with this number.
    pub fn apply(&mut self, classified: &Classified, cycle: u64) {
        if classified.anew {
            *self = Self { epoch: cycle, ..Self::default() };
        }
        self.known = cycle;
        for (node, class) in classified.nodes.iter().zip(&classified.classes) {
            *entry_at(&mut self.of_node, node.0 as usize, NONE) = u16::try_from(class.0).unwrap_or(NONE);
        }
        if classified.anew {
            return;
        }
        self.changes.extend(&classified.nodes);
        let surplus = self.changes.len().saturating_sub(MOST_CHANGES);
        self.changes.drain(..surplus);
        self.start += surplus as u64;
    }

    /// Returns the class of the node, if it has one.
    pub fn of(&self, node: NodeId) -> Option<ClassId> {
        let class = self.of_node.get(node.0 as usize).copied().filter(|class| *class != NONE)?;
        Some(ClassId(class.into()))
    }

    /// Returns the end of the log of changes.
    pub fn position(&self) -> ClassPosition {
        ClassPosition { epoch: self.epoch, at: self.start + self.changes.len() as u64 }
    }

    /// Returns the nodes whose class changed since this position, some perhaps several times, or `None` if any node
    /// may have changed.
    pub fn since(&self, position: ClassPosition) -> Option<impl Iterator<Item = NodeId> + '_> {
        if position.epoch != self.epoch {
            return None;
        }
        let done = usize::try_from(position.at.checked_sub(self.start)?).ok()?;
        Some(self.changes.range(done.min(self.changes.len())..).copied())
    }

    pub(super) fn bytes(&self) -> usize {
        self.of_node.len() * size_of::<u16>() + self.changes.len() * size_of::<NodeId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::ClassFilter;

    fn answer(anew: bool, nodes: &[(u32, u32)]) -> Classified {
        let (nodes, classes) = nodes.iter().map(|(node, class)| (NodeId(*node), ClassId(*class))).unzip();
        Classified { filter: ClassFilter::Skip, scores: true, anew, nodes, classes }
    }

    fn since(classes: &NodeClasses, position: ClassPosition) -> Option<Vec<u32>> {
        Some(classes.since(position)?.map(|node| node.0).collect())
    }

    #[test]
    fn changes_since_a_position() {
        let mut classes = NodeClasses::default();
        let nowhere = classes.position();
        classes.apply(&answer(true, &[(0, 0), (2, 1)]), 7);
        assert_eq!((classes.of(NodeId(2)), classes.of(NodeId(1))), (Some(ClassId(1)), None));
        assert_eq!(since(&classes, nowhere), None, "all are new");
        let first = classes.position();
        classes.apply(&answer(false, &[(1, 1)]), 8);
        classes.apply(&answer(false, &[(0, 1), (1, 0)]), 9);
        assert_eq!((since(&classes, first), classes.known()), (Some(vec![1, 0, 1]), 9));
        let second = classes.position();
        assert_eq!(since(&classes, second), Some(vec![]));
        classes.apply(&answer(true, &[(0, 0)]), 10);
        assert_eq!(since(&classes, second), None, "it began anew");
        assert_eq!(classes.of(NodeId(1)), None);
    }

    #[test]
    fn a_reader_that_fell_behind_gets_none() {
        let mut classes = NodeClasses::default();
        classes.apply(&answer(true, &[(0, 0)]), 1);
        let first = classes.position();
        for cycle in 2..=MOST_CHANGES as u64 + 1 {
            classes.apply(&answer(false, &[(0, 0)]), cycle);
        }
        assert_eq!(since(&classes, first).map(|changes| changes.len()), Some(MOST_CHANGES));
        classes.apply(&answer(false, &[(0, 0)]), 5000);
        assert_eq!(since(&classes, first), None);
    }
}
