//! Cluster events that may help a rejected pod.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facts::{NodeFacts, PodFacts};
use crate::model::{Node, Object, ObjectKind, Pod, Resources};
use crate::reads::NodeReads;

bitflags::bitflags! {
    /// The actions of an event: the flags `event-actions` of `berth:scheduler/plugin`, bit for bit.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct EventActions: u32 {
        /// The object was added. For a pod: the pod was assigned to a node, or assumed there.
        const ADD = 1 << 0;
        /// The object was deleted. For a pod: the pod left its node, or gave up its nominated node.
        const DELETE = 1 << 1;
        /// In an event: a change that no other flag names. In an [`Interest`]: any change of the object.
        const UPDATE = 1 << 2;
        /// The object's labels changed.
        const UPDATE_LABELS = 1 << 3;
        /// A node's taints or `spec.unschedulable` changed.
        const UPDATE_TAINTS = 1 << 4;
        /// A node's allocatable changed.
        const UPDATE_ALLOCATABLE = 1 << 5;
        /// A node's conditions changed.
        const UPDATE_CONDITION = 1 << 6;
        /// A pod requests less of a resource than before.
        const UPDATE_SCALE_DOWN = 1 << 7;
        /// A pod's tolerations changed.
        const UPDATE_TOLERATIONS = 1 << 8;
        /// A pod's last scheduling gate was removed.
        const UPDATE_GATES_ELIMINATED = 1 << 9;
    }
}

/// Events after which pods that a plugin rejected can get another attempt (`declaration.retry-on`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interest {
    /// `Node`, `Pod`, `PendingPod`, or another kind: `apiVersion/Kind`, or the kind alone (`PersistentVolumeClaim`) for any API
    /// version.
    pub kind: Box<str>,
    /// Any of these actions. [`EventActions::UPDATE`] stands for any change.
    pub actions: EventActions,
}

/// The object of an event. `before` is `None` for a new object, `after` for a deleted object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A node.
    Node {
        /// The old version.
        before: Option<Arc<Node>>,
        /// The new version.
        after: Option<Arc<Node>>,
    },
    /// A pod that is assigned to a node or assumed, or a pending pod that gave up its nominated node (as `before`).
    Pod {
        /// The old version.
        before: Option<Arc<Pod>>,
        /// The new version.
        after: Option<Arc<Pod>>,
    },
    /// A pending pod, for plugins that read pending pods. Pods without a rejecting plugin and pods that extenders
    /// rejected are not concerned.
    PendingPod {
        /// The old version.
        before: Option<Arc<Pod>>,
        /// The new version.
        after: Option<Arc<Pod>>,
        /// The facts that changed. All facts of a new pod, and of a pod that is not pending any more.
        changed: PodFacts,
    },
    /// An object of another kind that plugins read.
    Object {
        /// The object's kind.
        kind: Arc<ObjectKind>,
        /// The old version.
        before: Option<Arc<Object>>,
        /// The new version.
        after: Option<Arc<Object>>,
    },
}

/// A change in the cluster. While no plugin reads pending pods, only the end of a nomination is such an event among the
/// changes of pending pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterEvent {
    /// The changed object.
    pub subject: Subject,
    /// The actions.
    pub actions: EventActions,
    /// The changed facts of nodes that may help a rejected pod. Used for plugins whose `retry_on` is empty.
    pub facts: NodeFacts,
    /// If set, the event only helps pods of at most this priority.
    pub up_to_priority: Option<i32>,
}

impl ClusterEvent {
    /// Returns the event of a node that was added, changed in these facts, or deleted.
    #[must_use]
    pub fn node(before: Option<Arc<Node>>, after: Option<Arc<Node>>, facts: NodeFacts) -> Self {
        let actions = match (&before, &after) {
            (None, _) => EventActions::ADD,
            (Some(_), None) => EventActions::DELETE,
            (Some(_), Some(_)) => node_update(facts),
        };
        Self { subject: Subject::Node { before, after }, actions, facts, up_to_priority: None }
    }

    /// Returns the event of a pod that was added to a node, changed there, or left it. `facts` are the changed facts of
    /// that node. The event of an added pod has the facts `PODS` only. The event of an update has `USAGE` only if the
    /// pod requests less of a resource than before.
    #[must_use]
    pub fn pod(before: Option<Arc<Pod>>, after: Option<Arc<Pod>>, facts: NodeFacts) -> Self {
        let (actions, facts) = match (&before, &after) {
            // A new pod frees no resources, but helps pods with an affinity to it.
            (None, _) => (EventActions::ADD, NodeFacts::PODS),
            (Some(_), None) => (EventActions::DELETE, facts),
            (Some(before), Some(after)) => pod_update(before, after, facts),
        };
        Self { subject: Subject::Pod { before, after }, actions, facts, up_to_priority: None }
    }

    /// Returns the event of a pending pod that was added, changed in these facts, or removed.
    #[must_use]
    pub fn pending_pod(before: Option<Arc<Pod>>, after: Option<Arc<Pod>>, changed: PodFacts) -> Self {
        let actions = match (&before, &after) {
            (None, _) => EventActions::ADD,
            (Some(_), None) => EventActions::DELETE,
            (Some(_), Some(_)) => EventActions::UPDATE,
        };
        let subject = Subject::PendingPod { before, after, changed };
        Self { subject, actions, facts: NodeFacts::empty(), up_to_priority: None }
    }

    /// Returns whether the event is about a pending pod.
    #[must_use]
    pub fn is_about_pending_pod(&self) -> bool {
        matches!(self.subject, Subject::PendingPod { .. })
    }

    /// Returns whether the event only says that the nominated node of the pending pod with this uid changed. Such an
    /// event does not help the pod itself, because the change comes from a scheduler, in most cases from this one.
    pub(crate) fn is_own_nomination(&self, uid: &str) -> bool {
        match &self.subject {
            Subject::PendingPod { after: Some(pod), changed, .. } => {
                *pod.key.uid == *uid && PodFacts::NOMINATED_NODE.contains(*changed)
            }
            _ => false,
        }
    }

    /// Returns the event of an object of another kind that was added, changed or deleted. At least one version is
    /// given.
    #[must_use]
    pub fn object(before: Option<Arc<Object>>, after: Option<Arc<Object>>) -> Self {
        let kind = after.as_ref().or(before.as_ref()).map(|object| Arc::clone(&object.key.kind)).unwrap_or_default();
        let actions = match (&before, &after) {
            (None, _) => EventActions::ADD,
            (Some(_), None) => EventActions::DELETE,
            (Some(_), Some(_)) => EventActions::UPDATE,
        };
        let subject = Subject::Object { kind, before, after };
        Self { subject, actions, facts: NodeFacts::empty(), up_to_priority: None }
    }

    /// Returns the name that kube-scheduler's metrics use: `NodeAdd`, `AssignedPodDelete`,
    /// `storage.k8s.io/CSINodeUpdate`. If the event has several actions, the first in kube-scheduler's order gives the
    /// name.
    #[must_use]
    pub fn name(&self) -> String {
        let subject = match &self.subject {
            Subject::Node { .. } => "Node".to_owned(),
            Subject::Pod { .. } => "AssignedPod".to_owned(),
            Subject::PendingPod { .. } => "UnscheduledPod".to_owned(),
            Subject::Object { kind, .. } => match kind.api_version.split_once('/') {
                Some((group, _)) => format!("{group}/{}", kind.kind),
                None => kind.kind.to_string(),
            },
        };
        subject + self.action_name()
    }

    fn action_name(&self) -> &'static str {
        let is_node = matches!(self.subject, Subject::Node { .. });
        let has = |action| self.actions.contains(action);
        match () {
            () if has(EventActions::ADD) => "Add",
            () if has(EventActions::DELETE) => "Delete",
            () if is_node && self.facts.contains(NodeFacts::UNSCHEDULABLE) => "UpdateNodeTaint",
            () if has(EventActions::UPDATE_ALLOCATABLE) => "UpdateNodeAllocatable",
            () if has(EventActions::UPDATE_LABELS) && is_node => "UpdateNodeLabel",
            () if has(EventActions::UPDATE_TAINTS) => "UpdateNodeTaint",
            () if has(EventActions::UPDATE_CONDITION) => "UpdateNodeCondition",
            () if is_node && self.facts.contains(NodeFacts::ANNOTATIONS) => "UpdateNodeAnnotation",
            () if is_node && self.facts.contains(NodeFacts::DECLARED_FEATURES) => "UpdateNodeDeclaredFeature",
            () if has(EventActions::UPDATE_LABELS) => "UpdatePodLabel",
            () if has(EventActions::UPDATE_SCALE_DOWN) => "UpdatePodScaleDown",
            () if has(EventActions::UPDATE_TOLERATIONS) => "UpdatePodToleration",
            () => "Update",
        }
    }

    /// Returns whether the event is about this kind, in the form of [`Interest::kind`].
    fn is_about(&self, kind: &str) -> bool {
        match &self.subject {
            Subject::Node { .. } => kind == "Node",
            Subject::Pod { .. } => kind == "Pod",
            Subject::PendingPod { .. } => kind == "PendingPod",
            Subject::Object { kind: ours, .. } => ours.is_named(kind),
        }
    }

    /// Returns whether the event changed a fact of a node that may help a pod which a plugin with these reads rejected.
    #[must_use]
    pub fn concerns(&self, reads: &NodeReads) -> bool {
        match &self.subject {
            Subject::Node { before: Some(before), after: Some(after) } => reads.differ(self.facts, before, after),
            _ => self.facts.intersects(reads.touching()),
        }
    }

    /// Returns whether the event matches the interest.
    #[must_use]
    pub fn is_of(&self, interest: &Interest) -> bool {
        const UPDATES: EventActions = EventActions::ADD.union(EventActions::DELETE).complement();
        let actions = self.actions;
        let any_update = interest.actions.contains(EventActions::UPDATE) && actions.intersects(UPDATES);
        self.is_about(&interest.kind) && (any_update || interest.actions.intersects(actions))
    }
}

fn node_update(facts: NodeFacts) -> EventActions {
    let of = |fact| match fact {
        NodeFacts::LABELS => EventActions::UPDATE_LABELS,
        NodeFacts::TAINTS | NodeFacts::UNSCHEDULABLE => EventActions::UPDATE_TAINTS,
        NodeFacts::ALLOCATABLE => EventActions::UPDATE_ALLOCATABLE,
        NodeFacts::CONDITIONS => EventActions::UPDATE_CONDITION,
        _ => EventActions::UPDATE,
    };
    facts.iter().map(of).collect()
}

/// Returns the actions of a pod update, and `facts` without USAGE if no request decreased: such an update frees no
/// resources.
fn pod_update(before: &Pod, after: &Pod, facts: NodeFacts) -> (EventActions, NodeFacts) {
    let scaled_down = is_less(&before.requests.effective, &after.requests.effective);
    let found = [
        (EventActions::UPDATE_LABELS, before.labels != after.labels),
        (EventActions::UPDATE_SCALE_DOWN, scaled_down),
        (EventActions::UPDATE_TOLERATIONS, before.spec.tolerations != after.spec.tolerations),
    ];
    let actions: EventActions = found.into_iter().filter(|(_, changed)| *changed).map(|(action, _)| action).collect();
    let facts = if scaled_down { facts } else { facts.difference(NodeFacts::USAGE) };
    (if actions.is_empty() { EventActions::UPDATE } else { actions }, facts)
}

/// Returns whether any amount of `after` is less than in `before`.
fn is_less(before: &Resources, after: &Resources) -> bool {
    after.milli_cpu < before.milli_cpu
        || after.memory < before.memory
        || after.ephemeral_storage < before.ephemeral_storage
        || before.scalars.iter().any(|(name, quantity)| after.scalar(name) < *quantity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PodRequests;

    fn changed(facts: NodeFacts) -> ClusterEvent {
        let node = Some(Arc::new(Node::default()));
        ClusterEvent::node(node.clone(), node, facts)
    }

    #[test]
    fn events_match_interests() {
        let added = ClusterEvent::node(None, Some(Arc::default()), NodeFacts::all());
        let tainted = changed(NodeFacts::TAINTS);
        let annotated = changed(NodeFacts::ANNOTATIONS);
        let pod_left = ClusterEvent::pod(Some(Arc::default()), None, NodeFacts::USAGE);
        for (kind, actions, expected) in [
            ("Node", EventActions::ADD, [true, false, false, false]),
            ("Node", EventActions::ADD | EventActions::UPDATE_TAINTS, [true, true, false, false]),
            ("Node", EventActions::UPDATE, [false, true, true, false]),
            ("Node", EventActions::UPDATE_LABELS, [false; 4]),
            ("Pod", EventActions::DELETE, [false, false, false, true]),
            ("Pod", EventActions::UPDATE, [false; 4]),
        ] {
            let interest = Interest { kind: kind.into(), actions };
            let matches = [&added, &tainted, &annotated, &pod_left].map(|event| event.is_of(&interest));
            assert_eq!(matches, expected, "{interest:?}");
        }
    }

    #[test]
    fn events_have_kube_schedulers_names() {
        let object = |api_version: &str, kind: &str| {
            let kind = Arc::new(ObjectKind { api_version: api_version.into(), kind: kind.into() });
            let key = crate::model::ObjectKey { kind, ..Default::default() };
            Some(Arc::new(Object { key, ..Default::default() }))
        };
        let claim = || object("v1", "PersistentVolumeClaim");
        for (event, name) in [
            (ClusterEvent::node(None, Some(Arc::default()), NodeFacts::all()), "NodeAdd"),
            (ClusterEvent::node(Some(Arc::default()), None, NodeFacts::PODS), "NodeDelete"),
            (changed(NodeFacts::TAINTS), "NodeUpdateNodeTaint"),
            (changed(NodeFacts::LABELS | NodeFacts::ALLOCATABLE), "NodeUpdateNodeAllocatable"),
            (changed(NodeFacts::LABELS | NodeFacts::UNSCHEDULABLE), "NodeUpdateNodeTaint"),
            (changed(NodeFacts::LABELS), "NodeUpdateNodeLabel"),
            (changed(NodeFacts::ANNOTATIONS), "NodeUpdateNodeAnnotation"),
            (changed(NodeFacts::DECLARED_FEATURES), "NodeUpdateNodeDeclaredFeature"),
            (ClusterEvent::pod(Some(Arc::default()), None, NodeFacts::USAGE), "AssignedPodDelete"),
            (ClusterEvent::pod(Some(Arc::default()), Some(Arc::default()), NodeFacts::PODS), "AssignedPodUpdate"),
            (ClusterEvent::pending_pod(None, Some(Arc::default()), PodFacts::all()), "UnscheduledPodAdd"),
            (ClusterEvent::pending_pod(Some(Arc::default()), None, PodFacts::all()), "UnscheduledPodDelete"),
            (ClusterEvent::object(claim(), claim()), "PersistentVolumeClaimUpdate"),
            (ClusterEvent::object(None, object("storage.k8s.io/v1", "CSINode")), "storage.k8s.io/CSINodeAdd"),
        ] {
            assert_eq!(event.name(), name);
        }
    }

    #[test]
    fn a_change_of_another_label_does_not_concern_a_plugin_that_reads_a_key() {
        let node = |pool: &str, other: &str| {
            let labels = [("pool", pool), ("other", other)].into_iter().collect();
            Some(Arc::new(Node { labels, ..Node::default() }))
        };
        let reads = NodeReads::new(NodeFacts::TAINTS, ["pool".into()], [], []);
        for (before, after, facts, concerned) in [
            (node("a", "1"), node("a", "2"), NodeFacts::LABELS, false),
            (node("a", "1"), node("b", "1"), NodeFacts::LABELS, true),
            (node("a", "1"), node("a", "2"), NodeFacts::LABELS | NodeFacts::TAINTS, true),
            (None, node("a", "1"), NodeFacts::all(), true),
        ] {
            assert_eq!(
                ClusterEvent::node(before.clone(), after.clone(), facts).concerns(&reads),
                concerned,
                "{after:?}"
            );
        }
        assert!(!ClusterEvent::pod(None, Some(Arc::default()), NodeFacts::PODS).concerns(&reads));
    }

    #[test]
    fn only_lower_requests_free_resources() {
        let pod = |milli_cpu| {
            let effective = Resources { milli_cpu, ..Resources::default() };
            let requests = Arc::new(PodRequests { effective, ..PodRequests::default() });
            Some(Arc::new(Pod { requests, ..Pod::default() }))
        };
        let facts = NodeFacts::USAGE | NodeFacts::PODS;
        let less = ClusterEvent::pod(pod(200), pod(100), facts);
        let more = ClusterEvent::pod(pod(100), pod(200), facts);
        assert_eq!((less.actions, less.facts), (EventActions::UPDATE_SCALE_DOWN, facts));
        assert_eq!((more.actions, more.facts), (EventActions::UPDATE, NodeFacts::PODS));
    }
}
