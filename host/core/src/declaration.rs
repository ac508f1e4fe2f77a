//! The declaration of a plugin: its name, its extension points, and the facts that it reads.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cluster_event::{ClusterEvent, Interest, Subject};
use crate::facts::ClusterFacts;
use crate::model::{ObjectKind, ObjectReads};
use crate::reads::{NodeReads, PodReads};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Declaration {
    /// The name that profiles, events and messages use.
    pub name: Arc<str>,
    /// The plugin's version, for people.
    pub version: Box<str>,
    /// The extension points that the plugin implements.
    pub points: ExtensionPoints,
    /// The fields of the pod to be scheduled that the plugin reads. Pods that are equal in these fields have the same
    /// signature for the plugin.
    pub pod: PodReads,
    /// The fields of nodes that the plugin reads. With [`crate::facts::NodeFacts::PODS`], the plugin reads the pods on nodes.
    pub node: NodeReads,
    /// The fields of pods on nodes that the plugin reads, if `node` has [`crate::facts::NodeFacts::PODS`].
    pub resident_pods: PodReads,
    /// The fields of pending pods that the plugin reads. `None`: the plugin does not read pending pods.
    pub pending_pods: Option<PodReads>,
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
    /// The plugin's answers depend on the time of the call.
    pub reads_time: bool,
    /// The events after which a pod that the plugin rejected is worth another attempt. If empty: every event of a kind
    /// in `objects`, every change of a field in `pending_pods`, and events of nodes and pods with changed facts of
    /// nodes: for filter scope `node` facts in `node`, otherwise any fact.
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

    /// Returns the kinds that have to be listed before the plugin can be asked: `objects`, and `v1 Pod` and `v1 Node` if
    /// the plugin names fields of them.
    #[must_use]
    pub fn wanted(&self) -> Vec<ObjectReads> {
        let pods = self.pod.fields.iter().chain(&self.resident_pods.fields).cloned().collect();
        let nodes = self.node.fields.iter().cloned().collect();
        let named = [(ObjectKind::pod(), pods), (ObjectKind::node(), nodes)];
        let named = named.into_iter().map(|(kind, fields)| ObjectReads { kind: Arc::new(kind), fields });
        self.objects.iter().cloned().chain(named.filter(|reads| !reads.fields.is_empty())).collect()
    }

    /// Returns whether the declaration says that the event may help pods that the plugin rejected.
    #[must_use]
    pub fn is_concerned_by(&self, event: &ClusterEvent) -> bool {
        let is_named = self.retry_on.iter().any(|interest| event.is_of(interest));
        if !self.retry_on.is_empty() && !is_named {
            return false;
        }
        match &event.subject {
            Subject::PendingPod { before, after, changed } => {
                self.pending_pods.as_ref().is_some_and(|reads| match (before, after) {
                    (Some(before), Some(after)) => reads.differ(*changed, before, after),
                    _ => true,
                })
            }
            _ if is_named => true,
            Subject::Object { kind, .. } => self.objects.iter().any(|reads| reads.kind == *kind),
            Subject::Node { .. } | Subject::Pod { .. } => match self.filter_scope {
                Scope::Node => event.concerns(&self.node),
                Scope::Domain | Scope::Cluster => !event.facts.is_empty(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster_event::EventActions;
    use crate::facts::{NodeFacts, PodFacts};

    #[test]
    fn named_fields_of_pods_and_nodes_are_wanted_like_objects() {
        let reads = |kind: ObjectKind, fields: &[&str]| ObjectReads {
            kind: Arc::new(kind),
            fields: fields.iter().map(|field| (*field).into()).collect(),
        };
        let service = || reads(ObjectKind { api_version: "v1".into(), kind: "Service".into() }, &["spec"]);
        let plain = Declaration {
            pod: PodReads::new(PodFacts::all(), [], ["a".into()], []),
            objects: vec![service()],
            ..Declaration::default()
        };
        assert_eq!(plain.wanted(), [service()]);
        let naming = Declaration {
            pod: PodReads::new(PodFacts::empty(), [], [], ["spec.b".into()]),
            node: NodeReads::new(NodeFacts::PODS, [], [], ["spec.podCIDR".into()]),
            resident_pods: PodReads::new(PodFacts::empty(), [], [], ["spec.a".into()]),
            ..plain
        };
        let pods = reads(ObjectKind::pod(), &["spec.a", "spec.b"]);
        assert_eq!(naming.wanted(), [service(), pods, reads(ObjectKind::node(), &["spec.podCIDR"])]);
    }

    #[test]
    fn an_event_of_a_pending_pod_is_named_like_other_events() {
        let added = ClusterEvent::pending_pod(None, Some(Arc::default()), PodFacts::all());
        let changed = |facts| ClusterEvent::pending_pod(Some(Arc::default()), Some(Arc::default()), facts);
        let reader = |retry_on: &[(&str, EventActions)]| Declaration {
            pending_pods: Some(PodFacts::LABELS.into()),
            retry_on: retry_on
                .iter()
                .map(|(kind, actions)| Interest { kind: (*kind).into(), actions: *actions })
                .collect(),
            ..Declaration::default()
        };
        for (retry_on, concerned) in [
            (&[][..], [true, true, false]),
            (&[("PendingPod", EventActions::ADD)], [true, false, false]),
            (&[("PendingPod", EventActions::UPDATE)], [false, true, false]),
            (&[("Pod", EventActions::ADD | EventActions::UPDATE)], [false; 3]),
        ] {
            let events = [added.clone(), changed(PodFacts::LABELS), changed(PodFacts::NOMINATED_NODE)];
            assert_eq!(events.map(|event| reader(retry_on).is_concerned_by(&event)), concerned, "{retry_on:?}");
        }
        let blind = Declaration { pending_pods: None, ..reader(&[]) };
        assert!(!blind.is_concerned_by(&added), "the plugin does not read pending pods");
    }
}
