//! Creates bindings, or lets an extender create them. A binding is the only write that assigns a pod to a node.

use std::sync::Arc;
use std::time::Duration;

use berth_core::Event;
use berth_core::model::PodKey;
use bytes::Bytes;
use http::{Method, StatusCode};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, watch};
use tracing::warn;

use super::cluster_event::ClusterEvent;
use super::leader_client::LeaderClient;
use super::rest::{self, Call, CallError, JSON, pause};
use super::status::StatusWriter;
use crate::extender::Extenders;

/// The time limit of one request to the API server. The API server itself gives up on a request after 60 s.
const DEADLINE: Duration = Duration::from_secs(30);
/// The number of attempts to bind. The number is small because the core schedules the pod again after a failure, with
/// newer information.
const ATTEMPTS: u32 = 3;
/// The number of attempts to read a pod when the result of its binding is unknown.
const READS: u32 = 6;

/// Selects whether the API server or an extender binds a pod.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    /// The API server.
    Server,
    /// The extender with this index, as in [`Extenders::bind`].
    Extender(usize),
}

/// Binds pods, a limited number of them at once.
pub(super) struct Binder {
    client: LeaderClient,
    status: Arc<StatusWriter>,
    events: UnboundedSender<ClusterEvent>,
    permits: Semaphore,
    extenders: Arc<Extenders>,
    open: watch::Sender<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Binding<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata<'a>,
    target: Target<'a>,
}

/// Metadata of a binding. With the uid, the API server refuses to bind another pod of the same name.
#[derive(Serialize)]
struct Metadata<'a> {
    name: &'a str,
    namespace: &'a str,
    uid: &'a str,
}

#[derive(Serialize)]
struct Target<'a> {
    kind: &'static str,
    name: &'a str,
}

/// The part of a pod that says whether and to which node it is bound.
#[derive(Deserialize)]
struct Assigned {
    metadata: AssignedMetadata,
    #[serde(default)]
    spec: AssignedSpec,
}

#[derive(Deserialize)]
struct AssignedMetadata {
    uid: Box<str>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AssignedSpec {
    node_name: Box<str>,
}

impl Binder {
    pub(super) fn new(
        client: LeaderClient,
        status: Arc<StatusWriter>,
        events: UnboundedSender<ClusterEvent>,
        at_once: u32,
        extenders: Arc<Extenders>,
    ) -> Self {
        let permits = Semaphore::new(at_once as usize);
        Self { client, status, events, permits, extenders, open: watch::Sender::new(0) }
    }

    /// Binds the pod and reports the result as an event. The binding counts as open from the call on, not from the
    /// first poll.
    pub(super) fn bind(binder: Arc<Self>, pod: PodKey, node: Box<str>, by: By) -> impl Future<Output = ()> + Send {
        binder.open.send_modify(|open| *open += 1);
        async move {
            binder.bind_with_permit(pod, node, by).await;
            binder.open.send_modify(|open| *open -= 1);
        }
    }

    async fn bind_with_permit(&self, pod: PodKey, node: Box<str>, by: By) {
        let Ok(_permit) = self.permits.acquire().await else { return };
        if let Some(patched) = self.status.withdraw(&pod.uid) {
            let _ = patched.await;
        }
        let bound = match by {
            By::Server => Box::pin(self.attempt(&pod, &node)).await,
            By::Extender(extender) => self.bind_by_extender(extender, &pod, &node).await,
        };
        let event = match bound {
            Ok(()) => Event::Bound(pod),
            Err(reason) => {
                warn!(%pod, %node, error = %reason, "binding failed");
                Event::BindFailed(pod, reason)
            }
        };
        // The receiver is gone only when the scheduler is ending.
        let _ = self.events.send(event.into());
    }

    /// Waits until no binding is open.
    pub(super) async fn idle(&self) {
        // `self` owns the sender, so `wait_for` can't fail.
        let _ = self.open.subscribe().wait_for(|open| *open == 0).await;
    }

    /// Returns the number of open bindings.
    pub(super) fn open(&self) -> usize {
        *self.open.borrow()
    }

    async fn attempt(&self, pod: &PodKey, node: &str) -> Result<(), String> {
        let call = binding(pod, node)?;
        let mut may_be_done = false;
        for attempt in 0.. {
            let error = match self.client.send(call.clone(), DEADLINE).await {
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            may_be_done |= error.is_ambiguous();
            if error.is_transient() && attempt + 1 < ATTEMPTS {
                pause(&error, attempt).await;
            } else if may_be_done {
                return self.read_result(pod, node, &error).await;
            } else {
                return Err(error.to_string());
            }
        }
        Ok(())
    }

    /// Asks an extender to bind the pod. The extender's `httpTimeout` limits the call.
    async fn bind_by_extender(&self, extender: usize, pod: &PodKey, node: &str) -> Result<(), String> {
        let bound = Box::pin(self.extenders.bind(extender, pod, node));
        self.client.term().send(Duration::MAX, bound).await.unwrap_or_else(|unanswered| Err(unanswered.to_string()))
    }

    /// Reads the pod after an attempt with an unknown result, to learn whether the API server accepted the binding.
    /// `error` is the error of the last attempt.
    async fn read_result(&self, pod: &PodKey, node: &str, error: &CallError) -> Result<(), String> {
        let PodKey { namespace, name, .. } = pod;
        let call = Call {
            method: Method::GET,
            path: format!("/api/v1/namespaces/{namespace}/pods/{name}"),
            body: Bytes::new(),
            content_type: JSON,
        };
        let answer = match rest::send_again(self.client.reader(), call, DEADLINE, READS).await {
            Ok(answer) => answer,
            Err(e) if e.is(StatusCode::NOT_FOUND) => return Err("the pod is gone".to_owned()),
            Err(e) => return Err(format!("{error}; {UNKNOWN}, because the pod can't be read: {e}")),
        };
        let found: Assigned = serde_json::from_slice(&answer)
            .map_err(|e| format!("{error}; {UNKNOWN}, because the pod is invalid: {e}"))?;
        if found.metadata.uid != pod.uid {
            return Err("the pod is gone, and another pod has its name".to_owned());
        }
        match found.spec.node_name.as_ref() {
            "" => Err(error.to_string()),
            bound if bound == node => Ok(()),
            other => Err(format!("pod {pod} is already assigned to node {other:?}")),
        }
    }
}

fn binding(pod: &PodKey, node: &str) -> Result<Call, String> {
    let PodKey { namespace, name, uid } = pod;
    let body = Binding {
        api_version: "v1",
        kind: "Binding",
        metadata: Metadata { name, namespace, uid },
        target: Target { kind: "Node", name: node },
    };
    Ok(Call {
        method: Method::POST,
        path: format!("/api/v1/namespaces/{namespace}/pods/{name}/binding"),
        body: serde_json::to_vec(&body).map_err(|e| e.to_string())?.into(),
        content_type: JSON,
    })
}

/// A part of the error message for a binding whose result is unknown.
const UNKNOWN: &str = "the result of the binding is unknown";

#[cfg(test)]
#[path = "binder_test.rs"]
mod tests;
