//! The fields of a Service that the controllers read: those that a ResourceQuota counts.

use k8s_openapi::api::core::v1 as core;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::Deserialize;

use super::metadata;

/// A Service, without the fields that no controller reads.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = core::Service)]
pub struct Service {
    /// `metadata`, without the parts that no controller reads.
    #[serde(default, deserialize_with = "metadata::slim")]
    pub metadata: ObjectMeta,
    /// `spec`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub spec: ServiceSpec,
}

/// The decoded part of `spec`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceSpec {
    /// `type`.
    #[serde(default, rename = "type", deserialize_with = "metadata::nullable")]
    pub type_: String,
    /// `ports`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub ports: Vec<ServicePort>,
    /// `allocateLoadBalancerNodePorts`.
    pub allocate_load_balancer_node_ports: Option<bool>,
}

/// The decoded part of a port.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePort {
    /// `nodePort`.
    pub node_port: Option<i32>,
}
