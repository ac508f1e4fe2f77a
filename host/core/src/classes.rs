//! Answers by classes of nodes, where a plugin's scope is domain (`classes` of the contract).

use crate::cache::NodeId;
use crate::plugins::{Status, Verdicts};

/// Numbers of classes are less than this.
pub const MOST_CLASSES: u32 = 4096;

/// A class of a template's nodes: they have the same verdict and the same scores at any one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// What pre-filter and filter would say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassFilter {
    /// There is nothing to filter for this pod.
    Skip,
    /// No node can do.
    Reject(Status),
    /// A verdict for each class, by its number.
    Verdicts(Verdicts),
}

/// Which nodes are of which class, and what the filter says of the classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// That.
    pub filter: ClassFilter,
    /// Whether there is something to score for this pod.
    pub scores: bool,
    /// Nothing is left of what was said before.
    pub anew: bool,
    /// Nodes whose class is another than was said before.
    pub nodes: Vec<NodeId>,
    /// Parallel to `nodes`.
    pub classes: Vec<ClassId>,
}

/// Scores, parallel to the classes asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassScores {
    /// As the plugin's score would give them.
    pub raw: Vec<i64>,
    /// 0 to 100.
    pub normalized: Vec<i64>,
}

/// So many nodes of a class passed all filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The class.
    pub class: ClassId,
    /// How many.
    pub nodes: u32,
}
