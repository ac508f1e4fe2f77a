//! The declaration of a plugin: its name, its extension points, and the facts that it reads.

use std::sync::Arc;

use crate::cluster_event::{ClusterEvent, Interest, Subject};
use crate::facts::{ClusterFacts, NodeFacts, PodFacts};
use crate::model::ObjectReads;

bitflags::bitflags! {
    /// The extension points that a plugin implements, and other calls that it answers, as far as the component exports
    /// them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ExtensionPoints: u32 {
        /// `preEnqueue`
        const PRE_ENQUEUE = 1 << 0;
        /// `queueSort`
        const QUEUE_SORT = 1 << 1;
        /// `preFilter`
        const PRE_FILTER = 1 << 2;
        /// `filter`
        const FILTER = 1 << 3;
        /// `postFilter`
        const POST_FILTER = 1 << 4;
        /// `preScore`
        const PRE_SCORE = 1 << 5;
        /// `score`
        const SCORE = 1 << 6;
        /// The component normalizes its scores.
        const NORMALIZE = 1 << 7;
        /// `reserve`
        const RESERVE = 1 << 8;
        /// `permit`
        const PERMIT = 1 << 9;
        /// `preBind`
        const PRE_BIND = 1 << 10;
        /// `bind`
        const BIND = 1 << 11;
        /// `postBind`
        const POST_BIND = 1 << 12;
        /// The component has queueing hints.
        const QUEUEING_HINT = 1 << 13;
        /// The component filters hypothetical nodes (`what-if`) in one call.
        const FILTER_WHAT_IF = 1 << 14;
        /// The component answers by classes of nodes.
        const CLASSES = 1 << 15;
        /// The component says which pods it skips.
        const SKIP = 1 << 16;
        /// `unreserve`. No component declares this flag, because a component that exports `reserve` always exports
        /// `unreserve`. The flag exists for metrics.
        const UNRESERVE = 1 << 17;
    }
}

/// What the answers of a plugin depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// On anything. The plugin is asked for every pod.
    #[default]
    Cluster,
    /// On the pod signature, the declared facts of one node and the declared facts of the cluster. Answers are cached.
    Node,
    /// On the same as for `Node`, and on other nodes and their pods, by classes of nodes. The core caches the class of
    /// each node, and asks about the classes for every pod ([`ExtensionPoints::CLASSES`]).
    Domain,
}

/// The normalization of raw scores, before the weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Normalization {
    /// None: the scores are in the range 0 to 100 already.
    #[default]
    None,
    /// The highest score becomes 100, and the others are scaled (`helper.DefaultNormalizeScore`).
    Default,
    /// As `Default`, then reversed: the highest score becomes 0.
    DefaultReversed,
    /// The plugin normalizes its scores.
    Custom,
}

/// The declaration that a plugin gives when it is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// The name that profiles, events and messages use.
    pub name: Arc<str>,
    /// The plugin's version, for people.
    pub version: Box<str>,
    /// The extension points that the plugin implements.
    pub points: ExtensionPoints,
    /// The facts of the pod to be scheduled that the plugin reads. Pods that are equal in these facts have the same
    /// signature for the plugin.
    pub pod_facts: PodFacts,
    /// The facts of nodes that the plugin reads.
    pub node_facts: NodeFacts,
    /// The facts of pods on nodes that the plugin reads.
    pub resident_pod_facts: PodFacts,
    /// The facts of the whole cluster that the plugin reads.
    pub cluster_facts: ClusterFacts,
    /// The kinds other than Node and Pod that the plugin reads.
    pub objects: Vec<ObjectReads>,
    /// The scope of pre-filter and filter.
    pub filter_scope: Scope,
    /// The scope of pre-score and score.
    pub score_scope: Scope,
    /// The normalization of the plugin's scores.
    pub normalization: Normalization,
    /// The events after which a pod that the plugin rejected is worth another attempt. If empty: every event of a kind
    /// in `objects`, and events of nodes and pods with changed facts of nodes: for filter scope `node` facts in
    /// `node_facts`, otherwise any fact.
    pub retry_on: Vec<Interest>,
}

impl Declaration {
    /// Returns whether the core may ask the plugin about classes of nodes instead of nodes.
    #[must_use]
    pub fn answers_by_class(&self) -> bool {
        let domain = |point, scope| !self.points.contains(point) || scope == Scope::Domain;
        self.points.contains(ExtensionPoints::CLASSES)
            && domain(ExtensionPoints::FILTER, self.filter_scope)
            && domain(ExtensionPoints::SCORE, self.score_scope)
    }

    /// Returns whether the declaration says that the event may help pods that the plugin rejected.
    #[must_use]
    pub fn is_concerned_by(&self, event: &ClusterEvent) -> bool {
        if !self.retry_on.is_empty() {
            return self.retry_on.iter().any(|interest| event.is_of(interest));
        }
        if let Subject::Object { kind, .. } = &event.subject {
            return self.objects.iter().any(|reads| reads.kind == *kind);
        }
        match self.filter_scope {
            Scope::Node => event.facts.intersects(self.node_facts),
            Scope::Domain | Scope::Cluster => !event.facts.is_empty(),
        }
    }
}
