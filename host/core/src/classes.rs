//! Answers by classes of nodes, for plugins of scope domain (`classes` in the contract).

use crate::cache::NodeId;
use crate::verdict::{Status, Verdicts};

/// The upper limit of class numbers, exclusive.
pub const MOST_CLASSES: u32 = 4096;

/// The number of a class of nodes, for one pod signature. The nodes of a class have the same verdict and the same
/// scores at any one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// A plugin's answer about classes in place of its answers at pre-filter and filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassFilter {
    /// The filter has nothing to do for this pod.
    Skip,
    /// The pod fits on no node.
    Reject(Status),
    /// The verdict of each class, by class number.
    Verdicts(Verdicts),
}

/// The classes of nodes, and the filter's answer about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// The filter's answer.
    pub filter: ClassFilter,
    /// Whether the plugin scores this pod.
    pub scores: bool,
    /// `nodes` holds all nodes that have a class. The classes of earlier answers are dropped.
    pub anew: bool,
    /// Nodes whose class changed since the plugin's last answer for this pod signature; if `anew`, all nodes.
    pub nodes: Vec<NodeId>,
    /// The new classes, parallel to `nodes`.
    pub classes: Vec<ClassId>,
}

/// Scores, parallel to the classes that the plugin was asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassScores {
    /// The values that the plugin's score would return.
    pub raw: Vec<i64>,
    /// The scores after normalization, 0 to 100.
    pub normalized: Vec<i64>,
}

/// The number of nodes of a class that passed all filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The class.
    pub class: ClassId,
    /// The number of nodes.
    pub nodes: u32,
}
