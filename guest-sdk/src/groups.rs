//! Groups of equal pods, for an [index](crate::index) that counts the pods on nodes.
//!
//! A cluster has many pods but few kinds of pods. A group holds all pods with the same key, usually namespace and
//! labels. A selector matches either all pods of a group or none, so it is evaluated once per group and not once per
//! pod. A caller that has counted all pods once needs only the pods that came and left since then: [`Groups::since`].
//!
//! ```
//! use berth_guest::groups::{Groups, PerGroup};
//! use berth_guest::{node, pod};
//!
//! let mut groups = Groups::<&str>::default();
//! groups.set(pod::Id(0), node::Id(7), "web", |_| ());
//! let counted = groups.position();
//! groups.set(pod::Id(1), node::Id(8), "web", |_| ());
//! groups.remove(pod::Id(0));
//!
//! let mut known = PerGroup::default();
//! for step in groups.since(counted).unwrap() {
//!     let is_web = known.get(step.group, || groups.get(step.group).is_some_and(|group| group.key == "web"));
//!     println!("{is_web}: {} on node {}", step.by, step.node.0);
//! }
//! ```

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hash};

use crate::labels::Hasher;
use crate::{node, pod};

/// The maximum number of stored steps. A caller that needs older steps must count all pods of all groups again.
const STEPS: usize = 4096;

/// The end of a linked list.
const NONE: u32 = u32::MAX;

/// The pods on nodes, by group. `K` is the type of a group's key, which all pods of the group share. `V` is the type
/// of a value that the caller makes from the key when the group is created.
#[derive(Debug)]
pub struct Groups<K, V = ()> {
    ids: HashMap<K, u32, BuildHasherDefault<Hasher>>,
    groups: Vec<Slot<K, V>>,
    free: Vec<u32>,
    /// The entry of each pod, by pod id.
    entries: Vec<PodEntry>,
    steps: VecDeque<Step>,
    /// The position of the first element of `steps`.
    start: u64,
}

/// The id of a group. Valid until the group is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupId {
    slot: u32,
    /// The number of groups that have used the slot so far. Tells an id of an earlier group in this slot from this id.
    generation: u32,
}

/// A group of pods.
#[derive(Debug)]
pub struct Group<K, V> {
    /// The key that all pods of the group share.
    pub key: K,
    /// The value that the caller made from the key.
    pub value: V,
    /// The number of pods in the group.
    pods: u32,
    /// The id of the first pod in the linked list of the group's pods; `NONE` if the group has no pods.
    first: u32,
    /// The position after the latest step of the group's pods.
    last_step: u64,
}

#[derive(Debug)]
struct Slot<K, V> {
    generation: u32,
    group: Option<Group<K, V>>,
}

/// The entry of a pod: its group and node, and its neighbors in the linked list of the group's pods.
#[derive(Clone, Copy, Debug)]
struct PodEntry {
    slot: u32,
    node: u32,
    next: u32,
    previous: u32,
}

const NO_ENTRY: PodEntry = PodEntry { slot: NONE, node: NONE, next: NONE, previous: NONE };

/// A change of a group: one of its pods was added to a node or removed from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The group of the pod.
    pub group: GroupId,
    /// The node to which the pod was added, or from which it was removed.
    pub node: node::Id,
    /// 1 if the pod was added, -1 if the pod was removed.
    pub by: i32,
}

impl<K, V> Default for Groups<K, V> {
    fn default() -> Groups<K, V> {
        Groups {
            ids: HashMap::default(),
            groups: Vec::new(),
            free: Vec::new(),
            entries: Vec::new(),
            steps: VecDeque::new(),
            start: 0,
        }
    }
}

impl<K: Clone + Eq + Hash, V> Groups<K, V> {
    /// Adds a pod to a node, or changes the node or the key of a known pod. If no group has this key, `make` makes the
    /// value of a new group.
    pub fn set(&mut self, pod: pod::Id, node: node::Id, key: K, make: impl FnOnce(&K) -> V) {
        let slot = self.slot(key, make);
        let unchanged = self.entries.get(pod.at()).is_some_and(|entry| entry.slot == slot && entry.node == node.0);
        if unchanged {
            return;
        }
        self.remove(pod);
        if pod.at() >= self.entries.len() {
            self.entries.resize(pod.at() + 1, NO_ENTRY);
        }
        let first = self.group_mut(slot).map_or(NONE, |group| {
            group.pods += 1;
            std::mem::replace(&mut group.first, pod.0)
        });
        self.link(pod.0, |entry| *entry = PodEntry { slot, node: node.0, next: first, previous: NONE });
        self.link(first, |entry| entry.previous = pod.0);
        self.step(slot, node, 1);
    }

    /// Removes a pod from its node.
    pub fn remove(&mut self, pod: pod::Id) {
        let Some(entry) = self.entries.get_mut(pod.at()) else { return };
        let PodEntry { slot, node, next, previous } = std::mem::replace(entry, NO_ENTRY);
        let Some(group) = self.groups.get_mut(slot as usize).and_then(|slot| slot.group.as_mut()) else { return };
        group.pods -= 1;
        if previous == NONE {
            group.first = next;
        }
        self.link(previous, |entry| entry.next = next);
        self.link(next, |entry| entry.previous = previous);
        self.step(slot, node::Id(node), -1);
    }

    /// Returns the slot of the group with this key. Creates a group that does not exist.
    fn slot(&mut self, key: K, make: impl FnOnce(&K) -> V) -> u32 {
        if let Some(slot) = self.ids.get(&key) {
            return *slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.groups.push(Slot { generation: 0, group: None });
            // Fits a `u32`: there are no more groups than pods, and pod ids are of this type.
            (self.groups.len() - 1) as u32
        });
        self.ids.insert(key.clone(), slot);
        if let Some(free) = self.groups.get_mut(slot as usize) {
            let value = make(&key);
            free.generation += 1;
            free.group = Some(Group { key, value, pods: 0, first: NONE, last_step: 0 });
        }
        slot
    }

    fn group_mut(&mut self, slot: u32) -> Option<&mut Group<K, V>> {
        self.groups.get_mut(slot as usize)?.group.as_mut()
    }

    fn link(&mut self, pod: u32, change: impl FnOnce(&mut PodEntry)) {
        if let Some(entry) = self.entries.get_mut(pod as usize) {
            change(entry);
        }
    }

    fn step(&mut self, slot: u32, node: node::Id, by: i32) {
        let end = self.position() + 1;
        let Some(Slot { generation, group: Some(group) }) = self.groups.get_mut(slot as usize) else { return };
        group.last_step = end;
        self.steps.push_back(Step { group: GroupId { slot, generation: *generation }, node, by });
        if self.steps.len() > STEPS
            && let Some(oldest) = self.steps.pop_front()
        {
            self.start += 1;
            self.forget_empty(oldest.group.slot);
        }
    }

    /// Removes the group in this slot if the group has no pods and no stored step names the group.
    fn forget_empty(&mut self, slot: u32) {
        let start = self.start;
        if let Some(known) = self.groups.get_mut(slot as usize)
            && let Some(group) = known.group.take_if(|group| group.pods == 0 && group.last_step <= start)
        {
            self.ids.remove(&group.key);
            self.free.push(slot);
        }
    }
}

impl<K, V> Groups<K, V> {
    /// Returns a group. A group without pods is kept while a stored step names the group.
    pub fn get(&self, id: GroupId) -> Option<&Group<K, V>> {
        let slot = self.groups.get(id.slot as usize).filter(|slot| slot.generation == id.generation)?;
        slot.group.as_ref()
    }

    /// Returns all groups that have pods.
    pub fn iter(&self) -> impl Iterator<Item = (GroupId, &Group<K, V>)> {
        let id = |(slot, generation)| GroupId { slot, generation };
        let all = (0..).zip(&self.groups);
        all.filter_map(move |(at, slot)| Some((id((at, slot.generation)), slot.group.as_ref()?)))
            .filter(|(_, group)| group.pods > 0)
    }

    /// Returns the node of each pod of a group. A node that has several pods of the group is returned several times.
    pub fn nodes(&self, group: &Group<K, V>) -> impl Iterator<Item = node::Id> {
        let entry = |pod: u32| self.entries.get(pod as usize);
        let first = entry(group.first);
        std::iter::successors(first, move |last| entry(last.next)).map(|entry| node::Id(entry.node))
    }

    /// Returns the position after the latest step.
    pub fn position(&self) -> u64 {
        self.start + self.steps.len() as u64
    }

    /// Returns the steps since a position that [`Groups::position`] returned. `None` if some of these steps are no
    /// longer stored.
    pub fn since(&self, position: u64) -> Option<impl Iterator<Item = Step>> {
        let done = usize::try_from(position.checked_sub(self.start)?).ok()?;
        Some(self.steps.range(done.min(self.steps.len())..).copied())
    }
}

/// A value per group that the caller computes once. A value is kept until a later group uses the group's slot.
#[derive(Clone, Debug)]
pub struct PerGroup<T>(Vec<Option<(u32, T)>>);

impl<T> Default for PerGroup<T> {
    fn default() -> PerGroup<T> {
        PerGroup(Vec::new())
    }
}

impl<T> PerGroup<T> {
    /// Returns the number of bytes of the list of values, without the memory that the values point to.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Option<(u32, T)>>()
    }

    /// Returns the value of a group. Calls `find` if the value is not known yet.
    pub fn get(&mut self, id: GroupId, find: impl FnOnce() -> T) -> &T {
        let at = id.slot as usize;
        if at >= self.0.len() {
            self.0.resize_with(at + 1, || None);
        }
        // In bounds: the resize above made the slot.
        let slot = &mut self.0[at];
        let fresh = slot.take().filter(|(generation, _)| *generation == id.generation);
        &slot.insert(fresh.unwrap_or_else(|| (id.generation, find()))).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(groups: &Groups<&'static str>, key: &str) -> Vec<u32> {
        let mut nodes: Vec<u32> = groups
            .iter()
            .filter(|(_, group)| group.key == key)
            .flat_map(|(_, group)| groups.nodes(group))
            .map(|node| node.0)
            .collect();
        nodes.sort_unstable();
        nodes
    }

    fn set(groups: &mut Groups<&'static str>, pod: u32, node: u32, key: &'static str) {
        groups.set(pod::Id(pod), node::Id(node), key, |_| ());
    }

    #[test]
    fn pods_are_added_moved_changed_and_removed() {
        let mut groups = Groups::default();
        for (pod, node, key) in [(0, 1, "a"), (1, 1, "a"), (2, 3, "a"), (3, 1, "b"), (1, 4, "a"), (3, 1, "a")] {
            set(&mut groups, pod, node, key);
        }
        assert_eq!((on(&groups, "a"), on(&groups, "b")), (vec![1, 1, 3, 4], vec![]));
        groups.remove(pod::Id(2));
        groups.remove(pod::Id(2));
        groups.remove(pod::Id(9));
        assert_eq!(on(&groups, "a"), [1, 1, 4]);
        [0, 1, 3].into_iter().for_each(|pod| groups.remove(pod::Id(pod)));
        assert_eq!(groups.iter().count(), 0);
    }

    #[test]
    fn steps_are_listed_from_a_position() {
        let mut groups = Groups::default();
        set(&mut groups, 0, 1, "a");
        let position = groups.position();
        set(&mut groups, 0, 1, "a");
        assert_eq!(groups.since(position).unwrap().count(), 0, "nothing changed");
        set(&mut groups, 0, 2, "a");
        let steps: Vec<_> = groups.since(position).unwrap().map(|step| (step.node.0, step.by)).collect();
        assert_eq!(steps, [(1, -1), (2, 1)]);
    }

    #[test]
    fn a_reader_too_far_behind_starts_again_and_empty_groups_are_dropped() {
        let mut groups = Groups::default();
        set(&mut groups, 0, 1, "gone");
        let gone = groups.iter().next().unwrap().0;
        groups.remove(pod::Id(0));
        let position = groups.position();
        assert!(groups.get(gone).is_some(), "steps name it");
        let mut known = PerGroup::default();
        known.get(gone, || "gone");
        for pod in 0..STEPS as u32 + 1 {
            set(&mut groups, pod, 1, "b");
        }
        assert!(groups.since(position).is_none() && groups.since(position + 1).is_some());
        assert!(groups.get(gone).is_none());
        set(&mut groups, 0, 1, "c");
        let (reused, _) = groups.iter().find(|(_, group)| group.key == "c").unwrap();
        assert_eq!(reused.slot, gone.slot);
        assert_eq!(*known.get(reused, || "c"), "c", "another group than the one that had the slot");
    }
}
