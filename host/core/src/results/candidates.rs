//! An entry of the candidate index: the nodes on which pods with the same signatures fit, updated from the change log.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::classes::ClassPosition;
use super::entry_at;
use super::groups::Groups;
use super::lru::Size;
use super::rejected::RejectedBy;
use super::stale::stale_nodes;
use crate::cache::{Cache, NodeId};
use crate::decision::Details;
use crate::plugins::Declaration;

/// The nodes that no filter that answers node by node rejects, for pods that have the same signature for each plugin
/// of the entry's key; and these nodes in groups, ordered by score.
///
/// The nodes are only grouped if the entry has enough memory for it ([`Self::begin_groups`]). Each of the nodes then
/// is either in a group or among the ungrouped nodes, whose scores or classes may have changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// The position up to which the change log was read.
    position: Option<u64>,
    /// By the index of a plugin that answers by class: the position in the log of its class changes up to which the
    /// entry is updated. Plugins without a position have the default, for which possibly all classes changed.
    positions: Vec<ClassPosition>,
    nodes: FixedBitSet,
    /// The number of bits in `nodes` that are set.
    len: usize,
    /// The nodes in the order of their ids, if [`Self::nodes()`] was called since they last changed.
    listed: Option<Arc<[NodeId]>>,
    groups: Option<Groups>,
    ungrouped: Vec<NodeId>,
    /// There were too many groups at some time.
    is_too_varied: bool,
    /// The reasons for which the other nodes were rejected, for decision records.
    pub rejected: RejectedBy,
    /// The latest details that a decision record of this entry has.
    pub details: Option<Arc<Details>>,
}

impl Candidates {
    /// The approximate size of a grouped node in bytes.
    pub const BYTES_PER_NODE: usize = Groups::BYTES_PER_NODE;

    /// Returns the nodes that have to be filtered again, in the order of their ids: nodes that `moved` to another class
    /// (`None` for possibly all), and nodes that changed in facts that these plugins read. The returned nodes stay
    /// stale until [`Self::set`], and have no reasons of a rejection.
    pub fn stale(&mut self, cache: &Cache, plugins: &[&Declaration], moved: Option<Vec<NodeId>>) -> Vec<NodeId> {
        let since = self.position.zip(moved);
        let Some(stale) = since.and_then(|(position, moved)| stale_nodes(cache, position, plugins, moved)) else {
            *self = Self { position: self.position, ..Self::default() };
            return cache.nodes().map(|info| info.id).collect();
        };
        self.rejected.remove(&stale);
        let (there, gone): (Vec<NodeId>, _) = stale.into_iter().partition(|node| cache.node(*node).is_some());
        self.write(&gone, &[]);
        there
    }

    /// Stores the result of filtering the stale nodes. `fit` holds the nodes that fit. Both lists are in the order of
    /// node ids.
    pub fn set(&mut self, stale: &[NodeId], fit: &[NodeId], cache: &Cache) {
        self.write(stale, fit);
        self.position = Some(cache.log().end());
    }

    fn write(&mut self, filtered: &[NodeId], fit: &[NodeId]) {
        if let Some(groups) = &self.groups {
            groups.read_ahead(filtered);
        }
        let mut fit = fit.iter().peekable();
        self.nodes.grow(filtered.last().map_or(0, |last| last.0 as usize + 1));
        for node in filtered {
            let fits = fit.next_if_eq(&node).is_some();
            let at = node.0 as usize;
            let before = self.nodes.contains(at);
            if let Some(groups) = &mut self.groups {
                let was_grouped = groups.remove(*node);
                match (before, fits) {
                    (true, false) if !was_grouped => self.ungrouped.retain(|other| other != node),
                    (true, true) if !was_grouped => {}
                    (_, true) => self.ungrouped.push(*node),
                    (_, false) => {}
                }
            }
            if before != fits {
                self.nodes.set(at, fits);
                self.len = if fits { self.len + 1 } else { self.len - 1 };
                self.listed = None;
            }
        }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns all nodes, in the order of their ids.
    fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.ones().filter_map(|at| u32::try_from(at).ok()).map(NodeId)
    }

    /// Returns all nodes as a list, in the order of their ids. The list takes much more memory than the bit set and is
    /// kept until the nodes change.
    pub fn nodes(&mut self) -> Arc<[NodeId]> {
        let listed = self.listed.take().unwrap_or_else(|| self.iter().collect());
        Arc::clone(self.listed.insert(listed))
    }

    /// Returns the position in the class changes of the plugin with this index among the plugins that answer by class.
    pub fn position(&self, at: usize) -> ClassPosition {
        self.positions.get(at).copied().unwrap_or_default()
    }

    /// Sets the position in the class changes of the plugin with this index among the plugins that answer by class.
    pub fn set_position(&mut self, at: usize, position: ClassPosition) {
        *entry_at(&mut self.positions, at, ClassPosition::default()) = position;
    }

    /// Returns the groups, or `None` if the nodes are not grouped.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// Returns whether there were too many groups at some time.
    pub fn is_too_varied(&self) -> bool {
        self.is_too_varied
    }

    /// Begins to group the nodes. All of them are ungrouped at first.
    pub fn begin_groups(&mut self) {
        self.groups = Some(Groups::with_capacity(self.nodes.len()));
        self.ungrouped = self.iter().collect();
    }

    /// Returns the nodes that are in no group yet. Empty if the nodes are not grouped.
    pub fn ungrouped(&self) -> &[NodeId] {
        &self.ungrouped
    }

    /// Takes these nodes out of their groups, or all nodes for `None`.
    pub fn ungroup(&mut self, moved: Option<&[NodeId]>) {
        let Some(groups) = &mut self.groups else { return };
        match moved {
            Some(moved) => self.ungrouped.extend(moved.iter().filter(|node| groups.remove(**node))),
            None => self.begin_groups(),
        }
    }

    /// Puts the ungrouped nodes into groups. `group` is called with the index of each node in [`Self::ungrouped()`],
    /// fills the key of the node's group, and returns the weighted sum of the scores that are not in the key. With too
    /// many groups, the nodes are not grouped any more.
    ///
    /// # Errors
    /// An error of `group`. The node of this call and the nodes after it then stay ungrouped.
    pub fn group<E>(&mut self, mut group: impl FnMut(usize, &mut Vec<i64>) -> Result<i64, E>) -> Result<(), E> {
        let Some(groups) = &mut self.groups else { return Ok(()) };
        let (mut key, mut done) = (Vec::new(), 0);
        let result = self.ungrouped.iter().enumerate().try_for_each(|(at, node)| {
            key.clear();
            let score = group(at, &mut key)?;
            self.is_too_varied |= !groups.add(*node, &key, score);
            done = at + 1;
            Ok(())
        });
        self.ungrouped.drain(..done);
        if self.is_too_varied {
            (self.groups, self.ungrouped) = (None, Vec::new());
        }
        result
    }
}

impl Size for Candidates {
    fn bytes(&self) -> usize {
        let listed = self.listed.as_ref().map_or(0, |listed| listed.len()) + self.ungrouped.len();
        let groups = self.groups.as_ref().map_or(0, Groups::bytes);
        self.nodes.len() / 8
            + listed * size_of::<NodeId>()
            + groups
            + self.rejected.bytes()
            + self.details.as_ref().map_or(0, |details| details.bytes())
    }
}

#[cfg(test)]
#[path = "candidates_test.rs"]
mod tests;
