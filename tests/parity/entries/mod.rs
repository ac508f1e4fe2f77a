//! The table. A row says how the cases for a plugin are drawn, and which fields and behaviors the cases must cover.
//!
//! To add a plugin, add a row in the file of this folder that covers the plugin's subject. The functions that draw the
//! cases go into a file of `draw/`. All plugins are asked about the cases of every row.

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

/// A row of the table: the cases that are drawn for one plugin, or for several.
pub struct Entry {
    /// The plugin's name. In a row for several plugins, a title.
    pub plugin: &'static str,
    /// The parts of the cases.
    pub draw: fn() -> Draw,
    /// Paths of fields that must occur in the cases; with `=value`, the field must have this value at least once. The
    /// first element is `pod` for a pod to schedule, `resident` for a pod of the cluster, `arguments` for the plugins'
    /// arguments, or the kind of another object in lower case. `[]` means any element of a list.
    pub fields: &'static [&'static str],
    /// The behaviors of the plugin that must each occur at least once. Equal answers prove nothing about a behavior
    /// that does not occur.
    pub behaviors: &'static [Behavior],
}

/// A behavior of a kube-scheduler plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Behavior {
    /// Rejects some nodes for a pod, but not all.
    Filters,
    /// Gives nodes different raw scores for the same pod.
    Scores,
    /// Skips the plugin's filter.
    Skips,
    /// Returns an error.
    Fails,
    /// Rejected a node for a pod, and queues the pod again after a change.
    Requeues,
    /// Rejected a node for a pod, and lets the pod wait after a change.
    KeepsWaiting,
    /// Nominates a node for a pod by preemption.
    Evicts,
    /// Rejects a pod in pre-enqueue, or, for PrioritySort, changes the order of pods in the queue.
    Queues,
}

impl Draw {
    /// Returns a [`Draw`] of nodes and pods without additional fields, objects of other kinds, or arguments.
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
