//! Answers per class of nodes, for plugins that count over topology domains such as zones. For a pod whose signature is
//! known, the plugin then computes one answer per class and not one answer per node.
//!
//! For each pod signature, `classify` sorts the nodes into classes and `score_classes` scores the classes. At any one
//! time, all nodes of a class must have the same verdict and the same scores. The class's key has the properties that
//! distinguish the nodes: constant ones (the zone), and counts of pods. [`Classes`] keeps the class of each node, and
//! lists the nodes whose class the host does not know yet.
//!
//! A plugin that does not apply to most pods returns true from `skip` for them. The host then does not call `classify`.
//!
//! A plugin with classes also needs `filter`, `score` and the other functions. The answers by node must equal the
//! answers by class, because the host may use either, and sometimes compares the two.
//! [`testing::Host`](crate::testing::Host) compares both for each answer that a test asks for.

mod numbers;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash};

pub use self::numbers::Numbers;
use crate::bindings::classes::exports::berth::scheduler::classes as wit;
use crate::labels::Hasher;
use crate::verdict::Rejection;
use crate::verdicts::Verdicts;
use crate::{node, types};

/// The maximum number of classes of a pod signature. With more classes, answers by class save no work over answers by
/// node.
const MAX_CLASSES: usize = 512;

/// Marks a node without a class. Class ids are smaller, because there are at most about [`MAX_CLASSES`] classes.
const NONE: u16 = u16::MAX;

/// Says which classes of a pod signature the host already has: the classes of the latest answer that it received.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The id of the cycle of the latest `classify` answer that the host has; 0 if the host has no answer.
    pub(crate) known: u64,
    /// The id of the current cycle.
    pub(crate) now: u64,
}

/// The number of nodes of each class that passed the filters.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    classes: Vec<u32>,
    nodes: Vec<u32>,
}

impl Passed {
    /// Makes the counts from the contract's form: class ids, and parallel to them the number of nodes.
    pub fn new(classes: Vec<u32>, nodes: Vec<u32>) -> Passed {
        Passed { classes, nodes }
    }

    /// Returns each class that has nodes that passed the filters, with the number of these nodes.
    pub fn iter(&self) -> impl Iterator<Item = (ClassId, u32)> {
        self.classes.iter().map(|class| ClassId(*class)).zip(self.nodes.iter().copied())
    }
}

/// The id of a class of a pod signature's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassId(u32);

/// The combined answer of `pre_filter` and `filter`, by class.
#[derive(Clone, Debug)]
pub enum ClassFilter {
    /// The plugin has nothing to filter for this pod.
    Skip,
    /// The pod fits no node.
    Reject(Rejection),
    /// One verdict per class, in the order of [`Classes::iter`].
    Verdicts(Verdicts),
}

/// The answer of `classify`.
#[derive(Clone, Debug)]
pub struct Classified {
    /// The filter's answer.
    pub filter: ClassFilter,
    /// True if the plugin scores this pod's nodes, as `pre_score` would answer.
    pub scores: bool,
    /// The nodes whose class the host does not know yet.
    pub changed: ChangedClasses,
}

/// Nodes and their classes that the host does not know yet. Made by [`Classes::changed`].
#[derive(Clone, Debug, Default)]
pub struct ChangedClasses {
    replaces_all: bool,
    nodes: Vec<u32>,
    classes: Vec<u32>,
}

impl ChangedClasses {
    /// Makes the answer of a plugin that neither filters nor scores this pod. The host then needs the class of no
    /// node, and the plugin does not have to keep its classes up to date.
    pub fn nothing() -> ChangedClasses {
        ChangedClasses { replaces_all: true, ..ChangedClasses::default() }
    }
}

/// The answer of `score_classes`. Both lists are parallel to [`Passed`].
#[derive(Clone, Debug, Default)]
pub struct ClassScores {
    /// Raw scores, as `score` would return them.
    pub raw: Vec<i64>,
    /// Normalized scores, 0 to 100, as `normalize` would return them.
    pub normalized: Vec<i64>,
}

/// A pod signature's classes of nodes. `K` is the type of a class's key, which all nodes of the class share, such as
/// [`Numbers`].
#[derive(Clone, Debug)]
pub struct Classes<K> {
    /// The class of each node, by node id.
    of_node: Vec<u16>,
    ids: HashMap<K, u16, BuildHasherDefault<Hasher>>,
    /// By class id: the class's key and its number of nodes. The key of a class without nodes is `None`.
    classes: Vec<(Option<K>, u32)>,
    free: Vec<u16>,
    /// Nodes whose class changed since the last answer to the host.
    unsent: Vec<u32>,
    /// The id of the cycle of the last answer to the host. 0 if the next answer must have the class of every node.
    last_sent: u64,
}

impl<K> Default for Classes<K> {
    fn default() -> Classes<K> {
        Classes {
            of_node: Vec::new(),
            ids: HashMap::default(),
            classes: Vec::new(),
            free: Vec::new(),
            unsent: Vec::new(),
            last_sent: 0,
        }
    }
}

impl<K: Clone + Eq + Hash> Classes<K> {
    /// Puts a node into the class with this key, and creates a class that does not exist. `None` removes the node from
    /// its class.
    fn set(&mut self, node: node::Id, key: Option<K>) {
        if node.at() >= self.of_node.len() {
            self.of_node.resize(node.at() + 1, NONE);
        }
        // In bounds: the resize above made the row.
        let before = self.of_node[node.at()];
        let of_before = self.classes.get(before as usize).and_then(|(key, _)| key.as_ref());
        if of_before == key.as_ref() {
            return;
        }
        let class = key.map_or(NONE, |key| self.join(key));
        self.of_node[node.at()] = class;
        self.leave(before);
        if self.last_sent == 0 {
            return;
        }
        self.unsent.push(node.0);
        if self.unsent.len() > self.of_node.len() {
            self.forget_sent();
        }
    }

    fn join(&mut self, key: K) -> u16 {
        let class = match self.ids.get(&key) {
            Some(class) => *class,
            None => {
                let class = self.free.pop().unwrap_or_else(|| {
                    self.classes.push((None, 0));
                    // Fits a `u16`: `follow` stops when there are more than `MAX_CLASSES` classes.
                    (self.classes.len() - 1) as u16
                });
                self.classes[class as usize].0 = Some(key.clone());
                self.ids.insert(key, class);
                class
            }
        };
        self.classes[class as usize].1 += 1;
        class
    }

    fn leave(&mut self, class: u16) {
        let Some((key, nodes)) = self.classes.get_mut(class as usize) else { return };
        *nodes -= 1;
        if *nodes == 0
            && let Some(key) = key.take()
        {
            self.ids.remove(&key);
            self.free.push(class);
        }
    }

    fn forget_sent(&mut self) {
        self.last_sent = 0;
        self.unsent.clear();
    }

    /// Returns the nodes whose class the host does not know: every node, or the nodes whose class changed since the
    /// answer that the host has. The caller must send the result to the host, because the next call assumes that the
    /// host knows these classes.
    pub fn changed(&mut self, known: &Known) -> ChangedClasses {
        let replaces_all = known.known == 0 || known.known != self.last_sent;
        let mut nodes = std::mem::take(&mut self.unsent);
        if replaces_all {
            nodes = (0..).zip(&self.of_node).map(|(node, _)| node).collect();
        } else {
            nodes.sort_unstable();
            nodes.dedup();
        }
        nodes.retain(|node| self.of_node[*node as usize] != NONE);
        let classes = nodes.iter().map(|node| self.of_node[*node as usize].into()).collect();
        self.last_sent = known.now;
        ChangedClasses { replaces_all, nodes, classes }
    }
}

/// The nodes whose class may have changed since the last call of [`Classes::follow`].
#[derive(Debug, Default)]
pub enum Touched {
    /// Possibly every node.
    #[default]
    All,
    /// These nodes.
    Nodes(Vec<node::Id>),
}

impl Touched {
    /// Adds nodes.
    pub fn add(&mut self, more: impl IntoIterator<Item = node::Id>) {
        if let Touched::Nodes(nodes) = self {
            nodes.extend(more);
        }
    }

    /// Turns a list that is longer than `nodes`, the number of nodes, into [`Touched::All`].
    pub fn limit(&mut self, nodes: usize) {
        if matches!(self, Touched::Nodes(touched) if touched.len() > nodes) {
            *self = Touched::All;
        }
    }

    /// Takes the touched nodes out, and leaves an empty list.
    pub fn take(&mut self) -> Touched {
        std::mem::replace(self, Touched::Nodes(Vec::new()))
    }

    /// Joins two sets of touched nodes.
    #[must_use]
    pub fn and(mut self, other: Touched) -> Touched {
        match other {
            Touched::All => Touched::All,
            Touched::Nodes(nodes) => {
                self.add(nodes);
                self
            }
        }
    }
}

impl<K: Clone + Eq + Hash> Classes<K> {
    /// Updates the classes of the touched nodes. `bound` is above every node id; `key` returns the key of a node's
    /// class, or `None` for a node that does not exist. Returns false and removes all classes if there are more than
    /// 512: more classes are of no use.
    pub fn follow(&mut self, touched: Touched, bound: usize, key: impl Fn(node::Id) -> Option<K>) -> bool {
        let few = match touched {
            Touched::Nodes(nodes) => self.set_all(nodes.into_iter(), key),
            Touched::All => self.set_all((0..bound.max(self.of_node.len()) as u32).map(node::Id), key),
        };
        if !few {
            *self = Classes::default();
        }
        few
    }

    /// Returns false if there are too many classes.
    fn set_all(&mut self, mut nodes: impl Iterator<Item = node::Id>, key: impl Fn(node::Id) -> Option<K>) -> bool {
        nodes.all(|node| {
            self.set(node, key(node));
            self.classes.len() - self.free.len() <= MAX_CLASSES
        })
    }
}

impl<K> Classes<K> {
    /// Returns the keys of all classes, in the order of their ids. `None` for a class without nodes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&K>> {
        self.classes.iter().map(|(key, _)| key.as_ref())
    }

    /// Returns the key of a class.
    pub fn get(&self, class: ClassId) -> Option<&K> {
        self.classes.get(class.0 as usize)?.0.as_ref()
    }

    /// Returns the number of bytes that the classes take, without the memory that keys point to.
    pub fn bytes(&self) -> usize {
        self.of_node.capacity() * size_of::<u16>()
            + self.unsent.capacity() * size_of::<u32>()
            + self.classes.capacity() * (2 * size_of::<K>() + 16)
    }
}

impl From<Classified> for wit::Classified {
    fn from(answer: Classified) -> wit::Classified {
        let Classified { filter, scores, changed: ChangedClasses { replaces_all, nodes, classes } } = answer;
        let filter = match filter {
            ClassFilter::Skip => wit::ClassFilter::Skip,
            ClassFilter::Reject(rejection) => wit::ClassFilter::Reject(rejection.into()),
            ClassFilter::Verdicts(verdicts) => wit::ClassFilter::Verdicts(types::Verdicts::from(verdicts)),
        };
        wit::Classified { filter, scores, replaces_all, nodes, classes }
    }
}

impl From<ClassScores> for wit::ClassScores {
    fn from(ClassScores { raw, normalized }: ClassScores) -> wit::ClassScores {
        wit::ClassScores { raw, normalized }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(classes: &mut Classes<char>, known: u64, now: u64) -> (bool, Vec<(u32, char)>) {
        let ChangedClasses { replaces_all, nodes, classes: of } = classes.changed(&Known { known, now });
        let key = |class: u32| *classes.get(ClassId(class)).unwrap();
        (replaces_all, nodes.into_iter().zip(of.into_iter().map(key)).collect())
    }

    #[test]
    fn the_answer_holds_only_changed_classes() {
        let mut classes = Classes::default();
        for (node, key) in [(0, 'a'), (1, 'b'), (2, 'a')] {
            classes.set(node::Id(node), Some(key));
        }
        assert_eq!(changed(&mut classes, 0, 1), (true, vec![(0, 'a'), (1, 'b'), (2, 'a')]));
        assert_eq!(changed(&mut classes, 1, 2), (false, vec![]));
        classes.set(node::Id(1), Some('a'));
        classes.set(node::Id(1), Some('c'));
        classes.set(node::Id(0), None);
        classes.set(node::Id(2), Some('a'));
        assert_eq!(changed(&mut classes, 2, 3), (false, vec![(1, 'c')]));
        assert_eq!(
            changed(&mut classes, 2, 4),
            (true, vec![(1, 'c'), (2, 'a')]),
            "the host does not have the previous answer"
        );
        assert_eq!(changed(&mut classes, 9, 5), (true, vec![(1, 'c'), (2, 'a')]));
    }

    #[test]
    fn changes_are_reported_after_a_cycle_without_an_answer() {
        let mut classes = Classes::default();
        classes.set(node::Id(0), Some('a'));
        assert_eq!(changed(&mut classes, 0, 1), (true, vec![(0, 'a')]));
        let ChangedClasses { replaces_all, nodes, classes: of } = ChangedClasses::nothing();
        assert_eq!(
            (replaces_all, nodes, of),
            (true, vec![], vec![]),
            "the answer of cycle 2 removes all classes from the host"
        );
        assert_eq!(changed(&mut classes, 2, 3), (true, vec![(0, 'a')]));
    }

    #[test]
    fn class_ids_without_nodes_are_reused() {
        let mut classes = Classes::default();
        for n in 0..1000 {
            classes.set(node::Id(0), Some(n));
        }
        assert!(classes.iter().len() <= 2);
    }

    #[test]
    fn touched_nodes_are_classified_again_and_too_many_classes_give_no_answer() {
        let mut classes = Classes::default();
        assert!(classes.follow(Touched::default(), 3, |node| Some(node.0 / 2)));
        assert_eq!(classes.iter().flatten().collect::<Vec<_>>(), [&0, &1]);
        let mut touched = Touched::Nodes(Vec::new());
        touched.add([node::Id(2)]);
        assert!(classes.follow(touched.take().and(touched), 3, |_| None));
        assert_eq!(classes.iter().collect::<Vec<_>>(), [Some(&0), None]);
        assert!(!classes.follow(Touched::All, 1000, |node| Some(node.0)));
        assert_eq!(classes.iter().len(), 0);
        let mut many = Touched::Nodes(Vec::new());
        many.add([node::Id(0), node::Id(0)]);
        many.limit(1);
        assert!(matches!(many, Touched::All));
    }
}
