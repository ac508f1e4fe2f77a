//! The pod condition PodScheduled where a pod found no node. (Where it found one, the binding sets it.)

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use berth_core::model::PodKey;
use http::{Method, StatusCode};
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::oneshot;
use tracing::{debug, warn};

use super::known::KnownPods;
use super::lanes::Lanes;
use super::objects::PodScheduled;
use super::rest::{self, Call, CallError, STRATEGIC_MERGE};

/// How long one patch may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// Patches that may wait: as many as there are pods, one for each, so this is no limit in practice.
const MOST_WAITING: usize = 1 << 20;
const TRIES: u32 = 4;

/// What the condition is to say.
#[derive(Clone, Debug)]
pub(super) struct Unscheduled {
    pub(super) pod: PodKey,
    /// `Unschedulable` or `SchedulerError`.
    pub(super) reason: &'static str,
    pub(super) message: Arc<str>,
}

/// Patches pods' statuses: of each pod only the newest patch waits.
pub(super) struct StatusWriter {
    client: Client,
    known: Arc<KnownPods>,
    lanes: Lanes<Box<str>, Unscheduled>,
}

#[derive(Serialize)]
struct Patch<'a> {
    metadata: Metadata<'a>,
    status: Status<'a>,
}

/// The uid makes the patch fail on another pod of the same name.
#[derive(Serialize)]
struct Metadata<'a> {
    uid: &'a str,
}

#[derive(Serialize)]
struct Status<'a> {
    conditions: [Condition<'a>; 1],
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
    pub(super) fn new(client: Client, known: Arc<KnownPods>) -> Self {
        Self { client, known, lanes: Lanes::new(MOST_WAITING) }
    }

    /// Sets the condition, soon. Replaces what waits for the same pod.
    pub(super) fn set(&self, unscheduled: Unscheduled) {
        let uid = unscheduled.pod.uid.clone();
        // Not waiting for what is under way: the lane keeps the order.
        let _ = self.lanes.cancel(&uid);
        let pod = unscheduled.pod.clone();
        if !self.lanes.push(uid, unscheduled) {
            warn!("pod {pod}: condition PodScheduled not written: {MOST_WAITING} are waiting");
        }
    }

    /// The pod is about to be bound: nothing is to say any more that it could not be. Wait for what is returned, or a
    /// patch that is under way may overtake the binding.
    pub(super) fn withdraw(&self, uid: &str) -> Option<oneshot::Receiver<()>> {
        self.lanes.cancel(uid)
    }

    /// Works for as long as it is polled; run several of these.
    pub(super) async fn work(&self) {
        loop {
            let (uid, unscheduled) = self.lanes.next().await;
            Box::pin(self.write(unscheduled)).await;
            self.lanes.done(&uid);
        }
    }

    /// Waits until all is written.
    pub(super) async fn idle(&self) {
        self.lanes.idle().await;
    }

    /// Patches that are not written yet.
    pub(super) fn open(&self) -> usize {
        self.lanes.open()
    }

    async fn write(&self, unscheduled: Unscheduled) {
        let Some((call, condition)) = self.prepare(&unscheduled, Timestamp::now()) else { return };
        match rest::send_again(&self.client, call, DEADLINE, TRIES).await {
            Ok(_) => {
                // The watch says so a little later; until then the same is not written again.
                if let Some(known) = self.known.lock().get_mut(&unscheduled.pod.uid)
                    && known.pod.node_name.is_empty()
                {
                    known.scheduled = Some(condition);
                }
            }
            Err(e) if is_gone(&e) => debug!("pod {}: condition PodScheduled: {e}", unscheduled.pod),
            Err(e) => warn!("pod {}: condition PodScheduled not written: {e}", unscheduled.pod),
        }
    }

    /// The patch, and the condition after it; `None` where the pod is gone, has a node, or says just this already.
    fn prepare(&self, unscheduled: &Unscheduled, now: Timestamp) -> Option<(Call, PodScheduled)> {
        let (before, generation) = {
            let known = self.known.lock();
            let known = known.get(&unscheduled.pod.uid)?;
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
        let patch = Patch {
            metadata: Metadata { uid: &unscheduled.pod.uid },
            status: Status {
                conditions: [Condition {
                    r#type: "PodScheduled",
                    status: "False",
                    observed_generation: generation,
                    last_transition_time: &condition.last_transition_time,
                    reason: &condition.reason,
                    message: &condition.message,
                }],
            },
        };
        let PodKey { namespace, name, .. } = &unscheduled.pod;
        let call = Call {
            method: Method::PATCH,
            path: format!("/api/v1/namespaces/{namespace}/pods/{name}/status"),
            body: serde_json::to_vec(&patch).ok()?.into(),
            content_type: STRATEGIC_MERGE,
        };
        Some((call, condition))
    }
}

/// The pod was deleted meanwhile, or is another one by now.
fn is_gone(error: &CallError) -> bool {
    error.is(StatusCode::NOT_FOUND) || error.is(StatusCode::CONFLICT)
}
