//! The pods and nodes of a cluster as they are seen, and what happened to the pods.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use berth_clock::Now;
use k8s_openapi::api::core::v1::{Node, Pod};

/// A pod by namespace and name.
pub type PodId = (String, String);

/// An eviction.
#[derive(Clone, Debug, PartialEq)]
pub struct Eviction {
    /// The pod at the time of the eviction.
    pub pod: Pod,
    /// The reason of the condition DisruptionTarget.
    pub reason: String,
}

/// The pods and nodes, and what happened to the pods since the beginning.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The pods.
    pub pods: BTreeMap<PodId, Pod>,
    /// The nodes by name.
    pub nodes: BTreeMap<String, Node>,
    /// The evictions, in order.
    pub evictions: Vec<Eviction>,
    /// The pods in the order in which they were bound, deleted ones included.
    pub bound: Vec<Pod>,
    /// Lines about the pods, in order, with the time of day.
    pub history: Vec<String>,
    /// The time of the last change of a pod; `None` before the first one.
    pub changed_at: Option<Instant>,
    bound_uids: BTreeSet<String>,
    evicted_uids: BTreeSet<String>,
}

impl View {
    /// Applies the state of a pod.
    pub fn set_pod(&mut self, pod: Pod, now: Now) {
        let (id, uid) = (id(&pod), uid(&pod));
        let node = node_of(&pod);
        if !node.is_empty() && self.bound_uids.insert(uid.clone()) {
            self.note(now, format_args!("{}/{} bound to {node}", id.0, id.1));
            self.bound.push(pod.clone());
        }
        if let Some(reason) = disruption(&pod)
            && self.evicted_uids.insert(uid)
        {
            self.note(now, format_args!("{}/{} evicted from {node}: {reason}", id.0, id.1));
            self.evictions.push(Eviction { pod: pod.clone(), reason });
        }
        self.changed_at = Some(now.instant);
        self.pods.insert(id, pod);
    }

    /// Removes a pod.
    pub fn remove_pod(&mut self, pod: &Pod, now: Now) {
        let id = id(pod);
        // A pod with the same name can have come in the meantime.
        if self.pods.get(&id).is_some_and(|known| uid(known) == uid(pod)) {
            self.note(now, format_args!("{}/{} removed", id.0, id.1));
            self.pods.remove(&id);
        }
        self.changed_at = Some(now.instant);
    }

    fn note(&mut self, now: Now, what: std::fmt::Arguments<'_>) {
        self.history.push(format!("{:.3} {what}", now.timestamp));
    }
}

/// Returns the namespace and the name of a pod.
pub fn id(pod: &Pod) -> PodId {
    let meta = &pod.metadata;
    (meta.namespace.clone().unwrap_or_default(), meta.name.clone().unwrap_or_default())
}

fn uid(pod: &Pod) -> String {
    pod.metadata.uid.clone().unwrap_or_default()
}

/// Returns the node of a pod, or an empty text.
pub fn node_of(pod: &Pod) -> &str {
    pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or_default()
}

/// Returns the phase of a pod.
pub fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or("Pending")
}

/// Returns the status, the reason and the message of a condition of a pod.
pub fn condition<'p>(pod: &'p Pod, kind: &str) -> Option<(&'p str, &'p str, &'p str)> {
    let mut conditions = pod.status.as_ref()?.conditions.iter().flatten();
    let found = conditions.find(|condition| condition.type_ == kind)?;
    Some((&found.status, found.reason.as_deref().unwrap_or_default(), found.message.as_deref().unwrap_or_default()))
}

fn disruption(pod: &Pod) -> Option<String> {
    condition(pod, "DisruptionTarget").filter(|(status, ..)| *status == "True").map(|(_, reason, _)| reason.to_owned())
}
