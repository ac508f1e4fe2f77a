//! A plugin's declaration, derived from what its functions read.

use crate::bindings::base::exports::berth::scheduler::plugin::{ClusterEvent, Declaration, EventActions};
use crate::reads::Reads;
use crate::types::{Normalization, Scope};

/// What the `plugin!` line says and its functions' parameters add.
#[derive(Clone, Debug)]
pub struct Declared {
    /// What `prepare` reads.
    pub prepare: Reads,
    /// What `pre_filter` reads, where there is one; and so on.
    pub pre_filter: Option<Reads>,
    /// `filter`.
    pub filter: Option<Reads>,
    /// `pre_score`.
    pub pre_score: Option<Reads>,
    /// `score`.
    pub score: Option<Reads>,
    /// `normalize`.
    pub normalize: Option<Reads>,
    /// Where the author knows better than the parameters.
    pub scope: Option<Scope>,
    /// Ignored where the plugin has a `normalize`.
    pub normalization: Normalization,
    /// Events after which a rejected pod is worth another try; empty for any change of what is read.
    pub retry_on: Vec<ClusterEvent>,
}

impl Default for Declared {
    fn default() -> Declared {
        Declared {
            prepare: Reads::NONE,
            pre_filter: None,
            filter: None,
            pre_score: None,
            score: None,
            normalize: None,
            scope: None,
            normalization: Normalization::None,
            retry_on: Vec::new(),
        }
    }
}

impl Declared {
    /// As it crosses to the host.
    pub fn declaration(&self) -> Declaration {
        let all = [self.pre_filter, self.filter, self.pre_score, self.score, self.normalize]
            .into_iter()
            .flatten()
            .fold(self.prepare, Reads::and);
        Declaration {
            pod_facts: all.pod,
            node_facts: all.node,
            resident_pod_facts: all.resident,
            cluster_facts: all.cluster,
            filter_scope: self.scope_of(self.pre_filter, self.filter),
            score_scope: self.scope_of(self.pre_score, self.score),
            normalization: if self.normalize.is_some() { Normalization::Custom } else { self.normalization },
            retry_on: self.retry_on.clone(),
        }
    }

    /// A function without the cycle among its parameters can depend on nothing but its facts, which is what scope `node`
    /// promises. Of what runs before the nodes, scope `node` asks that it does without the cluster's facts too.
    fn scope_of(&self, before: Option<Reads>, main: Option<Reads>) -> Scope {
        let before = before.map_or(Reads::NONE, |reads| self.with_prepared(reads));
        let main = main.map_or(Reads::NONE, |reads| self.with_prepared(reads));
        match self.scope {
            Some(scope) => scope,
            None if before.cycle || main.cycle || !before.cluster.is_empty() => Scope::Cluster,
            None => Scope::Node,
        }
    }

    fn with_prepared(&self, reads: Reads) -> Reads {
        if reads.prepared { reads.and(self.prepare) } else { reads }
    }

    /// Whether what `prepare` made is stale once a fact of the cluster changed.
    pub(crate) fn prepare_reads_cluster(&self) -> bool {
        !self.prepare.cluster.is_empty()
    }

    /// Whether the host sends nodes to this plugin.
    pub(crate) fn reads_nodes(&self) -> bool {
        !self.declaration().node_facts.is_empty()
    }
}

impl ClusterEvent {
    /// What happens to objects of a kind: `Node`, `Pod`, or `group/version/Kind` for others.
    pub fn new(kind: &str, actions: EventActions) -> ClusterEvent {
        ClusterEvent { kind: kind.to_owned(), actions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{ClusterFacts, NodeFacts, PodFacts};

    const PLAIN: Reads = Reads::node(NodeFacts::LABELS);
    const CYCLE: Reads = Reads { cycle: true, ..PLAIN };
    const IMAGES: Reads = Reads::cluster(ClusterFacts::IMAGES);

    #[test]
    fn all_that_any_function_reads_is_declared() {
        let declared = Declared {
            prepare: Reads::pod(PodFacts::REQUESTS),
            filter: Some(PLAIN.and(Reads::PREPARED)),
            score: Some(Reads::node(NodeFacts::USAGE).and(Reads::pod(PodFacts::LABELS))),
            ..Declared::default()
        };
        let declaration = declared.declaration();
        assert_eq!(declaration.pod_facts, PodFacts::REQUESTS | PodFacts::LABELS);
        assert_eq!(declaration.node_facts, NodeFacts::LABELS | NodeFacts::USAGE);
        assert_eq!(declaration.cluster_facts, ClusterFacts::empty());
    }

    #[test]
    fn the_scope_follows_from_the_parameters() {
        for (prepare, before, main, scope) in [
            (Reads::NONE, None, Some(PLAIN), Scope::Node),
            (Reads::NONE, None, Some(CYCLE), Scope::Cluster),
            (Reads::NONE, Some(CYCLE), Some(PLAIN), Scope::Cluster),
            (Reads::NONE, None, Some(PLAIN.and(IMAGES)), Scope::Node),
            (Reads::NONE, Some(IMAGES), Some(PLAIN), Scope::Cluster),
            (IMAGES, None, Some(Reads::PREPARED), Scope::Node),
            (IMAGES, Some(Reads::NONE), Some(Reads::PREPARED), Scope::Node),
            (IMAGES, Some(Reads::PREPARED), Some(PLAIN), Scope::Cluster),
        ] {
            let declared = Declared { prepare, pre_score: before, score: main, ..Declared::default() };
            assert_eq!(declared.declaration().score_scope, scope, "{declared:?}");
        }
    }

    #[test]
    fn the_author_may_know_better() {
        let declared = Declared { filter: Some(PLAIN), scope: Some(Scope::Cluster), ..Declared::default() };
        assert_eq!(declared.declaration().filter_scope, Scope::Cluster);
    }
}
