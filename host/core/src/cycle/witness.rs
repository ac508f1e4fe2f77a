//! What plugins answer while a pod is placed, told to whoever explains it. No decision depends on it.

use crate::cache::NodeId;
use crate::plugins::{PreFilterResult, PreScoreResult, Verdicts};
use crate::profile::ProfilePlugin;

/// Somebody who wants to know every answer of a cycle, kept ones included.
pub trait Witness {
    /// A plugin answered; in the order of the cycle.
    fn said(&mut self, plugin: &ProfilePlugin, answer: Said<'_>);
}

/// What a plugin answered at an extension point.
#[derive(Clone, Copy, Debug)]
pub enum Said<'a> {
    /// Before the nodes are filtered.
    PreFilter(&'a PreFilterResult),
    /// About these nodes: those that the plugins before it left.
    Verdicts(&'a [NodeId], &'a Verdicts),
    /// Before nodes are scored.
    PreScore(PreScoreResult),
    /// About the nodes that fit, parallel to them; before the weight.
    Scores {
        /// They.
        nodes: &'a [NodeId],
        /// As the plugin gave them.
        raw: &'a [i64],
        /// 0 to 100.
        normalized: &'a [i64],
    },
}
