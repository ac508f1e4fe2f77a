//! What happened in the cluster that may help a pod which was rejected.

use std::sync::Arc;

use crate::facts::NodeFacts;
use crate::model::{Node, Object, ObjectKind, Pod, Resources};

bitflags::bitflags! {
    /// What happened to an object: the flags `event-actions` of `berth:scheduler/plugin`, bit for bit.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct EventActions: u32 {
        /// It appeared. Of a pod: on a node.
        const ADD = 1 << 0;
        /// It went.
        const DELETE = 1 << 1;
        /// It changed, in whatever.
        const UPDATE = 1 << 2;
        /// Its labels changed.
        const UPDATE_LABELS = 1 << 3;
        /// A node's taints changed, or whether it is schedulable.
        const UPDATE_TAINTS = 1 << 4;
        /// A node's allocatable changed.
        const UPDATE_ALLOCATABLE = 1 << 5;
        /// A node's conditions changed.
        const UPDATE_CONDITION = 1 << 6;
        /// A pod asks for less of something.
        const UPDATE_SCALE_DOWN = 1 << 7;
        /// A pod's tolerations changed.
        const UPDATE_TOLERATIONS = 1 << 8;
        /// A pod's last scheduling gate went.
        const UPDATE_GATES_ELIMINATED = 1 << 9;
    }
}

/// Events that a plugin wants its rejected pods tried again for (`declaration.retry-on`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interest {
    /// `Node`, `Pod`, `PersistentVolumeClaim`, or `group/version/Kind`.
    pub kind: Box<str>,
    /// Any of these; with [`EventActions::UPDATE`], any change at all.
    pub actions: EventActions,
}

/// To what it happened. Before is `None` for what is new, after for what is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A node.
    Node {
        /// As it was.
        before: Option<Arc<Node>>,
        /// As it is.
        after: Option<Arc<Node>>,
    },
    /// A pod that is assigned to a node, or assumed to be.
    Pod {
        /// As it was.
        before: Option<Arc<Pod>>,
        /// As it is.
        after: Option<Arc<Pod>>,
    },
    /// An object of another kind, which plugins read.
    Object {
        /// Its kind.
        kind: Arc<ObjectKind>,
        /// As it was.
        before: Option<Arc<Object>>,
        /// As it is.
        after: Option<Arc<Object>>,
    },
}

/// Something that happened in the cluster, apart from pending pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterEvent {
    /// To what.
    pub subject: Subject,
    /// What.
    pub actions: EventActions,
    /// The facts of nodes that changed so that it may help: for plugins that say what they read, not what they wait for.
    pub facts: NodeFacts,
    /// It helps only pods of at most this priority, where it says so.
    pub up_to_priority: Option<i32>,
}

impl ClusterEvent {
    /// A node appeared, changed in these facts, or went.
    #[must_use]
    pub fn node(before: Option<Arc<Node>>, after: Option<Arc<Node>>, facts: NodeFacts) -> Self {
        let actions = match (&before, &after) {
            (None, _) => EventActions::ADD,
            (Some(_), None) => EventActions::DELETE,
            (Some(_), Some(_)) => node_update(facts),
        };
        Self { subject: Subject::Node { before, after }, actions, facts, up_to_priority: None }
    }

    /// A pod came to a node, changed there, or left it. The facts are those of its node.
    #[must_use]
    pub fn pod(before: Option<Arc<Pod>>, after: Option<Arc<Pod>>, facts: NodeFacts) -> Self {
        let (actions, facts) = match (&before, &after) {
            // More pods on a node help those that want to be near them.
            (None, _) => (EventActions::ADD, NodeFacts::PODS),
            (Some(_), None) => (EventActions::DELETE, facts),
            (Some(before), Some(after)) => pod_update(before, after, facts),
        };
        Self { subject: Subject::Pod { before, after }, actions, facts, up_to_priority: None }
    }

    /// An object of another kind appeared, changed or went; one of the two is there.
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

    /// As kube-scheduler's metrics name it: `NodeAdd`, `AssignedPodDelete`, `storage.k8s.io/CSINodeUpdate`. Where several things
    /// changed at once, by the one of which kube-scheduler thinks first.
    #[must_use]
    pub fn name(&self) -> String {
        let subject = match &self.subject {
            Subject::Node { .. } => "Node".to_owned(),
            Subject::Pod { .. } => "AssignedPod".to_owned(),
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

    /// Whether it is about a kind of this name, as [`Interest`] has it.
    fn is_about(&self, kind: &str) -> bool {
        match &self.subject {
            Subject::Node { .. } => kind == "Node",
            Subject::Pod { .. } => kind == "Pod",
            Subject::Object { kind: ours, .. } => match kind.rsplit_once('/') {
                Some((api_version, name)) => *api_version == *ours.api_version && *name == *ours.kind,
                None => *kind == *ours.kind,
            },
        }
    }

    /// Whether it is one of those that the plugin waits for.
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

/// A pod that asks for more than before helps nobody by that.
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

/// Whether any amount of `after` is less than that of `before`.
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
    fn who_waits_for_what() {
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
            (ClusterEvent::object(claim(), claim()), "PersistentVolumeClaimUpdate"),
            (ClusterEvent::object(None, object("storage.k8s.io/v1", "CSINode")), "storage.k8s.io/CSINodeAdd"),
        ] {
            assert_eq!(event.name(), name);
        }
    }

    #[test]
    fn only_a_pod_that_asks_for_less_gives_room() {
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
