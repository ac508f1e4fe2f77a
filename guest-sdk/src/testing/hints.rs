//! Queueing hints in the test host: asks the plugin whether an event can help a rejected pod.

use super::{Host, NodeBuilder, PodBuilder};
use crate::EventActions;
use crate::bindings::queueing_hint::exports::berth::scheduler::queueing_hint::{
    Event, Node, NodeChange, ObjectChange, PodChange, Subject,
};
use crate::hints::Hint;
use crate::plugin::Plugin;

impl<P: Plugin> Host<P> {
    /// Returns the hint for the rejected `pod` after an event of a node. `before` is `None` for an added node, `after`
    /// for a deleted node.
    pub fn node_hint(
        &mut self,
        actions: EventActions,
        [before, after]: [Option<&NodeBuilder>; 2],
        pod: &PodBuilder,
    ) -> Hint {
        let subject = Subject::Node(NodeChange { before: before.map(node), after: after.map(node) });
        self.hint(Event { kind: "Node".to_owned(), actions, subject }, pod)
    }

    /// Returns the hint for the rejected `pod` after an event of a pod on a node. `before` is `None` for an added pod,
    /// `after` for a deleted pod.
    pub fn pod_hint(
        &mut self,
        actions: EventActions,
        [before, after]: [Option<&PodBuilder>; 2],
        pod: &PodBuilder,
    ) -> Hint {
        self.hint_about_pod("Pod", actions, [before, after], pod)
    }

    /// Returns the hint for the rejected `pod` after an event of a pending pod. `before` is `None` for an added pod,
    /// `after` for a pod that is not pending any more.
    pub fn pending_pod_hint(
        &mut self,
        actions: EventActions,
        change: [Option<&PodBuilder>; 2],
        pod: &PodBuilder,
    ) -> Hint {
        self.hint_about_pod("PendingPod", actions, change, pod)
    }

    fn hint_about_pod(
        &mut self,
        kind: &str,
        actions: EventActions,
        change: [Option<&PodBuilder>; 2],
        pod: &PodBuilder,
    ) -> Hint {
        let [before, after] = change.map(|pod| Some(self.next_cycle(pod?).signature));
        self.hint(Event { kind: kind.to_owned(), actions, subject: Subject::Pod(PodChange { before, after }) }, pod)
    }

    /// Returns the hint for the rejected `pod` after an event of an object that is neither a node nor a pod. `kind` is
    /// `group/version/Kind`, or `v1/Kind` in the core group. `before` and `after` are the fields that the plugin reads,
    /// as JSON. `before` is `None` for an added object, `after` for a deleted object.
    pub fn object_hint(
        &mut self,
        kind: &str,
        actions: EventActions,
        [namespace, name]: [&str; 2],
        [before, after]: [Option<&str>; 2],
        pod: &PodBuilder,
    ) -> Hint {
        let [before, after] = [before, after].map(|fields| fields.map(str::to_owned));
        let change = ObjectChange { namespace: namespace.to_owned(), name: name.to_owned(), before, after };
        self.hint(Event { kind: kind.to_owned(), actions, subject: Subject::Object(change) }, pod)
    }

    /// Returns the plugin's hint. Returns [`Hint::Skip`] without asking the plugin if `retry_on` names other events only.
    /// With an empty `retry_on`, the plugin is asked about every event. In Berth, an empty `retry_on` stands for the
    /// changes that `declaration.retry-on` in `wit/plugin.wit` lists.
    fn hint(&mut self, event: Event, pod: &PodBuilder) -> Hint {
        if !self.waits_for(&event) {
            return Hint::Skip;
        }
        let signature = self.next_cycle(pod).signature;
        let hints = self.guest.hints(event, &[signature]).unwrap_or_else(|message| panic!("queueing-hint: {message}"));
        hints.into_iter().next().unwrap_or(Hint::Queue)
    }

    fn waits_for(&self, event: &Event) -> bool {
        let updates = event.actions & !(EventActions::ADD | EventActions::DELETE);
        let retry_on = &self.declaration().retry_on;
        let named = retry_on.iter().any(|waited| {
            let any_update = waited.actions.contains(EventActions::UPDATE) && !updates.is_empty();
            let about = waited.kind == event.kind || event.kind.ends_with(&format!("/{}", waited.kind));
            about && (any_update || waited.actions.intersects(event.actions))
        });
        named || retry_on.is_empty()
    }
}

fn node(node: &NodeBuilder) -> Node {
    let node = node.clone();
    Node {
        name: node.name,
        labels: node.labels,
        annotations: node.annotations,
        taints: node.taints,
        unschedulable: node.unschedulable,
        allocatable: node.allocatable,
        conditions: node.conditions,
        declared_features: node.declared_features,
        capacity: node.capacity,
        info: Some(node.info),
        fields: node.fields,
    }
}
