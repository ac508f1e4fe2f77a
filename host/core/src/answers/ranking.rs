//! The nodes that pods of one kind fit on, in the order of their scores, followed from change to change: the best is found
//! without looking at all.
//!
//! Scores that are normalized depend on those of all other nodes, and what is said of classes of nodes changes with every pod.
//! So nodes with the same such scores and of the same classes are a group; what these are worth is computed a group at a
//! time, and within a group the other scores give the order. There are few groups: the scores that default plugins have
//! normalized count taints, terms and pods.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::classes::Position;
use super::stale::Followed;
use crate::cache::{Cache, NodeId};
use crate::plugins::Declaration;

/// With more groups than this, to look at them all is no less work than to look at all nodes.
const MOST_GROUPS: usize = 1024;

/// Nodes of one kind of machine come from a few zones in turn, with a few pods or none.
const LATEST: usize = 32;

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    followed: Followed,
    /// Of the plugins that answer by class.
    positions: Vec<Position>,
    /// By node id.
    spots: Vec<Spot>,
    /// Nodes of one group and one score.
    lists: Vec<List>,
    /// Lists that became empty.
    free_lists: Vec<u32>,
    /// Where nodes were put lately, by what they have in common: the next one is likely to be like one of them.
    latest: [u32; LATEST],
    groups: Vec<Group>,
    by_key: HashMap<Arc<[i64]>, usize>,
    /// Groups that became empty.
    free: Vec<usize>,
    /// There were too many groups once.
    is_too_varied: bool,
}

/// No list, or no group.
const NONE: u32 = u32::MAX;

/// Where a node is to be found.
#[derive(Clone, Copy, Debug)]
struct Spot {
    /// Or [`NONE`].
    list: u32,
    /// In the list.
    at: u32,
}

/// Nodes that have a group and the other scores' weighted sum in common.
#[derive(Clone, Debug, Default)]
struct List {
    /// Or [`NONE`].
    group: u32,
    score: i64,
    nodes: Vec<NodeId>,
}

/// Nodes whose scores that are normalized are the same, and their classes.
#[derive(Clone, Debug, Default)]
struct Group {
    /// These, a plugin at a time.
    key: Arc<[i64]>,
    /// By the weighted sum of the others. None is empty.
    lists: BTreeMap<i64, u32>,
    /// How many nodes they hold.
    len: usize,
}

/// What nodes have in common, and how many they are: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InCommon {
    /// The scores that are normalized, then the classes, as [`Ranking::put`] was given them.
    pub key: Arc<[i64]>,
    /// The number of nodes.
    pub nodes: usize,
}

/// The best nodes: those of these lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Best<'a> {
    /// Their total score.
    pub total: i64,
    /// They, in no particular order.
    pub nodes: Vec<&'a [NodeId]>,
}

impl Ranking {
    /// About how many bytes a node takes.
    pub const BYTES_PER_NODE: usize = size_of::<Spot>() + size_of::<NodeId>();

    /// Nothing was ever put, or it does not follow any more from what was.
    #[must_use]
    pub fn begins(&self, cache: &Cache) -> bool {
        self.followed.begins(cache)
    }

    /// Up to where classes have been followed, as [`Self::caught_up`] was told.
    #[must_use]
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The nodes that have to be put or removed again: `moved` to another class, which may be all, or changed in facts that these
    /// plugins read. `None` for all of them, for none has a place any more. They are so until [`Self::caught_up`].
    pub fn stale(
        &mut self,
        cache: &Cache,
        plugins: &[&Declaration],
        moved: Option<Vec<NodeId>>,
    ) -> Option<Vec<NodeId>> {
        let stale = moved.and_then(|moved| self.followed.stale(cache, plugins, moved));
        if stale.is_none() {
            let spots = vec![Spot { list: NONE, at: 0 }; cache.node_id_end()];
            *self = Self { followed: self.followed, spots, ..Self::default() };
        }
        stale
    }

    /// All that was stale was put or removed, with the classes as they were at these positions.
    pub fn caught_up(&mut self, cache: &Cache, positions: Vec<Position>) {
        self.followed.caught_up(cache);
        self.positions = positions;
    }

    /// The node has this in common with others (scores that are normalized, in the plugins' order, and classes), and this weighted
    /// sum of the other scores.
    pub fn put(&mut self, node: NodeId, key: &[i64], score: i64) {
        if self.is_too_varied {
            return;
        }
        let Some(number) = self.list_of(key, score) else {
            *self = Self { followed: self.followed, is_too_varied: true, ..Self::default() };
            return;
        };
        let at = node.0 as usize;
        if at >= self.spots.len() {
            self.spots.resize(at + 1, Spot { list: NONE, at: 0 });
        }
        let before = self.spots[at];
        if before.list == number {
            return;
        }
        let list = &mut self.lists[number as usize];
        self.spots[at] = Spot { list: number, at: list.nodes.len() as u32 };
        list.nodes.push(node);
        self.groups[list.group as usize].len += 1;
        // Only now, as its group may be the same, and goes with its last node.
        self.vacate(before);
    }

    /// Looks where these nodes are, of which each is to be put or removed. Where many rankings are used in turn, none of that is in the
    /// processor's caches: asked for all at once it comes all at once, and one by one as each is needed.
    pub fn read_ahead(&self, nodes: &[NodeId]) {
        let spots = nodes.iter().filter_map(|node| self.spots.get(node.0 as usize));
        let places = spots.filter_map(|spot| self.lists.get(spot.list as usize)?.nodes.get(spot.at as usize));
        std::hint::black_box(places.fold(0, |all, node| all ^ node.0));
    }

    /// Pods do not fit on the node.
    pub fn remove(&mut self, node: NodeId) {
        let Some(spot) = self.spots.get_mut(node.0 as usize) else { return };
        let before = std::mem::replace(spot, Spot { list: NONE, at: 0 });
        self.vacate(before);
    }

    /// Whoever was there is not any more.
    fn vacate(&mut self, Spot { list: number, at }: Spot) {
        let Some(list) = self.lists.get_mut(number as usize) else { return };
        list.nodes.swap_remove(at as usize);
        if let Some(moved) = list.nodes.get(at as usize) {
            self.spots[moved.0 as usize].at = at;
        }
        let group = &mut self.groups[list.group as usize];
        group.len -= 1;
        if !list.nodes.is_empty() {
            return;
        }
        group.lists.remove(&list.score);
        if group.len == 0 {
            self.by_key.remove(&group.key);
            self.free.push(list.group as usize);
        }
        list.group = NONE;
        self.free_lists.push(number);
    }

    /// The list for nodes with this in common, perhaps a new one; `None` where there would be too many groups.
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

    /// Nodes differ too much to be ranked.
    #[must_use]
    pub fn is_too_varied(&self) -> bool {
        self.is_too_varied
    }

    /// The groups of nodes.
    #[must_use]
    pub fn groups(&self) -> Vec<InCommon> {
        self.taken().map(|group| InCommon { key: Arc::clone(&group.key), nodes: group.len }).collect()
    }

    fn taken(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.len > 0)
    }

    /// The best, where what is in common is worth so much in each of [`Self::groups`]; those of which it is `None` are left out.
    /// `None` without nodes.
    #[must_use]
    pub fn best(&self, worth: &[Option<i64>]) -> Option<Best<'_>> {
        let mut best: Option<Best<'_>> = None;
        for (group, worth) in self.taken().zip(worth) {
            let (Some((score, list)), Some(worth)) = (group.lists.last_key_value(), worth) else { continue };
            let (total, nodes) = (score + worth, &*self.lists[*list as usize].nodes);
            match &mut best {
                Some(best) if best.total > total => {}
                Some(best) if best.total == total => best.nodes.push(nodes),
                _ => best = Some(Best { total, nodes: vec![nodes] }),
            }
        }
        best
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.lists.len() * size_of::<List>() + self.groups.len() * size_of::<Group>();
        self.spots.len() * Self::BYTES_PER_NODE + lists
    }
}

impl Best<'_> {
    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|list| list.len()).sum()
    }

    /// There is always one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// One of them, by its number below [`Self::len`].
    #[must_use]
    pub fn nth(&self, number: usize) -> Option<NodeId> {
        let mut left = number;
        for list in &self.nodes {
            match list.get(left) {
                Some(node) => return Some(*node),
                None => left -= list.len(),
            }
        }
        None
    }
}

/// Where among the latest lists one stands whose nodes have this in common: mostly another place than others'.
fn latest_for(key: &[i64], score: i64) -> usize {
    // The multiplier is that of Knuth's multiplicative hashing; the first bits are the best mixed.
    let hash = key.iter().fold(score, |hash, part| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64));
    (hash as u64 >> 32) as usize % LATEST
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Nodes of the last class are left out.
    fn worth(key: &[i64]) -> Option<i64> {
        (key[1] < 2).then(|| key[0] * 2 - key[1])
    }

    /// What is best by looking at all.
    fn naive(nodes: &BTreeMap<NodeId, ([i64; 2], i64)>) -> Option<(i64, Vec<NodeId>)> {
        let total = |(key, score): &([i64; 2], i64)| Some(worth(key)? + score);
        let highest = nodes.values().filter_map(total).max()?;
        let best = nodes.iter().filter(|(_, of)| total(of) == Some(highest));
        Some((highest, best.map(|(node, _)| *node).collect()))
    }

    fn ranked(ranking: &Ranking) -> Option<(i64, Vec<NodeId>)> {
        let worth: Vec<Option<i64>> = ranking.groups().iter().map(|group| worth(&group.key)).collect();
        let best = ranking.best(&worth)?;
        let mut nodes: Vec<NodeId> = (0..best.len()).filter_map(|n| best.nth(n)).collect();
        nodes.sort_unstable();
        Some((best.total, nodes))
    }

    proptest! {
        #[test]
        fn the_best_are_those_that_a_look_at_all_finds(
            changes in prop::collection::vec((0u32..12, prop::option::weighted(0.8, ((0i64..3, 0i64..3), 0i64..4))), 0..60),
        ) {
            let mut ranking = Ranking::default();
            let mut nodes = BTreeMap::new();
            for (node, change) in changes {
                let node = NodeId(node);
                match change {
                    Some(((a, b), score)) => {
                        ranking.put(node, &[a, b], score);
                        nodes.insert(node, ([a, b], score));
                    }
                    None => {
                        ranking.remove(node);
                        nodes.remove(&node);
                    }
                }
                prop_assert_eq!(ranked(&ranking), naive(&nodes));
                prop_assert_eq!(ranking.groups().iter().map(|group| group.nodes).sum::<usize>(), nodes.len());
            }
        }
    }

    #[test]
    fn gives_up_where_every_node_is_a_group_and_not_where_groups_come_and_go() {
        let mut ranking = Ranking::default();
        for n in 0..5000 {
            ranking.put(NodeId(0), &[n], 0);
        }
        assert_eq!((ranking.is_too_varied(), ranking.groups().len()), (false, 1));
        for n in 0..2000 {
            ranking.put(NodeId(n), &[i64::from(n)], 0);
        }
        assert_eq!((ranking.is_too_varied(), ranking.best(&[])), (true, None));
    }
}
