//! A pod as scheduling reads it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::affinity::{NodeSelectorTerm, PodAffinity, PreferredNodeTerm, SpreadConstraint};
use super::named_fields::NamedFields;
use super::requests::{PodRequests, QosClass};
use super::resources::Resources;
use super::selector::Labels;
use super::taint::Toleration;
use super::volume::{Volume, VolumeSource};

/// The identity of a pod. The uid identifies it; namespace and name are for people and the API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodKey {
    /// `metadata.namespace`
    pub namespace: Box<str>,
    /// `metadata.name`
    pub name: Box<str>,
    /// `metadata.uid`
    pub uid: Box<str>,
}

impl fmt::Display for PodKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// `ports[].protocol`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Protocol {
    /// TCP, also where absent
    #[default]
    Tcp,
    /// UDP
    Udp,
    /// SCTP
    Sctp,
}

/// A host port of a container.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostPort {
    /// `hostIP`; `0.0.0.0` where empty.
    pub ip: Box<str>,
    /// `protocol`.
    pub protocol: Protocol,
    /// `hostPort`.
    pub port: u16,
}

/// The list that a container comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContainerKind {
    /// `spec.containers`
    Main,
    /// `spec.initContainers`
    Init,
    /// `spec.initContainers` with `restartPolicy: Always`
    RestartableInit,
}

/// One container.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// `name`
    pub name: Box<str>,
    /// The list that the container comes from.
    pub kind: ContainerKind,
    /// `image`, as written in the spec.
    pub image: Box<str>,
    /// `resources.requests`
    pub requests: Resources,
    /// `resources.limits`
    pub limits: Resources,
    /// `ports[]` with a hostPort.
    pub host_ports: Vec<HostPort>,
}

/// `metadata.ownerReferences[]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Owner {
    /// `apiVersion`
    pub api_version: Box<str>,
    /// `kind`
    pub kind: Box<str>,
    /// `name`
    pub name: Box<str>,
    /// `uid`
    pub uid: Box<str>,
    /// `controller`
    pub controller: bool,
}

/// `pod.spec.resourceClaims[]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodResourceClaim {
    /// `name`
    pub name: Box<str>,
    /// The claim's name, from spec or status. Empty if the claim is not created yet.
    pub claim: Box<str>,
    /// `resourceClaimTemplateName`
    pub template: Box<str>,
}

/// `spec.preemptionPolicy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Preemption {
    /// `PreemptLowerPriority`, also where absent
    #[default]
    LowerPriority,
    /// `Never`
    Never,
}

/// `pod.spec` without the node's name. Pods with equal specs can share one value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    /// `schedulerName`
    pub scheduler_name: Box<str>,
    /// `priority`; 0 where absent
    pub priority: i32,
    /// `preemptionPolicy`
    pub preemption: Preemption,
    /// `tolerations`
    pub tolerations: Vec<Toleration>,
    /// `nodeSelector`
    pub node_selector: Labels,
    /// `affinity.nodeAffinity.required…`: one of the terms has to hold
    pub required_node_affinity: Option<Vec<NodeSelectorTerm>>,
    /// `affinity.nodeAffinity.preferred…`
    pub preferred_node_affinity: Vec<PreferredNodeTerm>,
    /// `affinity.podAffinity`
    pub affinity: PodAffinity,
    /// `affinity.podAntiAffinity`
    pub anti_affinity: PodAffinity,
    /// `topologySpreadConstraints`
    pub topology_spread: Vec<SpreadConstraint>,
    /// `initContainers`, then `containers`
    pub containers: Vec<Container>,
    /// Host ports of containers and restartable init containers.
    pub host_ports: Vec<HostPort>,
    /// `volumes`
    pub volumes: Vec<Volume>,
    /// `schedulingGates[].name`
    pub scheduling_gates: Vec<Box<str>>,
    /// `resourceClaims`
    pub resource_claims: Vec<PodResourceClaim>,
    /// `hostNetwork`
    pub host_network: bool,
    /// `hostUsers` is false
    pub user_namespace: bool,
    /// `restartPolicyRules[].action` of `initContainers` and `containers`, each once, sorted
    pub restart_actions: Vec<Box<str>>,
    /// The pod's resource limits: see [`super::RequestInputs::limits`].
    pub limits: Resources,
    /// The quality of service class, computed from requests and limits: see [`super::RequestInputs::qos`].
    pub qos: QosClass,
    /// `schedulingGroup.podGroupName`; empty without a group
    pub scheduling_group: Box<str>,
}

impl PodSpec {
    /// Returns the image of each container, init containers first, as written in the spec.
    pub fn container_images(&self) -> impl Iterator<Item = &str> {
        self.containers.iter().map(|container| container.image.as_ref())
    }

    /// Returns the references of the image volumes.
    pub fn volume_images(&self) -> impl Iterator<Item = &str> {
        self.volumes.iter().filter_map(|volume| match &volume.source {
            VolumeSource::Image(reference) => Some(reference.as_ref()),
            _ => None,
        })
    }
}

/// A `v1.Pod`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pod {
    /// Namespace, name and uid.
    pub key: PodKey,
    /// `metadata.labels`. Pods of one ReplicaSet can share one value.
    pub labels: Arc<Labels>,
    /// `metadata.annotations`, without `kubectl.kubernetes.io/last-applied-configuration`
    pub annotations: Labels,
    /// `metadata.ownerReferences`. Pods of one ReplicaSet can share one value.
    pub owners: Arc<[Owner]>,
    /// `metadata.deletionTimestamp` is set
    pub deleting: bool,
    /// The pod is being deleted because a scheduler preempted it: its condition DisruptionTarget is true with reason
    /// PreemptionByScheduler
    pub preempted: bool,
    /// `metadata.creationTimestamp`, seconds since 1970
    pub created: i64,
    /// `spec.nodeName`; empty for a pod that is not assigned
    pub node_name: Box<str>,
    /// `status.nominatedNodeName`; empty without a nomination
    pub nominated_node_name: Box<str>,
    /// `status.startTime`, seconds since 1970; 0 where absent
    pub start_time: i64,
    /// `status.phase` is Succeeded or Failed: the pod uses no resources any more
    pub finished: bool,
    /// The pod's resource requests. Equal pods can share one value.
    pub requests: Arc<PodRequests>,
    /// The rest of `spec`. Equal pods can share one value.
    pub spec: Arc<PodSpec>,
    /// Further fields that plugins name.
    pub fields: NamedFields,
}

impl Pod {
    /// Returns whether the pod requests devices: by ResourceClaims, or by extended resources, which a DeviceClass can
    /// provide.
    #[must_use]
    pub fn asks_for_devices(&self) -> bool {
        !self.spec.resource_claims.is_empty() || self.asks_for_extended_resources()
    }

    /// Returns whether a container requests an extended resource.
    #[must_use]
    pub fn asks_for_extended_resources(&self) -> bool {
        let mut asked = self.spec.containers.iter().flat_map(|container| &container.requests.scalars);
        asked.any(|(name, quantity)| *quantity != 0 && is_extended_resource(name))
    }
}

/// Returns whether a device plugin or a DeviceClass can provide the resource: its name has a domain outside of
/// Kubernetes, or the prefix with which a pod names a DeviceClass.
fn is_extended_resource(name: &str) -> bool {
    const OF_DEVICE_CLASS: &str = "deviceclass.resource.kubernetes.io/";
    name.starts_with(OF_DEVICE_CLASS)
        || name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}
