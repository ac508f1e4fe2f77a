//! The table: for each plugin what cases of its own are drawn from, and the fields that they have to have shown.
//!
//! A further plugin is a further row, in a file of this folder with others of its subject; what it takes to draw its cases
//! is in a file of `draw/`. Every row's cases are asked of all plugins.

mod claims;
mod everything;
mod nodes;
mod preemption;
mod queue;
mod resources;
mod storage;
mod topology;

use crate::draw::{Draw, arguments};

/// All rows.
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
    /// Its name.
    pub plugin: &'static str,
    /// What the cases are made of.
    pub draw: fn() -> Draw,
    /// Paths that have to occur among them; `=value` where that value has to.
    pub fields: &'static [&'static str],
    /// What the plugin has to have done at least once, that there was something to compare.
    pub does: &'static [Does],
}

/// Something that a plugin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// Rejects a node, but not all of them.
    Filters,
    /// Gives nodes different scores.
    Scores,
    /// Has nothing to filter.
    Skips,
    /// Can't tell.
    Fails,
    /// Has pods evicted.
    Evicts,
    /// Holds a pod back, or lets one go before others that came before it.
    Queues,
}

impl Draw {
    /// Nodes and pods that say nothing.
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
