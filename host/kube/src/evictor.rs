//! Evicts pods: the victims of preemption, and the pods of evict intents.

use std::sync::Arc;
use std::time::Duration;

use berth_clock::Clock;
use berth_core::Event;
use berth_core::model::PodKey;
use http::{Method, StatusCode};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tracing::{debug, warn};

use super::cluster_event::ClusterEvent;
use super::leader_client::LeaderClient;
use super::rest::{Call, CallError, JSON, STRATEGIC_MERGE};

const DEADLINE: Duration = Duration::from_secs(30);
const ATTEMPTS: u32 = 4;

/// Deletes pods. Only the number of concurrent [`Evictor::evict`] calls is limited here.
pub(super) struct Evictor {
    client: LeaderClient,
    events: UnboundedSender<ClusterEvent>,
    permits: Semaphore,
    clock: Arc<dyn Clock>,
}

impl Evictor {
    pub(super) fn new(
        client: LeaderClient,
        events: UnboundedSender<ClusterEvent>,
        at_once: u32,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { client, events, permits: Semaphore::new(at_once.max(1) as usize), clock }
    }

    /// Deletes a victim of preemption. If the deletion fails, sends [`Event::EvictionFailed`] to the core.
    pub(super) async fn evict(self: Arc<Self>, pod: PodKey, reason: Arc<str>) {
        let Ok(_permit) = self.permits.acquire().await else { return };
        if let Err(error) = self.try_evict(&pod, &reason).await {
            warn!(%pod, %error, "evicting a victim failed; the preempting pod gets another attempt");
            // The receiver is gone only when the scheduler is ending.
            let _ = self.events.send(Event::EvictionFailed(pod).into());
        }
    }

    /// Sets the condition `DisruptionTarget`, as kube-scheduler does, and deletes the pod. Succeeds if the pod is gone
    /// already.
    pub(super) async fn try_evict(&self, pod: &PodKey, reason: &str) -> Result<(), CallError> {
        let condition = json!({
            "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler", "message": reason,
            "lastTransitionTime": format!("{:.0}", self.clock.timestamp()),
        });
        let patch = json!({"metadata": {"uid": pod.uid}, "status": {"conditions": [condition]}});
        let call = Call {
            method: Method::PATCH,
            path: format!("{}/status", path_of(pod)),
            body: patch.to_string().into(),
            content_type: STRATEGIC_MERGE,
        };
        let condition_write = self.client.send_again(call, DEADLINE, ATTEMPTS);
        let deleted = match condition_write.await {
            Ok(_) => self.client.send_again(delete(pod), DEADLINE, ATTEMPTS).await,
            Err(e) => Err(e),
        };
        match deleted {
            Ok(_) => Ok(()),
            Err(error) if is_gone(&error) => {
                debug!(%pod, %error, "the victim of preemption is gone already");
                Ok(())
            }
            Err(e) => Err(e),
        }
    }
}

fn path_of(pod: &PodKey) -> String {
    format!("/api/v1/namespaces/{}/pods/{}", pod.namespace, pod.name)
}

fn delete(pod: &PodKey) -> Call {
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}});
    Call { method: Method::DELETE, path: path_of(pod), body: options.to_string().into(), content_type: JSON }
}

/// Returns whether the pod was deleted (404), or replaced by another pod of the same name (409).
fn is_gone(error: &CallError) -> bool {
    error.is(StatusCode::NOT_FOUND) || error.is(StatusCode::CONFLICT)
}
