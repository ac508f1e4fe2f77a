//! Settings that all Kubernetes components share: `leaderElection` and `clientConnection`.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::Duration;

/// The default of `burst`.
pub(crate) const DEFAULT_BURST: i32 = 100;

/// `leaderElection`: the leader election among several replicas. An empty string or a duration of 0 means the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaderElection {
    /// Schedules pods only while this process holds the Lease. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader_elect: Option<bool>,
    /// The time after the last observed renewal until a standby takes the Lease. Longer than renewDeadline. Default:
    /// 15s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_duration: Option<Duration>,
    /// The time in which the leader must renew the Lease. Otherwise the leader exits. Default: 10s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renew_deadline: Option<Duration>,
    /// The time between two attempts to get or renew the Lease. Default: 2s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_period: Option<Duration>,
    /// The kind of the lock. Only `leases` is supported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_lock: Option<String>,
    /// The Lease's name. Default: berth. kube-scheduler's default is kube-scheduler, so both can run side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// The Lease's namespace. Default: kube-system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_namespace: Option<String>,
}

/// `clientConnection`: the connection to the API server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientConnection {
    /// A kubeconfig file. The flag `--kubeconfig` overrides this field. Default: the service account of the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<String>,
    /// The content types that the client accepts. No effect: Berth lists pods and nodes as protobuf and reads all else as
    /// JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_content_types: Option<String>,
    /// The content type of requests. No effect: Berth sends JSON. Default: application/vnd.kubernetes.protobuf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The limit of requests per second. 0 or negative means no limit. Default: no limit. kube-scheduler's default is
    /// 50.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "without_fraction")]
    pub qps: Option<f32>,
    /// The number of requests that may exceed qps for a moment. 0 means the default. Used if qps is set. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub burst: Option<i32>,
}

impl ClientConnection {
    /// Returns the path of the kubeconfig file, or `None` if the field is not set or empty.
    #[must_use]
    pub fn kubeconfig(&self) -> Option<&Path> {
        self.kubeconfig.as_deref().filter(|path| !path.is_empty()).map(Path::new)
    }

    /// Returns the limit of requests per second and the burst in requests, or `None` if requests are not limited.
    #[must_use]
    pub fn rate(&self) -> Option<(f32, u32)> {
        let qps = self.qps.filter(|qps| *qps > 0.0)?;
        let burst = self.burst.filter(|burst| *burst > 0).unwrap_or(DEFAULT_BURST);
        Some((qps, burst.unsigned_abs()))
    }
}

/// Writes an integral rate without a fraction (50, not 50.0), as Kubernetes does.
fn without_fraction<S: Serializer>(qps: &Option<f32>, serializer: S) -> Result<S::Ok, S::Error> {
    match qps {
        Some(qps) if qps.fract() == 0.0 && qps.abs() < 1e9 => serializer.serialize_i64(*qps as i64),
        qps => qps.serialize(serializer),
    }
}
