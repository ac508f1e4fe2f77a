//! The fields of a Pod that the controllers read. A cluster can have 100,000 pods, so other fields are not kept.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use berth_quota::{List, Resources};
use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::{Deserialize, Deserializer};

use super::container::{Container, ContainerStatus};
use super::metadata;
use super::word::Word;

/// A Pod, without the fields that no controller reads.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = core::Pod)]
#[serde(from = "RawPod")]
pub struct Pod {
    /// `metadata`, without the parts that no controller reads.
    pub metadata: ObjectMeta,
    /// `spec`, without the node. The cluster state lets pods with equal specs share it.
    pub spec: Arc<PodSpec>,
    /// `spec.nodeName`.
    node: Option<Box<str>>,
    /// The node that the pod's node affinity names.
    target: Option<Box<str>>,
    /// `status`.
    pub status: PodStatus,
}

#[derive(Deserialize)]
struct RawPod {
    #[serde(default, deserialize_with = "metadata::slim")]
    metadata: ObjectMeta,
    #[serde(default, deserialize_with = "metadata::nullable")]
    spec: PodSpec,
    #[serde(default, deserialize_with = "metadata::nullable")]
    status: PodStatus,
}

impl From<RawPod> for Pod {
    fn from(raw: RawPod) -> Self {
        let (mut spec, mut status) = (raw.spec, raw.status);
        let target = spec.affinity.take().and_then(Affinity::target_node).map(Into::into);
        let node = spec.node_name.take();
        // Decoding reserves memory for more items than there are.
        spec.volumes.retain(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some());
        spec.volumes.shrink_to_fit();
        spec.containers.shrink_to_fit();
        spec.init_containers.shrink_to_fit();
        spec.tolerations.shrink_to_fit();
        status.conditions.shrink_to_fit();
        status.container_statuses.shrink_to_fit();
        status.init_container_statuses.shrink_to_fit();
        Pod { metadata: raw.metadata, spec: Arc::new(spec), node, target, status }
    }
}

/// The decoded part of `spec`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSpec {
    /// `nodeName`: the node to which the pod is bound. Moved to the pod.
    node_name: Option<Box<str>>,
    /// `restartPolicy`: `Always`, `OnFailure` or `Never`.
    pub restart_policy: Option<Word>,
    /// `hostNetwork`: the pod uses its node's address.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub host_network: bool,
    /// `containers`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub containers: Vec<Container>,
    /// `initContainers`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub init_containers: Vec<Container>,
    /// `volumes`. Only the sources from volume claims are decoded.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub volumes: Vec<Volume>,
    /// `resourceClaims`: the claims for devices.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub resource_claims: Vec<core::PodResourceClaim>,
    /// `tolerations` of NoExecute taints.
    #[serde(default, deserialize_with = "no_execute")]
    pub tolerations: Vec<core::Toleration>,
    /// `priorityClassName`, for the scopes of ResourceQuotas.
    pub priority_class_name: Option<Box<str>>,
    /// `activeDeadlineSeconds`, for the scopes of ResourceQuotas.
    pub active_deadline_seconds: Option<i64>,
    /// `resources`: the requests and limits of the whole pod.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub resources: Resources,
    /// `overhead`: what the pod's runtime class adds.
    #[serde(default, deserialize_with = "berth_quota::list")]
    pub overhead: List,
    /// `affinity`, for the target node of a DaemonSet's pod. Moved to the pod.
    affinity: Option<Affinity>,
}

impl Hash for PodSpec {
    /// Hashes what usually differs between specs.
    fn hash<H: Hasher>(&self, state: &mut H) {
        for container in &self.containers {
            (&container.name, &container.image).hash(state);
        }
        self.volumes.iter().for_each(|volume| volume.hash(state));
        self.resource_claims.iter().for_each(|claim| claim.resource_claim_name.hash(state));
        self.tolerations.iter().for_each(|toleration| (&toleration.key, toleration.toleration_seconds).hash(state));
    }
}

/// The decoded part of a volume.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// `name`.
    pub name: String,
    /// `persistentVolumeClaim`.
    pub persistent_volume_claim: Option<ClaimSource>,
    /// `ephemeral`: the template of the claim `<pod>-<volume>`.
    pub ephemeral: Option<Box<core::EphemeralVolumeSource>>,
}

impl Hash for Volume {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.persistent_volume_claim).hash(state);
    }
}

/// The `persistentVolumeClaim` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimSource {
    /// `claimName`.
    pub claim_name: String,
}

/// The decoded part of `status`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodStatus {
    /// `phase`: `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
    pub phase: Option<Word>,
    /// `conditions`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub conditions: Vec<PodCondition>,
    /// `startTime`: the time at which the kubelet accepted the pod.
    pub start_time: Option<Time>,
    /// `containerStatuses`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub container_statuses: Vec<ContainerStatus>,
    /// `initContainerStatuses`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// `resourceClaimStatuses`: the claims made from the pod's claim templates.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub resource_claim_statuses: Vec<core::PodResourceClaimStatus>,
}

/// An entry of `status.conditions`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodCondition {
    /// `type`.
    #[serde(rename = "type")]
    pub type_: Word,
    /// `status`: `True`, `False` or `Unknown`.
    pub status: Word,
    /// `reason`.
    pub reason: Option<Word>,
    /// `lastTransitionTime`.
    pub last_transition_time: Option<Time>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Affinity {
    node_affinity: Option<NodeAffinity>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeAffinity {
    required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeSelector {
    #[serde(default, deserialize_with = "metadata::nullable")]
    node_selector_terms: Vec<NodeSelectorTerm>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeSelectorTerm {
    #[serde(default, deserialize_with = "metadata::nullable")]
    match_fields: Vec<core::NodeSelectorRequirement>,
}

impl Affinity {
    fn target_node(self) -> Option<String> {
        let required = self.node_affinity?.required_during_scheduling_ignored_during_execution?;
        let field = required.node_selector_terms.into_iter().next()?.match_fields.into_iter().next()?;
        let named = field.key == "metadata.name" && field.operator == "In";
        field.values.filter(|_| named)?.into_iter().next()
    }
}

/// Decodes the tolerations that can be for NoExecute taints.
fn no_execute<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<core::Toleration>, D::Error> {
    let mut tolerations: Vec<core::Toleration> = metadata::nullable(deserializer)?;
    tolerations.retain(|toleration| matches!(toleration.effect.as_deref(), None | Some("" | "NoExecute")));
    Ok(tolerations)
}

impl Pod {
    /// Returns `spec.nodeName`; `None` for a pod that is not scheduled.
    pub fn node(&self) -> Option<&str> {
        self.node.as_deref().filter(|name| !name.is_empty())
    }

    /// Returns the node that a DaemonSet's pod targets: the first value of the first entry of `matchFields` in the
    /// first term of the required node affinity, if that entry is `metadata.name In`.
    pub fn target_node(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// Returns `status.phase`; `Pending` if absent.
    pub fn phase(&self) -> &str {
        self.status.phase.as_deref().unwrap_or("Pending")
    }

    /// Returns true if the pod has finished: its phase is `Succeeded` or `Failed`.
    pub fn terminal(&self) -> bool {
        matches!(self.phase(), "Succeeded" | "Failed")
    }

    /// Returns true if the pod has not finished and is not being deleted. Workloads count only active pods.
    pub fn active(&self) -> bool {
        !self.terminal() && !metadata::deleting(&self.metadata)
    }

    /// Returns the time since which the pod is Ready; `None` if it is not Ready.
    pub fn ready_since(&self) -> Option<Time> {
        let ready = self.status.conditions.iter().find(|condition| condition.type_ == "Ready")?;
        let since = || ready.last_transition_time.clone().or_else(|| self.metadata.creation_timestamp.clone());
        if ready.status == "True" { since() } else { None }
    }

    /// Returns true if the Ready condition is `True`.
    pub fn ready(&self) -> bool {
        self.condition("Ready").is_some_and(|condition| condition.status == "True")
    }

    /// Returns the pod's condition of this type.
    pub fn condition(&self, type_: &str) -> Option<&PodCondition> {
        self.status.conditions.iter().find(|condition| condition.type_ == type_)
    }

    /// Returns how often the pod's containers have restarted, in total.
    pub fn restarts(&self) -> i32 {
        let statuses = self.status.container_statuses.iter().chain(&self.status.init_container_statuses);
        statuses.map(|status| status.restart_count).fold(0, i32::saturating_add)
    }

    /// Returns the names of the PersistentVolumeClaims of the pod's volumes.
    pub fn claims(&self) -> impl Iterator<Item = String> + '_ {
        self.spec.volumes.iter().filter_map(|volume| {
            let named = volume.persistent_volume_claim.as_ref().map(|source| source.claim_name.clone());
            named.or_else(|| volume.ephemeral.as_ref().map(|_| self.ephemeral_claim(&volume.name)))
        })
    }

    /// Returns the name of the claim for an ephemeral volume.
    pub fn ephemeral_claim(&self, volume: &str) -> String {
        format!("{}-{volume}", metadata::name(&self.metadata))
    }
}
