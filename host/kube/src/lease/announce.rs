//! Announces a change of leader as an event of the Lease, with client-go's messages.

use std::time::Duration;

use ::kube::Client;
use http::Method;
use jiff::Timestamp;
use serde_json::{Value, json};
use tracing::debug;

use crate::rest::{self, Call, JSON};

/// The time limit of a request.
const DEADLINE: Duration = Duration::from_secs(5);
const ATTEMPTS: u32 = 3;
/// The API server's `ReportingInstanceLengthLimit`, in bytes.
const INSTANCE_LIMIT: usize = 128;

/// Writes events about the Lease for one candidate.
#[derive(Clone)]
pub(super) struct Announcer {
    client: Client,
    identity: String,
}

impl Announcer {
    pub(super) fn new(client: Client, identity: &str) -> Self {
        Self { client, identity: identity.to_owned() }
    }

    /// Writes an event about this `change`, for example `became leader`. A failure is only logged at debug level,
    /// because the Lease holds the same fact.
    pub(super) async fn announce(self, lease: Value, change: &'static str) {
        let event = self.event(&lease, change, Timestamp::now());
        let [namespace, name] = ["namespace", "name"].map(|key| lease["metadata"][key].as_str().unwrap_or_default());
        let path = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events");
        let call = Call { method: Method::POST, path, body: event.to_string().into(), content_type: JSON };
        if let Err(error) = rest::send_again(&self.client, call, DEADLINE, ATTEMPTS).await {
            let lease = format!("{namespace}/{name}");
            debug!(%lease, reason = %change, %error, "writing an event of the Lease failed; giving up");
        }
    }

    fn event(&self, lease: &Value, change: &str, now: Timestamp) -> Value {
        let Self { identity, .. } = self;
        let metadata = &lease["metadata"];
        let name = metadata["name"].as_str().unwrap_or_default();
        json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event",
            "metadata": {"name": format!("{name}.{:x}", now.as_nanosecond()), "namespace": metadata["namespace"]},
            "eventTime": format!("{now:.6}"),
            "reportingController": "berth",
            "reportingInstance": identity[..identity.floor_char_boundary(INSTANCE_LIMIT)],
            "type": "Normal", "reason": "LeaderElection", "action": "LeaderElection",
            "note": format!("{identity} {change}"),
            "regarding": {
                "apiVersion": lease["apiVersion"], "kind": lease["kind"], "namespace": metadata["namespace"],
                "name": metadata["name"], "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"],
            },
        })
    }
}
