//! Answers by classes of nodes, for plugins that count over domains such as zones: a pod like the one before then costs a step for
//! each class, however many nodes there are.
//!
//! `classify` sorts the nodes into classes, for each template, and `score_classes` scores them. Nodes of one class have to have the
//! same verdict and the same scores at any one time: what differs between nodes for good goes into the class's key as it is
//! (their zone), what differs by the pods there as a count. [`Classes`] keeps which node is of which class, and finds out what
//! of that the host does not know yet.
//!
//! A plugin that has nothing to do with most pods says so by `skip`, and is not asked to classify for them.
//!
//! `filter`, `score` and the others stay, and have to give the same answers: the host may ask in either way, and compares now and
//! then. So does [`testing::Host`](crate::testing::Host), with each answer that it is asked for.

mod numbers;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash};

pub use self::numbers::Numbers;
use crate::bindings::classes::exports::berth::scheduler::classes as wit;
use crate::labels::Hasher;
use crate::verdict::Rejection;
use crate::verdicts::Verdicts;
use crate::{node, types};

/// With more classes than this, to ask about the nodes is no more work.
const FEW: usize = 512;

/// No class. There are never many more than [`FEW`].
const NONE: u16 = u16::MAX;

/// What the host knows of a template's classes.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The cycle whose answer it has; 0 for none.
    pub(crate) known: u64,
    /// The cycle in which it asks.
    pub(crate) now: u64,
}

/// How many nodes of each class passed the filters.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    classes: Vec<u32>,
    nodes: Vec<u32>,
}

impl Passed {
    /// As the contract has it: classes, and parallel to them how many nodes.
    pub fn new(classes: Vec<u32>, nodes: Vec<u32>) -> Passed {
        Passed { classes, nodes }
    }

    /// The classes that have any, with their number.
    pub fn iter(&self) -> impl Iterator<Item = (ClassId, u32)> {
        self.classes.iter().map(|class| ClassId(*class)).zip(self.nodes.iter().copied())
    }
}

/// A class of a template's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassId(u32);

/// What `pre_filter` and `filter` would say.
#[derive(Clone, Debug)]
pub enum ClassFilter {
    /// There is nothing to filter for this pod.
    Skip,
    /// No node will do.
    Reject(Rejection),
    /// A verdict for each of [`Classes::iter`].
    Verdicts(Verdicts),
}

/// The answer of `classify`.
#[derive(Clone, Debug)]
pub struct Classified {
    /// What the filter says.
    pub filter: ClassFilter,
    /// Whether there is something to score.
    pub scores: bool,
    /// Which node is of which class.
    pub told: Told,
}

/// What the host did not know; from [`Classes::tell`].
#[derive(Clone, Debug, Default)]
pub struct Told {
    anew: bool,
    nodes: Vec<u32>,
    classes: Vec<u32>,
}

impl Told {
    /// Of a plugin that neither filters nor scores: nobody asks which class a node is of then, and they need not be followed.
    pub fn nothing() -> Told {
        Told { anew: true, ..Told::default() }
    }
}

/// The answer of `score_classes`, parallel to [`Passed`].
#[derive(Clone, Debug, Default)]
pub struct ClassScores {
    /// As `score` gives them.
    pub raw: Vec<i64>,
    /// 0 to 100, as `normalize` does.
    pub normalized: Vec<i64>,
}

/// A template's classes: `K` is what their nodes have in common, such as [`Numbers`].
#[derive(Clone, Debug)]
pub struct Classes<K> {
    /// By node.
    of_node: Vec<u16>,
    ids: HashMap<K, u16, BuildHasherDefault<Hasher>>,
    /// By class: its key and how many nodes it has; no key where it has none.
    classes: Vec<(Option<K>, u32)>,
    free: Vec<u16>,
    /// Nodes that are of another class than the host was told.
    untold: Vec<u32>,
    /// The cycle in which it was told last.
    told: u64,
}

impl<K> Default for Classes<K> {
    fn default() -> Classes<K> {
        Classes {
            of_node: Vec::new(),
            ids: HashMap::default(),
            classes: Vec::new(),
            free: Vec::new(),
            untold: Vec::new(),
            told: 0,
        }
    }
}

impl<K: Clone + Eq + Hash> Classes<K> {
    /// The node is of this class from now on; of none, where it is gone.
    fn set(&mut self, node: node::Id, key: Option<K>) {
        if node.at() >= self.of_node.len() {
            self.of_node.resize(node.at() + 1, NONE);
        }
        // The row was made above.
        let before = self.of_node[node.at()];
        let of_before = self.classes.get(before as usize).and_then(|(key, _)| key.as_ref());
        if of_before == key.as_ref() {
            return;
        }
        let class = key.map_or(NONE, |key| self.join(key));
        self.of_node[node.at()] = class;
        self.leave(before);
        if self.told == 0 {
            return;
        }
        self.untold.push(node.0);
        if self.untold.len() > self.of_node.len() {
            self.forget_told();
        }
    }

    fn join(&mut self, key: K) -> u16 {
        let class = match self.ids.get(&key) {
            Some(class) => *class,
            None => {
                let class = self.free.pop().unwrap_or_else(|| {
                    self.classes.push((None, 0));
                    // Those who set nodes stop where there are too many.
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

    fn forget_told(&mut self) {
        self.told = 0;
        self.untold.clear();
    }

    /// What the host does not know of them. Its answer is told: whoever asks has to give it.
    pub fn tell(&mut self, known: &Known) -> Told {
        let anew = known.known == 0 || known.known != self.told;
        let mut nodes = std::mem::take(&mut self.untold);
        if anew {
            nodes = (0..).zip(&self.of_node).map(|(node, _)| node).collect();
        } else {
            nodes.sort_unstable();
            nodes.dedup();
        }
        nodes.retain(|node| self.of_node[*node as usize] != NONE);
        let classes = nodes.iter().map(|node| self.of_node[*node as usize].into()).collect();
        self.told = known.now;
        Told { anew, nodes, classes }
    }
}

/// Nodes whose class may be another than when it was looked at last.
#[derive(Debug, Default)]
pub enum Touched {
    /// Perhaps every node's.
    #[default]
    All,
    /// Theirs.
    Nodes(Vec<node::Id>),
}

impl Touched {
    /// These, too.
    pub fn add(&mut self, more: impl IntoIterator<Item = node::Id>) {
        if let Touched::Nodes(nodes) = self {
            nodes.extend(more);
        }
    }

    /// There is no use in a list that is longer than one of all nodes, of which there are so many.
    pub fn limit(&mut self, nodes: usize) {
        if matches!(self, Touched::Nodes(touched) if touched.len() > nodes) {
            *self = Touched::All;
        }
    }

    /// They are looked at now.
    pub fn take(&mut self) -> Touched {
        std::mem::replace(self, Touched::Nodes(Vec::new()))
    }

    /// Both.
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
    /// Looks at the nodes that were touched, of those with ids below `bound`; `key` says what class a node is of, and `None` of one
    /// that is not there. False where there are too many classes to be of use: nothing is known then.
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

    /// False where there are too many.
    fn set_all(&mut self, mut nodes: impl Iterator<Item = node::Id>, key: impl Fn(node::Id) -> Option<K>) -> bool {
        nodes.all(|node| {
            self.set(node, key(node));
            self.classes.len() - self.free.len() <= FEW
        })
    }
}

impl<K> Classes<K> {
    /// All classes, in the order of their ids, with what their nodes have in common; `None` for one without nodes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&K>> {
        self.classes.iter().map(|(key, _)| key.as_ref())
    }

    /// What a class's nodes have in common.
    pub fn get(&self, class: ClassId) -> Option<&K> {
        self.classes.get(class.0 as usize)?.0.as_ref()
    }

    /// Bytes that it takes, without what keys point to.
    pub fn bytes(&self) -> usize {
        self.of_node.capacity() * size_of::<u16>()
            + self.untold.capacity() * size_of::<u32>()
            + self.classes.capacity() * (2 * size_of::<K>() + 16)
    }
}

impl From<Classified> for wit::Classified {
    fn from(answer: Classified) -> wit::Classified {
        let Classified { filter, scores, told: Told { anew, nodes, classes } } = answer;
        let filter = match filter {
            ClassFilter::Skip => wit::ClassFilter::Skip,
            ClassFilter::Reject(rejection) => wit::ClassFilter::Reject(rejection.into()),
            ClassFilter::Verdicts(verdicts) => wit::ClassFilter::Verdicts(types::Verdicts::from(verdicts)),
        };
        wit::Classified { filter, scores, anew, nodes, classes }
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

    fn tell(classes: &mut Classes<char>, known: u64, now: u64) -> (bool, Vec<(u32, char)>) {
        let Told { anew, nodes, classes: of } = classes.tell(&Known { known, now });
        let key = |class: u32| *classes.get(ClassId(class)).unwrap();
        (anew, nodes.into_iter().zip(of.into_iter().map(key)).collect())
    }

    #[test]
    fn the_host_is_told_what_it_does_not_know() {
        let mut classes = Classes::default();
        for (node, key) in [(0, 'a'), (1, 'b'), (2, 'a')] {
            classes.set(node::Id(node), Some(key));
        }
        assert_eq!(tell(&mut classes, 0, 1), (true, vec![(0, 'a'), (1, 'b'), (2, 'a')]));
        assert_eq!(tell(&mut classes, 1, 2), (false, vec![]));
        classes.set(node::Id(1), Some('a'));
        classes.set(node::Id(1), Some('c'));
        classes.set(node::Id(0), None);
        classes.set(node::Id(2), Some('a'));
        assert_eq!(tell(&mut classes, 2, 3), (false, vec![(1, 'c')]));
        assert_eq!(tell(&mut classes, 2, 4), (true, vec![(1, 'c'), (2, 'a')]), "it has not what was told last");
        assert_eq!(tell(&mut classes, 9, 5), (true, vec![(1, 'c'), (2, 'a')]));
    }

    #[test]
    fn who_told_nothing_tells_all_of_it_later() {
        let mut classes = Classes::default();
        classes.set(node::Id(0), Some('a'));
        assert_eq!(tell(&mut classes, 0, 1), (true, vec![(0, 'a')]));
        let Told { anew, nodes, classes: of } = Told::nothing();
        assert_eq!((anew, nodes, of), (true, vec![], vec![]), "in cycle 2, so that the host has no classes any more");
        assert_eq!(tell(&mut classes, 2, 3), (true, vec![(0, 'a')]));
    }

    #[test]
    fn classes_without_nodes_are_used_again() {
        let mut classes = Classes::default();
        for n in 0..1000 {
            classes.set(node::Id(0), Some(n));
        }
        assert!(classes.iter().len() <= 2);
    }

    #[test]
    fn touched_nodes_are_looked_at_and_too_many_classes_are_none() {
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
