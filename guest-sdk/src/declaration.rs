//! A plugin's declaration, derived from the facts that its functions read.

use std::marker::PhantomData;

use crate::bindings::base::exports::berth::scheduler::plugin::{ClusterEvent, Declaration, EventActions};
use crate::plugin::Plugin;
use crate::reads::{PodReads, Reads};
use crate::types::{self, ClusterFacts, NodeFacts, Normalization, PodFacts, Scope};

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

    /// Returns the same declaration, after checking it.
    ///
    /// # Panics
    /// Panics if `queue_sort` itself reads nodes, or if a plugin with `queue_sort` reads nodes, pods on nodes or the
    /// cluster and no other function than `pre_enqueue` can use them. The macro evaluates this at compile time, so it is
    /// a compile error.
    #[allow(clippy::panic, reason = "at compile time: its message is for the plugin's author")]
    #[must_use]
    pub const fn checked(self) -> Declared {
        if let Some(reads) = self.queue_sort {
            assert!(!reads.nodes, "queue_sort can't read nodes: the order of the queue may not change with them");
            let all = self.reads();
            assert!(
                self.uses_nodes() || (all.node.is_empty() && all.resident.is_none() && all.cluster.is_empty()),
                "the plugin reads nodes, pods on nodes or the cluster, but has only queue_sort and pre_enqueue, which \
                 may not depend on them: the order of the queue may not change with nodes"
            );
        }
        self
    }

    /// Returns true if a function other than `queue_sort` and `pre_enqueue` reads nodes, the cluster or the index.
    const fn uses_nodes(&self) -> bool {
        let functions = Declared { pre_enqueue: None, queue_sort: None, ..*self }.functions();
        functions.nodes || functions.beyond || !functions.cluster.is_empty()
    }

    /// Returns the parts of the declaration that are not names.
    const fn facts_and_scopes(&self) -> FactsAndScopes {
        let all = self.reads();
        FactsAndScopes {
            pod: all.pod.facts,
            node: all.node.facts,
            resident: facts(&all.resident),
            pending: facts(&all.pending),
            cluster: all.cluster,
            reads_time: all.time,
            filter_scope: self.scope_of(self.pre_filter, self.filter),
            score_scope: self.scope_of(self.pre_score, self.score),
            normalization: if self.normalize.is_some() { Normalization::Custom } else { self.normalization },
        }
    }

    /// Returns the scope of filter or score (`main`) together with pre-filter or pre-score (`before`). The `scope` key
    /// takes precedence. A plugin with classes has scope `domain`. The scope is `cluster` if one of the two functions
    /// reads the cycle, the index, a node's id or the list of nodes, if `before` reads cluster facts, or if any
    /// function of the plugin reads the time, because the host refuses scope `node` for such a plugin. Otherwise the
    /// answers depend only on facts, and the scope is `node`.
    const fn scope_of(&self, before: Option<Reads>, main: Option<Reads>) -> Scope {
        let (before, main) = (self.with_prepared(before), self.with_prepared(main));
        match self.scope {
            Some(scope) => scope,
            None if self.classes.is_some() => Scope::Domain,
            None if before.cycle || main.cycle || !before.cluster.is_empty() => Scope::Cluster,
            None if before.beyond || main.beyond || self.reads().time => Scope::Cluster,
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

/// The parts of a declaration that are not names.
#[derive(Clone, Copy)]
struct FactsAndScopes {
    pod: PodFacts,
    node: NodeFacts,
    resident: Option<PodFacts>,
    pending: Option<PodFacts>,
    cluster: ClusterFacts,
    reads_time: bool,
    filter_scope: Scope,
    score_scope: Scope,
    normalization: Normalization,
}

const fn facts(pods: &Option<PodReads>) -> Option<PodFacts> {
    match pods {
        Some(pods) => Some(pods.facts),
        None => None,
    }
}

const fn or_nothing(pods: Option<PodReads>) -> PodReads {
    match pods {
        Some(pods) => pods,
        None => PodReads::NONE,
    }
}

/// A plugin's declaration as a constant.
pub(crate) trait Constant {
    const DECLARED: Declared;
    const READS: Reads = Self::DECLARED.reads();
}

/// The declaration of a plugin.
pub(crate) struct Whole<P>(PhantomData<P>);

/// The declaration of a plugin whose index receives no nodes and no pods.
pub(crate) struct WithoutIndex<P>(PhantomData<P>);

impl<P: Plugin> Constant for Whole<P> {
    const DECLARED: Declared = P::DECLARED;
}

impl<P: Plugin> Constant for WithoutIndex<P> {
    const DECLARED: Declared = P::DECLARED.without_index();
}

/// Makes the contract's form of what is read of pods or nodes. A component contains only the lists that have names:
/// each list is a constant of its own, and an empty list is no constant.
macro_rules! declared {
    ($record:ident, $facts:expr, $reads:expr) => {
        types::$record {
            facts: $facts,
            label_keys: if const { $reads.label_keys.is_empty() } {
                Vec::new()
            } else {
                const { $reads.label_keys }.declared()
            },
            annotation_keys: if const { $reads.annotation_keys.is_empty() } {
                Vec::new()
            } else {
                const { $reads.annotation_keys }.declared()
            },
            fields: if const { $reads.fields.is_empty() } { Vec::new() } else { const { $reads.fields }.declared() },
        }
    };
}

/// Returns the contract's form of a declaration.
pub(crate) fn declaration<D: Constant>(retry_on: Vec<ClusterEvent>) -> Declaration {
    let declared = const { D::DECLARED.facts_and_scopes() };
    Declaration {
        pod: declared!(PodReads, declared.pod, D::READS.pod),
        node: declared!(NodeReads, declared.node, D::READS.node),
        resident_pods: declared.resident.map(|facts| declared!(PodReads, facts, or_nothing(D::READS.resident))),
        pending_pods: declared.pending.map(|facts| declared!(PodReads, facts, or_nothing(D::READS.pending))),
        cluster_facts: declared.cluster,
        reads_time: declared.reads_time,
        filter_scope: declared.filter_scope,
        score_scope: declared.score_scope,
        normalization: declared.normalization,
        retry_on,
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
    use crate::reads::NodeReads;

    const PLAIN: Reads = Reads::node(NodeReads::of(NodeFacts::LABELS));
    const CYCLE: Reads = Reads { cycle: true, ..PLAIN };
    const IMAGES: Reads = Reads::cluster(ClusterFacts::IMAGES);

    #[test]
    fn the_declaration_has_the_facts_of_all_functions() {
        let declared = Declared {
            prepare: Reads::pod(PodReads::of(PodFacts::REQUESTS)),
            filter: Some(PLAIN.and(Reads::PREPARED)),
            score: Some(Reads::node(NodeReads::of(NodeFacts::USAGE)).and(Reads::pod(PodReads::of(PodFacts::LABELS)))),
            ..Declared::NOTHING
        };
        let declaration = declared.facts_and_scopes();
        assert_eq!(declaration.pod, PodFacts::REQUESTS | PodFacts::LABELS);
        assert_eq!(declaration.node, NodeFacts::LABELS | NodeFacts::USAGE);
        assert_eq!(declaration.cluster, ClusterFacts::empty());
    }

    #[test]
    fn facts_of_an_unused_index_are_not_declared() {
        let declared =
            Declared { index: PLAIN, score: Some(Reads::node(NodeReads::of(NodeFacts::USAGE))), ..Declared::NOTHING };
        assert_eq!(declared.facts_and_scopes().node, NodeFacts::LABELS | NodeFacts::USAGE);
        assert_eq!(declared.without_index().facts_and_scopes().node, NodeFacts::USAGE);
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
            (Reads::NONE, None, Some(PLAIN.and(Reads::INDEX)), Scope::Cluster),
            (Reads::NONE, Some(Reads::INDEX), Some(PLAIN), Scope::Cluster),
        ] {
            let declared = Declared { prepare, pre_score: before, score: main, ..Declared::NOTHING };
            assert_eq!(declared.facts_and_scopes().score_scope, scope, "{declared:?}");
            let by_class = Declared { classes: Some(Reads::INDEX), ..declared };
            assert_eq!(by_class.facts_and_scopes().score_scope, Scope::Domain);
        }
    }

    #[test]
    fn the_time_is_declared_and_no_answer_is_cached() {
        const TIME: Reads = Reads { time: true, ..Reads::NONE };
        let declared = Declared { filter: Some(PLAIN), other: TIME, ..Declared::NOTHING };
        let declaration = declared.facts_and_scopes();
        assert_eq!((declaration.reads_time, declaration.filter_scope), (true, Scope::Cluster));
        let seed = Declared { filter: Some(CYCLE), ..Declared::NOTHING }.facts_and_scopes();
        assert_eq!((seed.reads_time, seed.filter_scope), (false, Scope::Cluster));
    }

    #[test]
    fn pods_are_declared_only_if_they_are_read() {
        struct Nothing;
        impl Constant for Nothing {
            const DECLARED: Declared = Declared::NOTHING;
        }

        struct Pods;
        impl Constant for Pods {
            const DECLARED: Declared = Declared {
                index: Reads { pending: Some(PodReads::label("app")), ..Reads::resident(PodReads::NONE) },
                ..Declared::NOTHING
            };
        }

        let none = declaration::<Nothing>(Vec::new());
        assert_eq!((none.resident_pods, none.pending_pods), (None, None));
        let declared = declaration::<Pods>(Vec::new());
        assert_eq!(declared.resident_pods.map(|pods| pods.label_keys), Some(vec![]));
        assert_eq!(declared.pending_pods.map(|pods| pods.label_keys), Some(vec!["app".to_owned()]));
    }

    /// A plugin with queue-sort whose index reads nodes.
    const QUEUE: Declared = Declared { queue_sort: Some(Reads::INDEX), index: PLAIN, ..Declared::NOTHING };

    #[test]
    fn a_plugin_with_queue_sort_may_read_nodes_in_other_functions() {
        // Constants, because these values are too large for the stack of a test.
        const PRE_FILTER: NodeFacts =
            Declared { pre_filter: Some(Reads::INDEX), ..QUEUE }.checked().facts_and_scopes().node;
        const PERMIT: NodeFacts = Declared { other: Reads::INDEX, ..QUEUE }.checked().facts_and_scopes().node;
        const SCORE: NodeFacts = Declared { score: Some(PLAIN), ..QUEUE }.checked().facts_and_scopes().node;
        assert_eq!([PRE_FILTER, PERMIT, SCORE], [NodeFacts::LABELS; 3]);
    }

    #[test]
    #[should_panic(expected = "has only queue_sort and pre_enqueue")]
    fn a_plugin_for_the_queue_alone_may_not_read_nodes() {
        let _ = Declared { pre_enqueue: Some(Reads::INDEX), ..QUEUE }.checked();
    }

    #[test]
    fn the_author_can_override_the_scope() {
        let declared = Declared { filter: Some(PLAIN), scope: Some(Scope::Cluster), ..Declared::NOTHING };
        assert_eq!(declared.facts_and_scopes().filter_scope, Scope::Cluster);
    }
}
