//! The result cache: answers of plugins that are still valid.
//!
//! Answers of scope node are cached for each plugin and pod signature, in a column over node signatures.
//! Nodes that are equal in the facts that the plugin reads share an answer. A plugin is asked about a node if its
//! signature is new.
//!
//! The candidate index is derived from the answers of several plugins. It is shared by the pods that have the same
//! signature for each of these plugins. It holds the nodes that fit ([`Fitting`]) and the best of those nodes
//! ([`Ranking`]).

mod classes;
mod column;
mod fitting;
mod lru;
mod node_signatures;
mod ranking;
mod rejections;
mod skip;
mod stale;
mod what_if;

pub use self::classes::{Classes, Position};
pub use self::column::Column;
pub use self::fitting::Fitting;
use self::lru::{Lru, Size};
pub use self::node_signatures::{FactNodeSignatures, NodeSignatures};
pub use self::ranking::{Best, InCommon, Ranking};
pub use self::rejections::Rejections;
pub use self::skip::Skip;
pub use self::what_if::WhatIfVerdicts;
use crate::cache::{Cache, NodeId};
use crate::facts::NodeFacts;
use crate::plugins::{MOST_OUTCOMES, PluginId, PodSignatureId, PreFilterResult, PreScoreResult, Status, Verdicts};
use crate::profile::ProfilePlugin;
use crate::queue::SortKey;
use crate::time::Timestamp;

/// The cached answers of one plugin about one pod signature.
#[derive(Clone, Debug, Default)]
pub struct PluginResults {
    /// The answer of skip.
    pub skip: Skip,
    /// The answer of pre-filter.
    pub pre_filter: Option<PreFilterResult>,
    /// The verdicts of filter: 0, or the number of an outcome.
    pub verdicts: Column<u16>,
    /// The distinct rejections that the verdicts refer to.
    pub outcomes: Rejections,
    /// The verdicts of filter on hypothetical nodes.
    pub cases: WhatIfVerdicts,
    /// The answer of pre-score.
    pub pre_score: Option<PreScoreResult>,
    /// The raw scores.
    pub scores: Column<i64>,
    /// The answers of classify.
    pub classes: Classes,
    /// The answer of pre-enqueue.
    pub pre_enqueue: Option<Option<Status>>,
    /// The answer of queue-sort, for pods that wait since this time.
    pub sort_key: Option<(Timestamp, SortKey)>,
}

/// The largest number of distinct rejections that are cached for one plugin and pod signature. Above this
/// number all verdicts are dropped, and with them the rejections that no verdict refers to.
const MOST_KEPT: usize = 4 * MOST_OUTCOMES;

impl PluginResults {
    /// Caches the verdicts on these nodes, which have the same length. Returns whether the verdicts on all other
    /// nodes had to be dropped.
    pub fn keep(&mut self, node_signatures: &FactNodeSignatures, nodes: &[NodeId], fresh: &Verdicts) -> bool {
        let mut numbers = self.numbers(fresh);
        let full = numbers.is_none() || self.outcomes.len() > MOST_KEPT;
        if full {
            self.outcomes = Rejections::default();
            self.verdicts.clear();
            numbers = self.numbers(fresh);
        }
        let numbers = numbers.unwrap_or_default();
        let number = |answer: &u16| usize::from(*answer).checked_sub(1).map_or(0, |outcome| numbers[outcome]);
        self.verdicts.set(node_signatures, nodes, fresh.nodes.iter().map(number));
        full
    }

    fn numbers(&mut self, fresh: &Verdicts) -> Option<Vec<u16>> {
        fresh.outcomes.iter().map(|status| self.outcomes.number(status)).collect()
    }
}

impl Size for PluginResults {
    fn bytes(&self) -> usize {
        let answers = self.verdicts.bytes() + self.cases.bytes() + self.scores.bytes() + self.classes.bytes();
        let names = match &self.pre_filter {
            Some(PreFilterResult::Narrow(names)) => names.iter().map(|name| name.len() + size_of::<Box<str>>()).sum(),
            _ => 0,
        };
        answers + names + self.outcomes.bytes() + 256
    }
}

impl Size for Fitting {
    fn bytes(&self) -> usize {
        self.bytes()
    }
}

impl Size for Ranking {
    fn bytes(&self) -> usize {
        self.bytes()
    }
}

/// A cache key: the plugins that contributed, in order, each with the pod's signature for it and its
/// weight, which is 0 for a filter.
pub type CacheKey = Vec<(PluginId, PodSignatureId, i64)>;

/// The result cache and the candidate index, bounded in bytes.
#[derive(Clone, Debug)]
pub struct ResultCache {
    kept: Lru<(PluginId, PodSignatureId), PluginResults>,
    /// The node signatures for each set of facts. Not part of the bound.
    node_signatures: NodeSignatures,
    /// The nodes that pods fit on.
    pub fitting: Lru<CacheKey, Fitting>,
    /// The best of the nodes that pods fit on.
    pub rankings: Lru<CacheKey, Ranking>,
    /// The bound in bytes for each [`USUAL_NODES`] nodes.
    most_bytes: usize,
}

/// The number of nodes to which memory limits apply. A larger cluster gets the limit once for each such number of
/// nodes, rounded up.
pub const USUAL_NODES: usize = 50_000;

impl ResultCache {
    /// Creates a cache with a bound of about `most_bytes` for each [`USUAL_NODES`] nodes.
    #[must_use]
    pub fn new(most_bytes: usize) -> Self {
        Self {
            kept: Lru::default(),
            node_signatures: NodeSignatures::default(),
            fitting: Lru::default(),
            rankings: Lru::default(),
            most_bytes,
        }
    }

    /// Returns whether results are cached at all.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.most_bytes > 0
    }

    /// Returns the cached answers of a plugin about a pod signature, which are empty at first.
    pub fn of(&mut self, plugin: PluginId, signature: PodSignatureId, cycle: u64) -> &mut PluginResults {
        self.kept.of((plugin, signature), cycle)
    }

    /// As [`Self::of`], with the node signatures in the facts that the plugin reads.
    pub fn with_node_signatures(
        &mut self,
        plugin: &ProfilePlugin,
        signature: PodSignatureId,
        cycle: u64,
        cache: &Cache,
    ) -> (&mut PluginResults, &FactNodeSignatures) {
        let node_signatures = self.node_signatures.of(plugin.declaration.node_facts, cache);
        (self.kept.of((plugin.id, signature), cycle), node_signatures)
    }

    /// Drops the node signatures of sets of facts that no plugin reads any more.
    pub fn retain_node_signatures(&mut self, keep: impl Fn(NodeFacts) -> bool) {
        self.node_signatures.retain(keep);
    }

    /// Drops the answers of plugins and pod signatures that are not used any more, and the index entries
    /// that depend on them.
    pub fn retain(&mut self, keep: impl Fn(PluginId, PodSignatureId) -> bool) {
        let keep_all = |key: &CacheKey| key.iter().all(|(plugin, signature, _)| keep(*plugin, *signature));
        self.kept.retain(|(plugin, signature)| keep(*plugin, *signature));
        self.fitting.retain(keep_all);
        self.rankings.retain(keep_all);
    }

    /// Drops the candidate index.
    pub fn forget_followed(&mut self) {
        self.fitting = Lru::default();
        self.rankings = Lru::default();
    }

    /// Returns whether a new ranking of this many nodes may be created in this cycle.
    pub fn have_room_for_ranking(&mut self, nodes: usize, cycle: u64) -> bool {
        let most = self.most_for_rankings(nodes);
        self.rankings.has_room_for(nodes * Ranking::BYTES_PER_NODE, most, cycle)
    }

    /// Returns the bound for rankings, which need most of the memory. It is enough for 200 pod signatures with
    /// [`USUAL_NODES`] nodes.
    fn most_for_rankings(&self, nodes: usize) -> usize {
        self.most_for(nodes) / 16 * 9
    }

    fn most_for_fitting(&self, nodes: usize) -> usize {
        self.most_for(nodes) / 16
    }

    fn most_for(&self, nodes: usize) -> usize {
        self.most_bytes.saturating_mul(nodes.div_ceil(USUAL_NODES).max(1))
    }

    /// Evicts the least recently used entries if they take more than the bound for this many nodes.
    pub fn evict(&mut self, nodes: usize) {
        self.kept.evict(self.most_for(nodes) / 16 * 6);
        self.fitting.evict(self.most_for_fitting(nodes));
        self.rankings.evict(self.most_for_rankings(nodes));
    }

    /// Returns the number of (plugin, pod signature) pairs with answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns whether there are no answers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::Node;
    use crate::plugins::Declaration;
    use crate::profile::FailurePolicy;

    #[test]
    fn as_many_signatures_as_are_meant_to_stay() {
        const SIGNATURES: usize = 200;
        let answers = ResultCache::new(crate::Options::default().result_cache_bytes);
        assert!(SIGNATURES * USUAL_NODES * Ranking::BYTES_PER_NODE <= answers.most_for_rankings(USUAL_NODES));
        let nodes: Vec<NodeId> = (0..USUAL_NODES as u32).map(NodeId).collect();
        let mut fitting = Fitting::default();
        fitting.set(&nodes, &nodes, &Cache::default());
        assert_eq!(fitting.iter().count(), USUAL_NODES);
        assert!(SIGNATURES * fitting.bytes() <= answers.most_for_fitting(USUAL_NODES), "of {} bytes", fitting.bytes());
    }

    #[test]
    fn the_oldest_go_when_they_take_too_much() {
        let mut cache = Cache::default();
        let name = |n: u32| format!("n{n}").into_boxed_str();
        (0..1000).for_each(|n| cache.set_node(Arc::new(Node { name: name(n), ..Node::default() })));
        let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).collect();
        let node_facts = NodeFacts::NAME;
        let declaration = Arc::new(Declaration { node_facts, ..Declaration::default() });
        let plugin = ProfilePlugin { id: PluginId(0), declaration, failure_policy: FailurePolicy::Fail };
        let mut answers = ResultCache::new(200_000);
        for n in 0..4 {
            let (kept, node_signatures) =
                answers.with_node_signatures(&plugin, PodSignatureId(n), u64::from(n), &cache);
            kept.verdicts.set(node_signatures, &nodes, vec![0; 1000]);
        }
        answers.of(PluginId(0), PodSignatureId(0), 9);
        answers.most_bytes = 64_000;
        answers.evict(1000);
        assert_eq!(answers.len(), 1);
        let (kept, node_signatures) = answers.with_node_signatures(&plugin, PodSignatureId(0), 9, &cache);
        assert_eq!(kept.verdicts.missing(node_signatures, &nodes), [], "the one used last stays");
    }
}
