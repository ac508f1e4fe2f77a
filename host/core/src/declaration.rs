//! What a plugin is and reads, as it said when it was configured.

use std::sync::Arc;

use crate::cluster_event::{ClusterEvent, Interest, Subject};
use crate::facts::{ClusterFacts, NodeFacts, PodFacts};
use crate::model::ObjectReads;

bitflags::bitflags! {
    /// Extension points that a plugin takes part in: the component's exports.
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
        /// The component normalizes its scores itself.
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
        /// Queueing hints of its own.
        const QUEUEING_HINT = 1 << 13;
        /// Filters with changed pods in one call.
        const FILTER_WHAT_IF = 1 << 14;
        /// What undoes a reserve. Nothing declares it by itself: it comes with `reserve`, and has a name of its own for those
        /// who measure.
        const UNRESERVE = 1 << 15;
    }
}

/// What a plugin's answers depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Anything: asked for every pod.
    #[default]
    Cluster,
    /// The template and the declared facts of that node: answers are kept.
    Node,
    /// Sums over topology domains; asked for every pod until those are kept, too.
    Domain,
}

/// What is done with raw scores before the weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Normalization {
    /// Nothing: they are 0 to 100 already.
    #[default]
    None,
    /// The highest becomes 100.
    Default,
    /// The same, then turned round.
    DefaultReversed,
    /// The plugin does it.
    Custom,
}

/// What a plugin is and reads, as it said when it was configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// The name that profiles, events and messages use.
    pub name: Arc<str>,
    /// The plugin's own version, for people.
    pub version: Box<str>,
    /// What it exports.
    pub points: ExtensionPoints,
    /// What it reads of the pod to be placed: the facts of its templates.
    pub pod_facts: PodFacts,
    /// What it reads of nodes.
    pub node_facts: NodeFacts,
    /// What it reads of pods on nodes.
    pub resident_pod_facts: PodFacts,
    /// What it reads of the cluster as a whole.
    pub cluster_facts: ClusterFacts,
    /// Further kinds that it reads.
    pub objects: Vec<ObjectReads>,
    /// Of pre-filter and filter.
    pub filter_scope: Scope,
    /// Of pre-score and score.
    pub score_scope: Scope,
    /// Of its scores.
    pub normalization: Normalization,
    /// When a pod that it rejected is worth another try. Empty: when a fact changed that it reads.
    pub retry_on: Vec<Interest>,
}

impl Declaration {
    /// Whether the event may help pods that it rejected, as far as it declared.
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
