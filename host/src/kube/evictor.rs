//! Room for pods that find none: nominated nodes, and evictions.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use berth_core::Event;
use berth_core::model::PodKey;
use http::{Method, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tracing::{debug, warn};

use super::rest::{self, Call, CallError, JSON, MERGE, STRATEGIC_MERGE};

const DEADLINE: Duration = Duration::from_secs(30);
const TRIES: u32 = 4;

/// Does what post-filters want done. Each of its functions is a task of its own.
pub(super) struct Evictor {
    client: Client,
    events: UnboundedSender<Event>,
}

impl Evictor {
    pub(super) fn new(client: Client, events: UnboundedSender<Event>) -> Self {
        Self { client, events }
    }

    /// Sets the pod's `status.nominatedNodeName`, or takes it away where `node` is empty.
    pub(super) async fn nominate(self: Arc<Self>, pod: PodKey, node: Box<str>) {
        let node = if node.is_empty() { Value::Null } else { json!(node) };
        let patch = json!({"metadata": {"uid": pod.uid}, "status": {"nominatedNodeName": node}});
        let call = patch_of(&pod, "/status", MERGE, &patch);
        match rest::send_again(&self.client, call, DEADLINE, TRIES).await {
            Ok(_) => {}
            Err(e) if is_gone(&e) => debug!("pod {pod}: nominated node: {e}"),
            Err(e) => warn!("pod {pod}: nominated node not written: {e}"),
        }
    }

    /// Deletes a pod for another one; the core is told where that can't be done.
    pub(super) async fn evict(self: Arc<Self>, pod: PodKey, reason: Arc<str>) {
        if let Err(e) = self.try_evict(&pod, &reason).await {
            warn!("pod {pod} can't be evicted to make room: {e}");
            // A receiver that is gone means that the scheduler is ending.
            let _ = self.events.send(Event::EvictionFailed(pod));
        }
    }

    /// Deletes a pod: first its condition says so, as for every disruption. One that is gone already is fine.
    pub(super) async fn try_evict(&self, pod: &PodKey, reason: &str) -> Result<(), CallError> {
        let condition = json!({
            "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler", "message": reason,
            "lastTransitionTime": format!("{:.0}", Timestamp::now()),
        });
        let patch = json!({"metadata": {"uid": pod.uid}, "status": {"conditions": [condition]}});
        let told = rest::send_again(&self.client, patch_of(pod, "/status", STRATEGIC_MERGE, &patch), DEADLINE, TRIES);
        let deleted = match told.await {
            Ok(_) => rest::send_again(&self.client, delete(pod), DEADLINE, TRIES).await,
            Err(e) => Err(e),
        };
        match deleted {
            Ok(_) => Ok(()),
            Err(e) if is_gone(&e) => {
                debug!("pod {pod}: eviction: {e}");
                Ok(())
            }
            Err(e) => Err(e),
        }
    }
}

fn path_of(pod: &PodKey) -> String {
    format!("/api/v1/namespaces/{}/pods/{}", pod.namespace, pod.name)
}

fn patch_of(pod: &PodKey, subresource: &str, content_type: &'static str, patch: &Value) -> Call {
    let path = format!("{}{subresource}", path_of(pod));
    Call { method: Method::PATCH, path, body: patch.to_string().into(), content_type }
}

fn delete(pod: &PodKey) -> Call {
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}});
    Call { method: Method::DELETE, path: path_of(pod), body: options.to_string().into(), content_type: JSON }
}

/// The pod was deleted meanwhile, or is another one by now.
fn is_gone(error: &CallError) -> bool {
    error.is(StatusCode::NOT_FOUND) || error.is(StatusCode::CONFLICT)
}
