//! The state of pods in a running scheduler.

use std::collections::BTreeSet;

use berth_core::declaration::Declaration;
use berth_core::model::PodKey;
use berth_core::plugins::Scope;
use berth_core::queue::{QueuedPod, SubQueue};
use berth_core::{Core, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::{PermitWait, PodRef, PodStatus};

/// Which pending pods to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueQuestion {
    /// Only pods of this namespace; `None` for all namespaces.
    pub namespace: Option<String>,
    /// Only pods that have this text in `NAMESPACE/NAME`.
    pub search: String,
    /// The largest number of pods in the listing, at most [`QueueListing::MOST`].
    pub most: usize,
}

impl Default for QueueQuestion {
    fn default() -> Self {
        Self { namespace: None, search: String::new(), most: QueueListing::MOST }
    }
}

impl QueueQuestion {
    fn is_about(&self, pod: &PodKey) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| *pod.namespace == *namespace)
            && (self.search.is_empty() || pod.to_string().contains(&self.search))
    }
}

/// The pending pods of a scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueListing {
    /// The time of the listing.
    pub at: Timestamp,
    /// The pods, not more than asked for: active pods first, in the order in which they are tried.
    pub pods: Vec<PendingPod>,
    /// The number of further pods that were asked for, and are left out because there are too many.
    pub left_out: usize,
}

/// A pending pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingPod {
    /// The pod.
    pub pod: PodRef,
    /// `spec.priority`
    pub priority: i32,
    /// The sub-queue: `active`, `backoff`, `unschedulable`, `gated`, or `waiting` for a pod that waits for permit
    /// plugins on a reserved node.
    pub queue: String,
    /// The time at which the scheduler first saw the pod.
    pub first_seen: Timestamp,
    /// The time at which the pod entered this sub-queue.
    pub since: Timestamp,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The plugins that the pod waits for.
    pub plugins: Vec<String>,
    /// The message of the last attempt; empty before the first.
    pub reason: String,
    /// The events that can move the pod, as far as the plugins declare them.
    pub awaited_events: Vec<String>,
    /// The kinds of the objects of these events, without API group.
    #[serde(default)]
    pub awaited_kinds: Vec<String>,
}

impl QueueListing {
    /// The largest number of pods in a listing.
    pub const MOST: usize = 10_000;

    /// Lists pending pods. Takes time in proportion to the number of listed pods, and a little for each pending pod.
    #[must_use]
    pub fn of(core: &Core, question: &QueueQuestion, at: Timestamp) -> Self {
        let mut pods = core.queue().in_order().filter(|(_, entry)| question.is_about(&entry.pod.key));
        let listed = pods.by_ref().take(question.most.min(Self::MOST));
        let listed = listed.map(|(sub_queue, entry)| PendingPod::of(sub_queue, entry)).collect();
        Self { at, pods: listed, left_out: pods.count() }
    }
}

impl PendingPod {
    fn of(sub_queue: SubQueue, entry: &QueuedPod) -> Self {
        let gate =
            entry.gate.as_ref().map(|gate| format!("{} does not admit the pod to the queue", gate.declaration.name));
        let message = entry.reported.as_ref().map(|(_, message)| message.to_string());
        let awaited = awaited(sub_queue, entry);
        let kinds: BTreeSet<&str> = awaited.iter().map(|event| &*event.kind).collect();
        Self {
            pod: PodRef::from(&entry.pod.key),
            priority: entry.pod.spec.priority,
            queue: sub_queue.name().to_owned(),
            first_seen: entry.first_seen,
            since: entry.since(),
            attempts: entry.attempts,
            plugins: plugins(entry),
            reason: gate.or(message).unwrap_or_default(),
            awaited_kinds: kinds.into_iter().map(str::to_owned).collect(),
            awaited_events: texts(awaited),
        }
    }
}

impl PodStatus {
    /// Returns the state of the pod in a running scheduler.
    #[must_use]
    pub fn of(core: &Core, uid: &str) -> Self {
        let mut status = Self::default();
        if let Some(entry) = core.queue().get(uid) {
            let sub_queue = core.queue().sub_queue_of(uid);
            status.sub_queue = sub_queue.map(|sub_queue| sub_queue.name().to_owned());
            status.since = Some(entry.since().0);
            status.attempts = entry.attempts;
            status.rejectors = plugins(entry);
            status.awaited_events = sub_queue.map(|sub_queue| texts(awaited(sub_queue, entry))).unwrap_or_default();
        }
        if let Some(reserved) = core.reserved(uid) {
            status.since = Some(reserved.since.0);
            status.attempts = reserved.attempts;
            status.reserved_node = Some(reserved.node.to_owned());
            let waits = reserved.waits.into_iter();
            status.permit_waits = waits
                .map(|(plugin, until)| PermitWait {
                    plugin: plugin.to_string(),
                    since: Some(reserved.since.0),
                    until: Some(until.0),
                })
                .collect();
        }
        status.nominated_node = core.nominations().node_of(uid).map(str::to_owned);
        status.victims = core.victims_of(uid).into_iter().map(PodRef::from).collect();
        status
    }
}

fn plugins(entry: &QueuedPod) -> Vec<String> {
    let failed = entry.failed_plugin.iter().map(ToString::to_string);
    entry.rejectors().iter().map(|by| by.declaration.name.to_string()).chain(failed).collect()
}

/// An event that can move a pod.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct AwaitedEvent {
    /// The event in words.
    text: String,
    /// The kind of the event's object, or the event in words if it is about no object.
    kind: String,
}

impl AwaitedEvent {
    fn without_object(text: &str) -> Self {
        Self { text: text.to_owned(), kind: text.to_owned() }
    }

    fn new(kind: &str, text: String) -> Self {
        Self { text, kind: kind.rsplit('/').next().unwrap_or_default().to_owned() }
    }
}

fn texts(events: Vec<AwaitedEvent>) -> Vec<String> {
    let texts: BTreeSet<String> = events.into_iter().map(|event| event.text).collect();
    texts.into_iter().collect()
}

/// Returns the events that can move the pod from its sub-queue.
fn awaited(sub_queue: SubQueue, entry: &QueuedPod) -> Vec<AwaitedEvent> {
    match sub_queue {
        SubQueue::Active => Vec::new(),
        SubQueue::Backoff => vec![AwaitedEvent::without_object("the end of the backoff")],
        SubQueue::Unschedulable | SubQueue::Gated => {
            let events: Vec<AwaitedEvent> =
                entry.rejectors().iter().flat_map(|by| events_of(&by.declaration)).collect();
            let any = || vec![AwaitedEvent::without_object("any change of the cluster")];
            if events.is_empty() { any() } else { events }
        }
    }
}

/// Returns the events that the declaration names, or those that follow from what the plugin reads.
fn events_of(declaration: &Declaration) -> Vec<AwaitedEvent> {
    if !declaration.retry_on.is_empty() {
        let event = |interest: &berth_core::cluster_event::Interest| {
            let actions: Vec<String> = interest.actions.iter_names().map(|(name, _)| action_name(name)).collect();
            AwaitedEvent::new(&interest.kind, format!("{} {}", interest.kind, actions.join(" or ")))
        };
        return declaration.retry_on.iter().map(event).collect();
    }
    let change = |kind: &str| AwaitedEvent::new(kind, format!("{kind} change"));
    let mut events: Vec<AwaitedEvent> = declaration.objects.iter().map(|reads| change(&reads.kind.kind)).collect();
    if declaration.filter_scope != Scope::Node || !declaration.node.touching().is_empty() {
        events.extend([change("Node"), AwaitedEvent::new("Pod", "Pod on a node change".to_owned())]);
    }
    if declaration.pending_pods.is_some() {
        events.push(change("pending Pod"));
    }
    events.push(change("this Pod"));
    events
}

/// Returns `UPDATE_LABELS` as `update of labels`.
fn action_name(name: &str) -> String {
    match name.to_lowercase().split_once('_') {
        Some((action, what)) => format!("{action} of {}", what.replace('_', " ")),
        None => name.to_lowercase(),
    }
}
