//! Writes a pod's status: `nominatedNodeName`, and the condition PodScheduled with the status False. The API server
//! sets the condition to True when it accepts the binding.

use std::sync::Arc;
use std::time::Duration;

use berth_clock::Clock;
use berth_core::model::PodKey;
use http::{Method, StatusCode};
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::oneshot;
use tracing::{debug, warn};

use super::known::KnownPods;
use super::lanes::Lanes;
use super::leader_client::LeaderClient;
use super::rest::{Call, CallError, STRATEGIC_MERGE};
use berth_apimachinery::objects::PodScheduled;

/// The time limit of one patch.
const DEADLINE: Duration = Duration::from_secs(30);
/// The limit of waiting patches. At most one patch per pod waits, so the limit is not reached in practice.
const CAPACITY: usize = 1 << 20;
const ATTEMPTS: u32 = 4;

/// A change of a pod's status.
#[derive(Clone, Debug)]
pub(super) struct StatusChange {
    pub(super) pod: PodKey,
    /// The new condition, or `None` to leave the condition unchanged.
    pub(super) unscheduled: Option<Unscheduled>,
    /// The new `nominatedNodeName`; an empty string removes the field. `None` leaves the field unchanged.
    pub(super) nominated: Option<Box<str>>,
}

/// The content of the condition PodScheduled.
#[derive(Clone, Debug)]
pub(super) struct Unscheduled {
    /// `Unschedulable` or `SchedulerError`.
    pub(super) reason: &'static str,
    pub(super) message: Arc<str>,
}

/// Patches the status of pods. At most one patch per pod waits, with the newest values.
pub(super) struct StatusWriter {
    client: LeaderClient,
    known: Arc<KnownPods>,
    clock: Arc<dyn Clock>,
    lanes: Lanes<Box<str>, StatusChange>,
}

#[derive(Serialize)]
struct Patch<'a> {
    metadata: Metadata<'a>,
    status: Status<'a>,
}

/// Metadata of a patch. With the uid, the patch fails on another pod of the same name.
#[derive(Serialize)]
struct Metadata<'a> {
    uid: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<[Condition<'a>; 1]>,
    /// `Some(None)` is null, which removes the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    nominated_node_name: Option<Option<&'a str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Condition<'a> {
    r#type: &'static str,
    status: &'static str,
    observed_generation: i64,
    last_transition_time: &'a str,
    reason: &'a str,
    message: &'a str,
}

impl StatusWriter {
    pub(super) fn new(client: LeaderClient, known: Arc<KnownPods>, clock: Arc<dyn Clock>) -> Self {
        Self { client, known, clock, lanes: Lanes::new(CAPACITY) }
    }

    /// Queues the change. If a change of the same pod waits already, merges both; the new values win.
    pub(super) fn set(&self, change: StatusChange) {
        let pod = change.pod.clone();
        let newest = |last: &mut StatusChange, StatusChange { unscheduled, nominated, .. }: StatusChange| {
            last.unscheduled = unscheduled.or(last.unscheduled.take());
            last.nominated = nominated.or(last.nominated.take());
        };
        if !self.lanes.join(pod.uid.clone(), change, newest) {
            let error = format!("{CAPACITY} patches are waiting");
            warn!(%pod, %error, "writing the pod's status failed; giving up");
        }
    }

    /// Drops the waiting change of a pod that is about to be bound. If a patch is in progress, returns a receiver. Wait
    /// for the receiver before the binding, because the patch could otherwise arrive after the binding.
    pub(super) fn withdraw(&self, uid: &str) -> Option<oneshot::Receiver<()>> {
        self.lanes.cancel(uid)
    }

    /// Writes queued changes until the future is dropped. Several calls can run at once.
    pub(super) async fn work(&self) {
        loop {
            let (uid, change) = self.lanes.next().await;
            Box::pin(self.write(change)).await;
            self.lanes.done(&uid);
        }
    }

    /// Waits until every change is written or given up.
    pub(super) async fn idle(&self) {
        self.lanes.idle().await;
    }

    /// Returns the number of changes that are not written yet.
    pub(super) fn open(&self) -> usize {
        self.lanes.open()
    }

    async fn write(&self, change: StatusChange) {
        let Some((call, condition)) = self.prepare(&change, self.clock.timestamp()) else { return };
        match self.client.send_again(call, DEADLINE, ATTEMPTS).await {
            Ok(_) => {
                // Records the condition now, so that the same condition is not written again before the watch reports
                // the patched pod.
                if let Some(condition) = condition
                    && let Some(known) = self.known.lock().get_mut(&change.pod.uid)
                    && known.pod.node_name.is_empty()
                {
                    known.scheduled = Some(condition);
                }
            }
            Err(error) if is_gone(&error) => {
                debug!(pod = %change.pod, %error, "the pod is gone; its status is not written")
            }
            Err(error) => warn!(pod = %change.pod, %error, "writing the pod's status failed; giving up"),
        }
    }

    /// Builds the patch. Also returns the new condition, if the patch sets it. Returns `None` if there is nothing to
    /// write.
    fn prepare(&self, change: &StatusChange, now: Timestamp) -> Option<(Call, Option<PodScheduled>)> {
        let condition =
            change.unscheduled.as_ref().and_then(|unscheduled| self.condition(&change.pod, unscheduled, now));
        if condition.is_none() && change.nominated.is_none() {
            return None;
        }
        let conditions = condition.as_ref().map(|(condition, generation)| {
            [Condition {
                r#type: "PodScheduled",
                status: "False",
                observed_generation: *generation,
                last_transition_time: &condition.last_transition_time,
                reason: &condition.reason,
                message: &condition.message,
            }]
        });
        let nominated_node_name = change.nominated.as_deref().map(|node| Some(node).filter(|node| !node.is_empty()));
        let patch =
            Patch { metadata: Metadata { uid: &change.pod.uid }, status: Status { conditions, nominated_node_name } };
        let PodKey { namespace, name, .. } = &change.pod;
        let call = Call {
            method: Method::PATCH,
            path: format!("/api/v1/namespaces/{namespace}/pods/{name}/status"),
            body: serde_json::to_vec(&patch).ok()?.into(),
            content_type: STRATEGIC_MERGE,
        };
        Some((call, condition.map(|(condition, _)| condition)))
    }

    /// Returns the new condition and the pod's generation. Returns `None` if the pod is gone, has a node, or already
    /// has the condition with this reason and message.
    fn condition(&self, pod: &PodKey, unscheduled: &Unscheduled, now: Timestamp) -> Option<(PodScheduled, i64)> {
        let (before, generation) = {
            let known = self.known.lock();
            let known = known.get(&pod.uid)?;
            if !known.pod.node_name.is_empty() {
                return None;
            }
            (known.scheduled.clone(), known.generation)
        };
        let before = before.filter(|condition| condition.status.as_ref() == "False");
        if before.as_ref().is_some_and(|c| {
            c.reason.as_ref() == unscheduled.reason && c.message.as_ref() == unscheduled.message.as_ref()
        }) {
            return None;
        }
        let since = before.map(|condition| condition.last_transition_time).filter(|since| !since.is_empty());
        let condition = PodScheduled {
            status: "False".into(),
            reason: unscheduled.reason.into(),
            message: unscheduled.message.as_ref().into(),
            last_transition_time: since.unwrap_or_else(|| format!("{now:.0}").into()),
        };
        Some((condition, generation))
    }
}

/// Returns whether the pod was deleted (404), or replaced by another pod of the same name (409).
fn is_gone(error: &CallError) -> bool {
    error.is(StatusCode::NOT_FOUND) || error.is(StatusCode::CONFLICT)
}
