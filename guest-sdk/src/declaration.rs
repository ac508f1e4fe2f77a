//! A plugin's declaration, derived from the facts that its functions read.

use crate::bindings::base::exports::berth::scheduler::plugin::{ClusterEvent, Declaration, EventActions};
use crate::reads::Reads;
use crate::types::{Normalization, Scope};

/// The inputs of a plugin's declaration: the facts that each function reads, and keys of the `plugin!` macro.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The facts that the index receives.
    pub index: Reads,
    /// The facts that `prepare` reads.
    pub prepare: Reads,
    /// The facts that `pre_enqueue` reads. In this field and in all other `Option<Reads>`, `None` means that the plugin
    /// does not have the function.
    pub pre_enqueue: Option<Reads>,
    /// The facts that `queue_sort` reads.
    pub queue_sort: Option<Reads>,
    /// The facts that `pre_filter` reads.
    pub pre_filter: Option<Reads>,
    /// The facts that `filter` or `filter_nodes` reads.
    pub filter: Option<Reads>,
    /// The facts that `post_filter` reads.
    pub post_filter: Option<Reads>,
    /// The facts that `pre_score` reads.
    pub pre_score: Option<Reads>,
    /// The facts that `score` or `score_nodes` reads.
    pub score: Option<Reads>,
    /// The facts that `normalize` reads.
    pub normalize: Option<Reads>,
    /// The facts that `classify` reads. The facts of `score_classes` are in `other`.
    pub classes: Option<Reads>,
    /// The union of the facts that `skip`, `score_classes`, `reserve`, all functions after `reserve`, and
    /// `queueing_hint` read.
    pub other: Reads,
    /// The `scope` key, if the author overrides the scope that follows from the parameters.
    pub scope: Option<Scope>,
    /// The `normalization` key. Ignored if the plugin has a `normalize`.
    pub normalization: Normalization,
}

impl Declared {
    /// A plugin without functions.
    pub const NOTHING: Declared = Declared {
        index: Reads::NONE,
        prepare: Reads::NONE,
        pre_enqueue: None,
        queue_sort: None,
        pre_filter: None,
        filter: None,
        post_filter: None,
        pre_score: None,
        score: None,
        normalize: None,
        classes: None,
        other: Reads::NONE,
        scope: None,
        normalization: Normalization::None,
    };

    /// Returns the union of the facts that all functions and the index read.
    pub const fn reads(&self) -> Reads {
        self.functions().and(self.index)
    }

    /// Returns the union of the facts that all functions read, without those that only the index receives.
    pub const fn functions(&self) -> Reads {
        self.prepare
            .and_of(self.pre_enqueue)
            .and_of(self.queue_sort)
            .and_of(self.pre_filter)
            .and_of(self.filter)
            .and_of(self.post_filter)
            .and_of(self.pre_score)
            .and_of(self.score)
            .and_of(self.normalize)
            .and_of(self.classes)
            .and(self.other)
    }

    /// Returns the same declaration for an index that receives no nodes and no pods.
    #[must_use]
    pub const fn without_index(self) -> Declared {
        Declared { index: Reads::NONE, ..self }
    }

    /// Returns the contract's form. `retry_on` is empty; the caller fills it in.
    pub const fn declaration(&self) -> Declaration {
        let all = self.reads();
        Declaration {
            pod_facts: all.pod,
            node_facts: all.node,
            resident_pod_facts: all.resident,
            cluster_facts: all.cluster,
            filter_scope: self.scope_of(self.pre_filter, self.filter),
            score_scope: self.scope_of(self.pre_score, self.score),
            normalization: if self.normalize.is_some() { Normalization::Custom } else { self.normalization },
            retry_on: Vec::new(),
        }
    }

    /// Returns the scope of filter or score (`main`) together with pre-filter or pre-score (`before`). The `scope` key
    /// takes precedence. A plugin with classes has scope `domain`. The scope is `cluster` if one of the two functions
    /// reads the cycle, the index, a node's id or the list of nodes, or if `before` reads cluster facts. Otherwise the
    /// answers depend only on facts, and the scope is `node`.
    const fn scope_of(&self, before: Option<Reads>, main: Option<Reads>) -> Scope {
        let (before, main) = (self.with_prepared(before), self.with_prepared(main));
        match self.scope {
            Some(scope) => scope,
            None if self.classes.is_some() => Scope::Domain,
            None if before.cycle || main.cycle || !before.cluster.is_empty() => Scope::Cluster,
            None if before.beyond || main.beyond => Scope::Cluster,
            None => Scope::Node,
        }
    }

    const fn with_prepared(&self, function: Option<Reads>) -> Reads {
        match function {
            None => Reads::NONE,
            Some(reads) if reads.prepared => reads.and(self.prepare),
            Some(reads) => reads,
        }
    }
}

impl ClusterEvent {
    /// Makes an event from a kind and the actions on its objects. The kind is `Node`, `Pod`, or `group/version/Kind`.
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
    fn the_declaration_has_the_facts_of_all_functions() {
        let declared = Declared {
            prepare: Reads::pod(PodFacts::REQUESTS),
            filter: Some(PLAIN.and(Reads::PREPARED)),
            score: Some(Reads::node(NodeFacts::USAGE).and(Reads::pod(PodFacts::LABELS))),
            ..Declared::NOTHING
        };
        let declaration = declared.declaration();
        assert_eq!(declaration.pod_facts, PodFacts::REQUESTS | PodFacts::LABELS);
        assert_eq!(declaration.node_facts, NodeFacts::LABELS | NodeFacts::USAGE);
        assert_eq!(declaration.cluster_facts, ClusterFacts::empty());
    }

    #[test]
    fn facts_of_an_unused_index_are_not_declared() {
        let declared = Declared { index: PLAIN, score: Some(Reads::node(NodeFacts::USAGE)), ..Declared::NOTHING };
        assert_eq!(declared.declaration().node_facts, NodeFacts::LABELS | NodeFacts::USAGE);
        assert_eq!(declared.without_index().declaration().node_facts, NodeFacts::USAGE);
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
            (Reads::NONE, None, Some(PLAIN.and(Reads::BEYOND)), Scope::Cluster),
            (Reads::NONE, Some(Reads::BEYOND), Some(PLAIN), Scope::Cluster),
        ] {
            let declared = Declared { prepare, pre_score: before, score: main, ..Declared::NOTHING };
            assert_eq!(declared.declaration().score_scope, scope, "{declared:?}");
            let by_class = Declared { classes: Some(Reads::BEYOND), ..declared };
            assert_eq!(by_class.declaration().score_scope, Scope::Domain);
        }
    }

    #[test]
    fn the_author_can_override_the_scope() {
        let declared = Declared { filter: Some(PLAIN), scope: Some(Scope::Cluster), ..Declared::NOTHING };
        assert_eq!(declared.declaration().filter_scope, Scope::Cluster);
    }
}
