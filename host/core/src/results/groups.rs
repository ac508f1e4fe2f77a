//! The nodes of a candidate index entry in groups, ordered by score. The best nodes are found without a look at every
//! node.
//!
//! Normalized scores depend on the scores of all other nodes, and the verdicts and scores of classes can change with
//! every pod. So nodes form a group if they have the same raw scores for the plugins whose scores the host normalizes,
//! and the same classes. The shared part of the total score is computed once for each group. Within a group, the
//! weighted sum of all other scores gives the order. In practice there are few groups, because the default plugins
//! whose scores the host normalizes count taints, terms and pods.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::entry_at;
use crate::cache::NodeId;
use crate::plugins::ClassId;

/// With more groups than this, a look at all groups is no faster than a look at all nodes.
const MOST_GROUPS: usize = 1024;

/// The number of recently used lists that are remembered. Few are enough: nodes that are added in a row often have the
/// same machine type, are in one of a few zones, and run no pods or a few.
const LATEST: usize = 32;

/// Nodes in groups and ordered lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// By node id.
    positions: Vec<Position>,
    /// Each list holds the nodes of one group with one score.
    lists: Vec<List>,
    /// Indexes into `lists` of the empty lists.
    free_lists: Vec<u32>,
    /// Indexes into `lists` of the lists to which nodes were added recently, by a hash of key and score. The next node
    /// is likely to belong to one of these lists.
    latest: [u32; LATEST],
    groups: Vec<Group>,
    by_key: HashMap<Arc<[i64]>, usize>,
    /// Indexes into `groups` of the empty groups.
    free: Vec<usize>,
}

/// No list, or no group.
const NONE: u32 = u32::MAX;

/// The position of a node.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The index into [`Groups::lists`], or [`NONE`].
    list: u32,
    /// The index into [`List::nodes`].
    at: u32,
}

impl Position {
    /// The position of a node that is in no list.
    const NONE: Self = Self { list: NONE, at: 0 };
}

/// Nodes of the same group with the same weighted sum of the scores that are not in the group's key.
#[derive(Clone, Debug, Default)]
struct List {
    /// The index into [`Groups::groups`], or [`NONE`] for an empty list.
    group: u32,
    score: i64,
    nodes: Vec<NodeId>,
}

/// Nodes with the same classes, and with the same raw scores of the plugins whose scores the host normalizes. Their other
/// scores may differ; see `lists`.
#[derive(Clone, Debug, Default)]
struct Group {
    /// The scores to normalize, then the classes, one for each plugin.
    key: Arc<[i64]>,
    /// Indexes into [`Groups::lists`], by the weighted sum of the scores that are not in the key. No list is empty.
    lists: BTreeMap<i64, u32>,
    /// The number of nodes in the lists.
    len: usize,
}

/// A group as callers see it: its key and its number of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupSummary {
    /// The scores to normalize, then the classes, as given to [`Groups::add`].
    pub key: Arc<[i64]>,
    /// The number of nodes, at least one.
    pub nodes: usize,
}

impl GroupSummary {
    /// Returns the class at this index of the key.
    pub fn class(&self, at: usize) -> ClassId {
        ClassId(u32::try_from(self.key[at]).unwrap_or(u32::MAX))
    }
}

/// The nodes with the highest total score.
#[derive(Clone, Debug)]
pub(crate) struct Best<'a> {
    /// The total score.
    pub total: i64,
    groups: &'a Groups,
    /// Indexes into [`Groups::lists`].
    lists: Vec<u32>,
}

impl Groups {
    /// The approximate size of a node in bytes.
    pub const BYTES_PER_NODE: usize = size_of::<Position>() + size_of::<NodeId>();

    /// Creates groups without nodes, for node ids below `end`.
    pub fn with_capacity(end: usize) -> Self {
        Self { positions: vec![Position::NONE; end], ..Self::default() }
    }

    /// Adds a node that is in no group to the group of this key (scores to normalize, in the order of the plugins, then
    /// classes), with this weighted sum of the scores that are not in the key. Returns false if there are too many
    /// groups.
    pub fn add(&mut self, node: NodeId, key: &[i64], score: i64) -> bool {
        let Some(number) = self.list_of(key, score) else { return false };
        let list = &mut self.lists[number as usize];
        let position = Position { list: number, at: list.nodes.len() as u32 };
        *entry_at(&mut self.positions, node.0 as usize, Position::NONE) = position;
        list.nodes.push(node);
        self.groups[list.group as usize].len += 1;
        true
    }

    /// Reads the current positions of these nodes, which are to be removed. If many entries of the candidate index are
    /// used in turn, none of this memory is in the processor's caches. Independent reads of all nodes overlap, which is
    /// faster than one read at a time.
    pub fn read_ahead(&self, nodes: &[NodeId]) {
        let positions = nodes.iter().filter_map(|node| self.positions.get(node.0 as usize));
        let places =
            positions.filter_map(|position| self.lists.get(position.list as usize)?.nodes.get(position.at as usize));
        std::hint::black_box(places.fold(0, |all, node| all ^ node.0));
    }

    /// Removes a node from its group. Returns whether the node was in a group.
    pub fn remove(&mut self, node: NodeId) -> bool {
        let Some(position) = self.positions.get_mut(node.0 as usize) else { return false };
        let Position { list: number, at } = std::mem::replace(position, Position::NONE);
        let Some(list) = self.lists.get_mut(number as usize) else { return false };
        list.nodes.swap_remove(at as usize);
        if let Some(moved) = list.nodes.get(at as usize) {
            self.positions[moved.0 as usize].at = at;
        }
        let group = &mut self.groups[list.group as usize];
        group.len -= 1;
        if !list.nodes.is_empty() {
            return true;
        }
        group.lists.remove(&list.score);
        if group.len == 0 {
            self.by_key.remove(&group.key);
            self.free.push(list.group as usize);
        }
        list.group = NONE;
        self.free_lists.push(number);
        true
    }

    /// Returns the list for this key and score, perhaps a new one, or `None` if there are too many groups.
    fn list_of(&mut self, key: &[i64], score: i64) -> Option<u32> {
        let latest = latest_for(key, score);
        let is_it = |list: &&List| {
            let group = self.groups.get(list.group as usize);
            list.score == score && group.is_some_and(|group| *group.key == *key)
        };
        let number = self.latest[latest];
        if self.lists.get(number as usize).filter(is_it).is_some() {
            return Some(number);
        }
        let group = self.group_of(key)?;
        let next = self.free_lists.last().copied().unwrap_or(self.lists.len() as u32);
        let number = *self.groups[group].lists.entry(score).or_insert(next);
        if number == next {
            self.free_lists.pop();
            if next as usize == self.lists.len() {
                self.lists.push(List::default());
            }
            let list = &mut self.lists[next as usize];
            (list.group, list.score) = (group as u32, score);
        }
        self.latest[latest] = number;
        Some(number)
    }

    fn group_of(&mut self, key: &[i64]) -> Option<usize> {
        if let Some(group) = self.by_key.get(key) {
            return Some(*group);
        }
        let group = match self.free.pop() {
            Some(free) => free,
            None if self.groups.len() == MOST_GROUPS => return None,
            None => {
                self.groups.push(Group::default());
                self.groups.len() - 1
            }
        };
        let key: Arc<[i64]> = key.into();
        self.groups[group].key = Arc::clone(&key);
        self.by_key.insert(key, group);
        Some(group)
    }

    /// Returns the groups that have nodes.
    pub fn summaries(&self) -> Vec<GroupSummary> {
        self.taken().map(|group| GroupSummary { key: Arc::clone(&group.key), nodes: group.len }).collect()
    }

    fn taken(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.len > 0)
    }

    /// Returns the best nodes, given the shared part of the score for each of [`Self::summaries`]. A group with `None`
    /// is left out. Returns `None` without nodes.
    pub fn best(&self, shared_scores: &[Option<i64>]) -> Option<Best<'_>> {
        let mut best: Option<Best<'_>> = None;
        for (group, shared) in self.taken().zip(shared_scores) {
            let (Some((score, list)), Some(shared)) = (group.lists.last_key_value(), shared) else { continue };
            let total = score + shared;
            match &mut best {
                Some(best) if best.total > total => {}
                Some(best) if best.total == total => best.lists.push(*list),
                _ => best = Some(Best { total, groups: self, lists: vec![*list] }),
            }
        }
        best
    }

    /// Returns some nodes of each group of [`Self::summaries`], at most `most`.
    pub fn examples(&self, most: usize) -> Vec<Vec<NodeId>> {
        let nodes_of = |list: &u32| self.lists[*list as usize].nodes.iter().copied();
        self.taken().map(|group| group.lists.values().flat_map(nodes_of).take(most).collect()).collect()
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.lists.len() * size_of::<List>() + self.groups.len() * size_of::<Group>();
        self.positions.len() * Self::BYTES_PER_NODE + lists
    }
}

impl Best<'_> {
    /// Returns the number of nodes, at least one.
    pub fn count(&self) -> usize {
        self.lists.iter().map(|list| self.groups.lists[*list as usize].nodes.len()).sum()
    }

    /// Returns the highest total score below the best, or `None` if there is no such score. `shared_scores` are those
    /// that the best nodes were computed from.
    pub fn second(&self, shared_scores: &[Option<i64>]) -> Option<i64> {
        let lists = self.lists_by_group(shared_scores);
        lists.filter_map(|mut lists| lists.find(|(total, _)| *total < self.total)).map(|(total, _)| total).max()
    }

    /// Returns the lists of each group that has a shared score: the total score and the nodes, in descending order of the
    /// totals.
    pub fn lists_by_group(
        &self,
        shared_scores: &[Option<i64>],
    ) -> impl Iterator<Item = impl Iterator<Item = (i64, &[NodeId])>> {
        let groups = self.groups.taken().zip(shared_scores).filter_map(|(group, shared)| Some((group, (*shared)?)));
        groups.map(move |(group, shared)| {
            let lists = group.lists.iter().rev();
            lists.map(move |(score, list)| (score + shared, &*self.groups.lists[*list as usize].nodes))
        })
    }

    /// Returns whether the node is among these nodes.
    pub fn contains(&self, node: NodeId) -> bool {
        self.groups.positions.get(node.0 as usize).is_some_and(|position| self.lists.contains(&position.list))
    }

    /// Returns the nodes, in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.lists.iter().flat_map(|list| self.groups.lists[*list as usize].nodes.iter().copied())
    }
}

/// Returns the index in `latest` for this key and score. Different keys mostly have different indexes.
fn latest_for(key: &[i64], score: i64) -> usize {
    // The multiplier is from Knuth's multiplicative hashing. The high bits are mixed best.
    let hash = key.iter().fold(score, |hash, part| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64));
    (hash as u64 >> 32) as usize % LATEST
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the shared part of the score. Nodes of the last class are left out.
    fn shared_score(key: &[i64]) -> Option<i64> {
        (key[1] < 2).then(|| key[0] * 2 - key[1])
    }

    /// Returns the best nodes by a look at all nodes.
    fn naive(nodes: &BTreeMap<NodeId, ([i64; 2], i64)>) -> Option<(i64, Vec<NodeId>)> {
        let total = |(key, score): &([i64; 2], i64)| Some(shared_score(key)? + score);
        let highest = nodes.values().filter_map(total).max()?;
        let best = nodes.iter().filter(|(_, of)| total(of) == Some(highest));
        Some((highest, best.map(|(node, _)| *node).collect()))
    }

    fn indexed(groups: &Groups) -> Option<(i64, Vec<NodeId>)> {
        let shared_scores: Vec<Option<i64>> = groups.summaries().iter().map(|group| shared_score(&group.key)).collect();
        let best = groups.best(&shared_scores)?;
        let mut nodes: Vec<NodeId> = best.nodes().collect();
        nodes.sort_unstable();
        assert_eq!(best.count(), nodes.len());
        assert!(nodes.iter().all(|node| best.contains(*node)));
        let mut totals: Vec<(i64, NodeId)> = Vec::new();
        for (total, nodes) in best.lists_by_group(&shared_scores).flatten() {
            totals.extend(nodes.iter().map(|node| (total, *node)));
        }
        let highest = totals.iter().filter(|(total, _)| *total == best.total).count();
        assert_eq!(highest, nodes.len());
        assert_eq!(
            best.second(&shared_scores),
            totals.iter().map(|(total, _)| *total).filter(|total| *total < best.total).max()
        );
        Some((best.total, nodes))
    }

    proptest! {
        #[test]
        fn the_best_nodes_equal_those_of_a_full_search(
            changes in prop::collection::vec((0u32..12, prop::option::weighted(0.8, ((0i64..3, 0i64..3), 0i64..4))), 0..60),
        ) {
            let mut groups = Groups::default();
            let mut nodes = BTreeMap::new();
            for (node, change) in changes {
                let node = NodeId(node);
                match change {
                    Some(((a, b), score)) => {
                        groups.remove(node);
                        prop_assert!(groups.add(node, &[a, b], score));
                        nodes.insert(node, ([a, b], score));
                    }
                    None => {
                        prop_assert_eq!(groups.remove(node), nodes.remove(&node).is_some());
                    }
                }
                prop_assert_eq!(indexed(&groups), naive(&nodes));
                prop_assert_eq!(groups.summaries().iter().map(|group| group.nodes).sum::<usize>(), nodes.len());
            }
        }
    }

    #[test]
    fn too_many_groups_are_refused_and_empty_groups_are_reused() {
        let mut groups = Groups::default();
        for n in 0..5000 {
            groups.remove(NodeId(0));
            assert!(groups.add(NodeId(0), &[n], 0));
        }
        assert_eq!(groups.summaries().len(), 1);
        let added = (1..2000).take_while(|n| groups.add(NodeId(*n), &[i64::from(*n)], 0)).count();
        assert_eq!(added, MOST_GROUPS - 1);
    }
}
