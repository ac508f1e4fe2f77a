//! What a pod's status says of its scheduling: the condition PodScheduled where it found no node (where it found one, the
//! binding sets it), and the node that is promised to it.

use std::sync::Arc;
use std::time::Duration;

use berth_core::model::PodKey;
use http::{Method, StatusCode};
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::oneshot;
use tracing::{debug, warn};

use super::known::KnownPods;
use super::lanes::Lanes;
use super::leader_client::LeaderClient;
use super::objects::PodScheduled;
use super::rest::{Call, CallError, STRATEGIC_MERGE};

/// How long one patch may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// Patches that may wait: as many as there are pods, one for each, so this is no limit in practice.
const MOST_WAITING: usize = 1 << 20;
const TRIES: u32 = 4;

/// What a pod's status is to say.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) pod: PodKey,
    /// The condition, if it is to say something else.
    pub(super) unscheduled: Option<Unscheduled>,
    /// `nominatedNodeName`, if it is to be another; empty for none.
    pub(super) nominated: Option<Box<str>>,
}

/// What the condition is to say.
#[derive(Clone, Debug)]
pub(super) struct Unscheduled {
    /// `Unschedulable` or `SchedulerError`.
    pub(super) reason: &'static str,
    pub(super) message: Arc<str>,
}

/// Patches pods' statuses: of each pod at most one patch waits, with the newest of all that is to be said.
pub(super) struct StatusWriter {
    client: LeaderClient,
    known: Arc<KnownPods>,
    lanes: Lanes<Box<str>, Said>,
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
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<[Condition<'a>; 1]>,
    /// Null takes it away.
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
    pub(super) fn new(client: LeaderClient, known: Arc<KnownPods>) -> Self {
        Self { client, known, lanes: Lanes::new(MOST_WAITING) }
    }

    /// Says so, soon, and in one patch with what waits to be said of the same pod.
    pub(super) fn set(&self, said: Said) {
        let pod = said.pod.clone();
        let newest = |last: &mut Said, Said { unscheduled, nominated, .. }: Said| {
            last.unscheduled = unscheduled.or(last.unscheduled.take());
            last.nominated = nominated.or(last.nominated.take());
        };
        if !self.lanes.join(pod.uid.clone(), said, newest) {
            warn!("pod {pod}: status not written: {MOST_WAITING} are waiting");
        }
    }

    /// The pod is about to be bound: nothing is to say any more that it could not be, nor where room is promised to it. Wait
    /// for what is returned, or a patch that is under way may overtake the binding.
    pub(super) fn withdraw(&self, uid: &str) -> Option<oneshot::Receiver<()>> {
        self.lanes.cancel(uid)
    }

    /// Works for as long as it is polled; run several of these.
    pub(super) async fn work(&self) {
        loop {
            let (uid, said) = self.lanes.next().await;
            Box::pin(self.write(said)).await;
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

    async fn write(&self, said: Said) {
        let Some((call, condition)) = self.prepare(&said, Timestamp::now()) else { return };
        match self.client.send_again(call, DEADLINE, TRIES).await {
            Ok(_) => {
                // The watch says so a little later; until then the same is not written again.
                if let Some(condition) = condition
                    && let Some(known) = self.known.lock().get_mut(&said.pod.uid)
                    && known.pod.node_name.is_empty()
                {
                    known.scheduled = Some(condition);
                }
            }
            Err(e) if is_gone(&e) => debug!("pod {}: status: {e}", said.pod),
            Err(e) => warn!("pod {}: status not written: {e}", said.pod),
        }
    }

    /// The patch, and the condition after it where that is part of it; `None` where there is nothing to be written.
    fn prepare(&self, said: &Said, now: Timestamp) -> Option<(Call, Option<PodScheduled>)> {
        let condition = said.unscheduled.as_ref().and_then(|unscheduled| self.condition(&said.pod, unscheduled, now));
        if condition.is_none() && said.nominated.is_none() {
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
        let nominated_node_name = said.nominated.as_deref().map(|node| Some(node).filter(|node| !node.is_empty()));
        let patch =
            Patch { metadata: Metadata { uid: &said.pod.uid }, status: Status { conditions, nominated_node_name } };
        let PodKey { namespace, name, .. } = &said.pod;
        let call = Call {
            method: Method::PATCH,
            path: format!("/api/v1/namespaces/{namespace}/pods/{name}/status"),
            body: serde_json::to_vec(&patch).ok()?.into(),
            content_type: STRATEGIC_MERGE,
        };
        Some((call, condition.map(|(condition, _)| condition)))
    }

    /// The condition, and of which generation of the pod; `None` where the pod is gone, has a node, or says just this already.
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

/// The pod was deleted meanwhile, or is another one by now.
fn is_gone(error: &CallError) -> bool {
    error.is(StatusCode::NOT_FOUND) || error.is(StatusCode::CONFLICT)
}
