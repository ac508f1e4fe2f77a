//! The table: for each plugin, how its cases are drawn, and the fields that they must cover.
//!
//! To add a plugin, add a row in the file of this folder that has its subject. The functions that draw its cases go
//! into a file of `draw/`. All plugins are asked about the cases of every row.

mod claims;
mod everything;
mod nodes;
mod preemption;
mod queue;
mod resources;
mod storage;
mod topology;

use crate::draw::{Draw, arguments};

/// Returns all rows.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    let own = [
        queue::ENTRIES,
        nodes::ENTRIES,
        resources::ENTRIES,
        storage::ENTRIES,
        topology::ENTRIES,
        claims::ENTRIES,
        preemption::ENTRIES,
    ];
    own.into_iter().chain([everything::ENTRIES]).flatten()
}

/// Cases drawn for one plugin. All plugins are asked about them.
pub struct Entry {
    /// The plugin's name.
    pub plugin: &'static str,
    /// The parts of the cases.
    pub draw: fn() -> Draw,
    /// Paths of fields that must occur in the cases; with `=value`, this value must occur.
    pub fields: &'static [&'static str],
    /// The behaviors that must occur at least once, because a comparison without them proves nothing.
    pub behaviors: &'static [Behavior],
}

/// A behavior of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Behavior {
    /// Rejects some nodes, but not all.
    Filters,
    /// Gives nodes different scores.
    Scores,
    /// Skips its filter.
    Skips,
    /// Returns an error.
    Fails,
    /// Rejected a pod, and queues it again after a change.
    Requeues,
    /// Rejected a pod, and lets it wait after a change.
    KeepsWaiting,
    /// Evicts pods.
    Evicts,
    /// Holds a pod back, or changes the order of pods in the queue.
    Queues,
}

impl Draw {
    /// Returns nodes and pods without any additional fields.
    pub fn plain() -> Self {
        Self {
            nodes: Vec::new(),
            pods: Vec::new(),
            residents: Vec::new(),
            nominated: false,
            objects: Vec::new(),
            arguments: arguments::none(),
            settle: |_| {},
        }
    }
}
