//! The cached results of one plugin about one pod signature.

use super::lru::Size;
use super::stale::stale_nodes;
use super::{Column, FactNodeSignatures, NodeClasses, Rejections, WhatIfVerdicts};
use crate::cache::{Cache, NodeId};
use crate::plugins::{
    Declaration, MOST_OUTCOMES, PreFilterResult, PreScoreResult, QueueTimes, Status, Verdicts, WhatIf,
};
use crate::queue::SortKey;

/// The largest number of distinct rejections. If new verdicts would exceed this number, all cached verdicts and
/// rejections are dropped first.
const MOST_REJECTIONS: usize = 4 * MOST_OUTCOMES;

/// The cached results of one plugin about one pod signature.
#[derive(Clone, Debug, Default)]
pub struct PluginResults {
    /// The position up to which the change log was read.
    position: Option<u64>,
    /// The answer of skip.
    pub skip: Option<bool>,
    /// The answer of pre-filter.
    pub pre_filter: Option<PreFilterResult>,
    /// The verdicts of filter: 0 if the pod fits, otherwise the number of a rejection in `rejections`.
    pub verdicts: Column<u16>,
    /// The verdicts of filter on hypothetical nodes.
    pub(crate) what_if: WhatIfVerdicts,
    /// The distinct rejections that all verdicts refer to.
    pub rejections: Rejections,
    /// The answer of pre-score. For a plugin that answers by class, the last answer.
    pub pre_score: Option<PreScoreResult>,
    /// The raw scores.
    pub scores: Column<i64>,
    /// The answers of classify.
    pub(crate) classes: NodeClasses,
    /// The answer of pre-enqueue.
    pub pre_enqueue: Option<Option<Status>>,
    /// The answer of queue-sort, valid for pods with these times.
    pub sort_key: Option<(QueueTimes, SortKey)>,
}

impl PluginResults {
    /// Drops the results that changes since the last call made stale, for a plugin of this declaration. Verdicts and
    /// scores are stored by node signature, so that a change of a single node only makes verdicts on hypothetical nodes
    /// stale.
    pub fn catch_up(&mut self, cache: &Cache, declaration: &Declaration) {
        let log = cache.log();
        let Some(position) = self.position.replace(log.end()) else { return };
        let reads_pending_pods = declaration.pending_pods.is_some();
        let beyond_nodes =
            position < log.end_beyond_nodes() || (reads_pending_pods && position < log.end_of_pending_pods());
        if !beyond_nodes && self.what_if.is_empty() {
            return;
        }
        match stale_nodes(cache, position, &[declaration], Vec::new()) {
            Some(nodes) => nodes.into_iter().for_each(|node| self.what_if.remove(node)),
            None if beyond_nodes => self.clear(declaration),
            None => self.what_if.clear(),
        }
    }

    /// Drops the results that depend on the cluster: skip, verdicts and scores, and all results of a plugin that reads
    /// pending pods.
    fn clear(&mut self, declaration: &Declaration) {
        if declaration.pending_pods.is_some() {
            self.pre_filter = None;
            self.pre_score = None;
        }
        self.skip = None;
        self.verdicts.clear();
        self.scores.clear();
        self.what_if.clear();
    }

    /// Caches the verdicts on `nodes`, one for each node in the same order. Returns whether the verdicts on all other
    /// nodes had to be dropped.
    pub fn set_verdicts(&mut self, signatures: &FactNodeSignatures, nodes: &[NodeId], fresh: &Verdicts) -> bool {
        let (numbers, dropped) = self.numbers(fresh);
        self.verdicts.set(signatures, nodes, numbers);
        dropped
    }

    /// Caches the verdicts on these hypothetical nodes, one for each case in the same order, unless there are too many
    /// different rejections.
    pub fn set_what_if(&mut self, cases: &[WhatIf], fresh: &Verdicts) {
        if fresh.outcomes.len() <= MOST_REJECTIONS {
            let (numbers, _) = self.numbers(fresh);
            self.what_if.set(cases, &numbers);
        }
    }

    /// Returns the verdicts as numbers of rejections. If there would be too many rejections, drops all cached verdicts and
    /// rejections first, and also returns true.
    fn numbers(&mut self, fresh: &Verdicts) -> (Vec<u16>, bool) {
        let full = self.rejections.len_with(&fresh.outcomes) > MOST_REJECTIONS;
        if full {
            self.rejections = Rejections::default();
            self.verdicts.clear();
            self.what_if.clear();
        }
        (self.rejections.numbers(fresh).unwrap_or_default(), full)
    }

    /// Returns the cached verdicts on these nodes. A node without a verdict counts as fitting.
    #[must_use]
    pub fn verdicts(&self, signatures: &FactNodeSignatures, nodes: &[NodeId]) -> Verdicts {
        let numbers = nodes.iter().map(|node| self.verdicts.get(signatures, *node).unwrap_or_default());
        self.rejections.verdicts(numbers)
    }

    /// Returns the cached verdicts on these hypothetical nodes, or `None` if one of them is not cached.
    #[must_use]
    pub fn verdicts_if(&self, cases: &[WhatIf]) -> Option<Verdicts> {
        Some(self.rejections.verdicts(self.what_if.numbers(cases)?.into_iter()))
    }
}

impl Size for PluginResults {
    fn bytes(&self) -> usize {
        let by_node = self.verdicts.bytes() + self.what_if.bytes() + self.scores.bytes() + self.classes.bytes();
        let names = match &self.pre_filter {
            Some(PreFilterResult::Narrow(names)) => names.iter().map(|name| name.len() + size_of::<Box<str>>()).sum(),
            _ => 0,
        };
        by_node + names + self.rejections.bytes() + 256
    }
}

#[cfg(test)]
#[path = "plugin_results_test.rs"]
mod tests;
