//! The result cache: answers of plugins that are still valid, and the candidate index.
//!
//! Answers of scope node are cached for each plugin and pod signature, in a column over node signatures. Nodes that are
//! equal in the facts that the plugin reads share an answer. A plugin is asked about a node if no answer about the
//! node's signature is cached.
//!
//! The candidate index is derived from the answers of several plugins. Each entry ([`Candidates`]) is shared by the
//! pods that have the same signature for each of these plugins. The entry holds the nodes that no filter that answers
//! node by node rejects, ordered by score.

mod candidates;
mod classes;
mod column;
mod groups;
mod lru;
mod node_signatures;
mod plugin_results;
mod rejected;
mod rejections;
mod stale;
mod what_if;

use std::sync::Arc;

pub(crate) use self::candidates::Candidates;
pub(crate) use self::classes::NodeClasses;
pub use self::column::Column;
pub(crate) use self::groups::{Best, GroupSummary};
use self::lru::Lru;
pub use self::node_signatures::{FactNodeSignatures, NodeSignatures};
pub use self::plugin_results::PluginResults;
pub use self::rejections::Rejections;
pub(crate) use self::what_if::WhatIfVerdicts;
use crate::cache::Cache;
use crate::plugins::{Cycle, ExtensionPoints, PluginId, Plugins, PodSignatureId};
use crate::pod_signature::PodSignatures;
use crate::profile::{Profile, ProfilePlugin};

/// The key of an entry of the candidate index: the plugins that contributed, in order, each with the pod's signature
/// for it and its weight, which is 0 for a plugin that only filters.
pub(crate) type CandidateKey = Arc<[(PluginId, PodSignatureId, i64)]>;

/// The pod signatures, the cached answers and the candidate index. Answers and index are bounded in bytes.
#[derive(Clone, Debug)]
pub(crate) struct ResultCache {
    /// The signatures of pods.
    pub pod_signatures: PodSignatures,
    /// The node signatures for each set of fields. Not part of the bound.
    node_signatures: NodeSignatures,
    plugins: Lru<(PluginId, PodSignatureId), PluginResults>,
    candidates: Lru<CandidateKey, Candidates>,
    /// Wrong results that were found.
    pub(crate) distrusted: Vec<Distrusted>,
    /// The bound in bytes for each [`USUAL_NODES`] nodes.
    most_bytes: usize,
}

/// A plugin whose answers contradict its declared scope, its classes or its answer of skip, or a wrong result of the
/// core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distrusted {
    /// `None` for a result that the core computed from the answers of several plugins.
    pub plugin: Option<PluginId>,
    pub name: Arc<str>,
    pub what: String,
}

/// The number of nodes to which memory limits apply. A larger cluster gets the limit once for each such number of
/// nodes, rounded up.
pub const USUAL_NODES: usize = 50_000;

/// Returns the entry at this index. Fills up a table that is too short with `empty`.
pub(crate) fn entry_at<T: Clone>(table: &mut Vec<T>, at: usize, empty: T) -> &mut T {
    if at >= table.len() {
        table.resize(at + 1, empty);
    }
    &mut table[at]
}

impl ResultCache {
    /// Creates a cache with a bound of about `most_bytes` for each [`USUAL_NODES`] nodes.
    pub fn new(most_bytes: usize) -> Self {
        Self {
            pod_signatures: PodSignatures::default(),
            node_signatures: NodeSignatures::default(),
            plugins: Lru::default(),
            candidates: Lru::default(),
            distrusted: Vec::new(),
            most_bytes,
        }
    }

    /// Returns whether results are cached at all.
    pub fn is_enabled(&self) -> bool {
        self.most_bytes > 0
    }

    /// Returns whether a cached result of the plugin was wrong. Such a plugin is asked for every pod.
    pub(crate) fn is_distrusted(&self, plugin: PluginId) -> bool {
        self.distrusted.iter().any(|distrusted| distrusted.plugin == Some(plugin))
    }

    /// Returns the cached results of a plugin about a pod signature, which are empty at first. Results that depend on
    /// the cluster may be stale.
    pub fn of(&mut self, plugin: PluginId, signature: PodSignatureId, cycle: u64) -> &mut PluginResults {
        self.plugins.of((plugin, signature), cycle)
    }

    /// Returns the current results of a plugin about a pod signature, and the node signatures in the fields that the
    /// plugin reads.
    pub fn current(
        &mut self,
        plugin: &ProfilePlugin,
        signature: PodSignatureId,
        cycle: u64,
        cache: &Cache,
    ) -> (&mut PluginResults, &FactNodeSignatures) {
        let node_signatures = self.node_signatures.of(&plugin.declaration.node, cache);
        let results = self.plugins.of((plugin.id, signature), cycle);
        results.catch_up(cache, &plugin.declaration);
        (results, node_signatures)
    }

    /// Returns the entry of the candidate index, which is empty at first.
    pub fn candidates(&mut self, key: &CandidateKey, cycle: u64) -> &mut Candidates {
        self.candidates.of(Arc::clone(key), cycle)
    }

    /// Returns whether the plugin answers that it skips the pod. Returns false without a call if the plugin has no skip
    /// call or is distrusted. If the call fails, the plugin is asked at its extension points like any other plugin, and
    /// the failure shows there. The plugin is also asked if results are not cached, so that a cache changes no decision.
    pub fn skips(&mut self, plugin: &ProfilePlugin, cycle: &Cycle<'_>, plugins: &mut dyn Plugins) -> bool {
        let declaration = &plugin.declaration;
        if !declaration.points.contains(ExtensionPoints::SKIP) || self.is_distrusted(plugin.id) {
            return false;
        }
        if !self.is_enabled() {
            return plugins.skip(plugin.id, cycle).unwrap_or(false);
        }
        let results = self.of(plugin.id, cycle.signature, cycle.id);
        results.catch_up(cycle.cache, declaration);
        if let Some(known) = results.skip {
            return known;
        }
        let answer = plugins.skip(plugin.id, cycle);
        results.skip = answer.as_ref().ok().copied();
        answer.unwrap_or(false)
    }

    /// Drops the results of plugins that no profile uses any more, and the index entries that depend on them.
    pub fn keep_plugins_of(&mut self, profiles: &[Profile]) {
        let used: Vec<PluginId> = profiles.iter().flat_map(Profile::plugin_ids).collect();
        let read: Vec<_> = profiles.iter().flat_map(Profile::plugins).map(|plugin| &plugin.declaration.node).collect();
        self.retain(|plugin, _| used.contains(&plugin));
        self.node_signatures.retain(|reads| read.contains(&reads));
        self.distrusted.retain(|distrusted| distrusted.plugin.is_some_and(|plugin| used.contains(&plugin)));
    }

    /// Evicts the least recently used pod signatures with their results, if there are too many. Reports them to the
    /// plugins.
    pub fn evict_pod_signatures(&mut self, plugins: &mut dyn Plugins) {
        for evicted in self.pod_signatures.evict() {
            self.retain(|_, signature| evicted.signatures.binary_search(&signature).is_err());
            plugins.forget_signatures(&evicted.reads, &evicted.signatures);
        }
    }

    fn retain(&mut self, keep: impl Fn(PluginId, PodSignatureId) -> bool) {
        self.plugins.retain(|(plugin, signature)| keep(*plugin, *signature));
        self.candidates.retain(|key| key.iter().all(|(plugin, signature, _)| keep(*plugin, *signature)));
    }

    /// Drops the candidate index.
    pub fn drop_candidates(&mut self) {
        self.candidates = Lru::default();
    }

    /// Returns whether an index entry may group this many nodes from this cycle on.
    pub fn have_space_for_groups(&mut self, nodes: usize, cycle: u64) -> bool {
        let most = self.most_for_candidates(nodes);
        self.candidates.has_space_for(nodes * Candidates::BYTES_PER_NODE, most, cycle)
    }

    /// Returns the bound for the candidate index, which needs most of the memory. The default of `most_bytes` is enough
    /// for 200 pod signatures with [`USUAL_NODES`] nodes.
    fn most_for_candidates(&self, nodes: usize) -> usize {
        self.most_for(nodes) / 16 * 10
    }

    fn most_for(&self, nodes: usize) -> usize {
        self.most_bytes.saturating_mul(nodes.div_ceil(USUAL_NODES).max(1))
    }

    /// Evicts the least recently used entries if they take more than the bound for this many nodes.
    pub fn evict(&mut self, nodes: usize) {
        self.plugins.evict(self.most_for(nodes) / 16 * 6);
        self.candidates.evict(self.most_for_candidates(nodes));
    }
}

#[cfg(test)]
mod tests {
    use super::lru::Size;
    use super::*;
    use crate::cache::NodeId;
    use crate::facts::NodeFacts;
    use crate::model::Node;
    use crate::plugins::Declaration;
    use crate::profile::FailurePolicy;

    #[test]
    fn two_hundred_signatures_have_space_at_the_usual_number_of_nodes() {
        const SIGNATURES: usize = 200;
        let results = ResultCache::new(crate::Options::default().result_cache_bytes);
        let nodes: Vec<NodeId> = (0..USUAL_NODES as u32).map(NodeId).collect();
        let mut candidates = Candidates::default();
        candidates.set(&nodes, &nodes, &Cache::default());
        assert_eq!(candidates.len(), USUAL_NODES);
        let each = candidates.bytes() + USUAL_NODES * Candidates::BYTES_PER_NODE;
        assert!(SIGNATURES * each <= results.most_for_candidates(USUAL_NODES), "each takes {each} bytes");
    }

    #[test]
    fn the_least_recently_used_results_are_evicted() {
        let mut cache = Cache::default();
        let name = |n: u32| format!("n{n}").into_boxed_str();
        (0..1000).for_each(|n| cache.set_node(Arc::new(Node { name: name(n), ..Node::default() })));
        let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).collect();
        let node = NodeFacts::NAME.into();
        let declaration = Arc::new(Declaration { node, ..Declaration::default() });
        let plugin = ProfilePlugin { id: PluginId(0), declaration, failure_policy: FailurePolicy::Fail };
        let mut results = ResultCache::new(200_000);
        for n in 0..4 {
            let (cached, node_signatures) = results.current(&plugin, PodSignatureId(n), u64::from(n), &cache);
            cached.verdicts.set(node_signatures, &nodes, vec![0; 1000]);
        }
        results.of(PluginId(0), PodSignatureId(0), 9);
        results.most_bytes = 64_000;
        results.evict(1000);
        assert_eq!(results.plugins.len(), 1);
        let (cached, node_signatures) = results.current(&plugin, PodSignatureId(0), 9, &cache);
        assert_eq!(cached.verdicts.missing(node_signatures, &nodes), [], "the results used last stay");
    }
}
