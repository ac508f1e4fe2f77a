//! The fields of a Pod that the controllers read: a cluster may hold 100,000, so the rest isn't kept.

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::Deserialize;

use super::metadata;

/// A Pod, without the fields that no controller reads.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = core::Pod)]
pub struct Pod {
    /// `metadata`, slimmed.
    #[serde(default, deserialize_with = "metadata::slim")]
    pub metadata: ObjectMeta,
    /// `spec`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub spec: PodSpec,
    /// `status`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub status: PodStatus,
}

/// The kept part of `spec`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSpec {
    /// `nodeName`: the node that the pod is bound to.
    pub node_name: Option<String>,
    /// `hostNetwork`: the pod has its node's address.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub host_network: bool,
    /// `containers`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub containers: Vec<Container>,
    /// `initContainers`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub init_containers: Vec<Container>,
    /// `volumes`: only those that come from a claim say anything here.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub volumes: Vec<Volume>,
    /// `resourceClaims`: the devices that it asks for.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub resource_claims: Vec<core::PodResourceClaim>,
    /// `affinity`: read only for the node that a DaemonSet meant the pod for.
    affinity: Option<Affinity>,
}

/// A container's identity.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// `name`.
    pub name: String,
    /// `image`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub image: String,
    /// `restartPolicy`: `Always` makes an init container a sidecar that keeps running.
    pub restart_policy: Option<String>,
}

/// A volume's claim.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// `name`.
    pub name: String,
    /// `persistentVolumeClaim`.
    pub persistent_volume_claim: Option<ClaimSource>,
    /// `ephemeral`: the claim `<pod>-<volume>` is made from this template.
    pub ephemeral: Option<core::EphemeralVolumeSource>,
}

/// `persistentVolumeClaim` of a volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimSource {
    /// `claimName`.
    pub claim_name: String,
}

/// The kept part of `status`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodStatus {
    /// `phase`: Pending, Running, Succeeded, Failed or Unknown.
    pub phase: Option<String>,
    /// `conditions`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub conditions: Vec<PodCondition>,
    /// `startTime`: when the kubelet took the pod on.
    pub start_time: Option<Time>,
    /// `resourceClaimStatuses`: the claims made from the pod's claim templates.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub resource_claim_statuses: Vec<core::PodResourceClaimStatus>,
}

/// One of `status.conditions`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodCondition {
    /// `type`.
    #[serde(rename = "type")]
    pub type_: String,
    /// `status`: True, False or Unknown.
    pub status: String,
    /// `lastTransitionTime`.
    pub last_transition_time: Option<Time>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Affinity {
    node_affinity: Option<NodeAffinity>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeAffinity {
    required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeSelector {
    #[serde(default, deserialize_with = "metadata::nullable")]
    node_selector_terms: Vec<NodeSelectorTerm>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeSelectorTerm {
    #[serde(default, deserialize_with = "metadata::nullable")]
    match_fields: Vec<core::NodeSelectorRequirement>,
}

impl Pod {
    /// `spec.nodeName`, or nothing while the pod waits for a scheduler.
    pub fn node(&self) -> Option<&str> {
        self.spec.node_name.as_deref().filter(|name| !name.is_empty())
    }

    /// The node that the pod may run on by `matchFields` on `metadata.name`, as a DaemonSet's pods have it.
    pub fn target_node(&self) -> Option<&str> {
        let required = self.spec.affinity.as_ref()?.node_affinity.as_ref()?;
        let selector = required.required_during_scheduling_ignored_during_execution.as_ref()?;
        let field = selector.node_selector_terms.first()?.match_fields.first()?;
        let named = field.key == "metadata.name" && field.operator == "In";
        field.values.as_ref().filter(|_| named)?.first().map(String::as_str)
    }

    /// `status.phase`; a pod without one is Pending.
    pub fn phase(&self) -> &str {
        self.status.phase.as_deref().unwrap_or("Pending")
    }

    /// Whether the pod has Succeeded or Failed: it holds nothing any more.
    pub fn terminal(&self) -> bool {
        matches!(self.phase(), "Succeeded" | "Failed")
    }

    /// Whether the pod counts for the one that made it: neither ended nor being deleted.
    pub fn active(&self) -> bool {
        !self.terminal() && !metadata::deleting(&self.metadata)
    }

    /// Since when the pod has been Ready, if it is.
    pub fn ready_since(&self) -> Option<Time> {
        let ready = self.status.conditions.iter().find(|held| held.type_ == "Ready")?;
        let since = || ready.last_transition_time.clone().or_else(|| self.metadata.creation_timestamp.clone());
        if ready.status == "True" { since() } else { None }
    }

    /// Whether the Ready condition is True.
    pub fn ready(&self) -> bool {
        self.status.conditions.iter().any(|held| held.type_ == "Ready" && held.status == "True")
    }

    /// The names of the PersistentVolumeClaims that the pod's volumes come from.
    pub fn claims(&self) -> impl Iterator<Item = String> + '_ {
        self.spec.volumes.iter().filter_map(|volume| {
            let named = volume.persistent_volume_claim.as_ref().map(|source| source.claim_name.clone());
            named.or_else(|| volume.ephemeral.as_ref().map(|_| self.ephemeral_claim(&volume.name)))
        })
    }

    /// The name of the claim made for an ephemeral volume.
    pub fn ephemeral_claim(&self, volume: &str) -> String {
        format!("{}-{volume}", metadata::name(&self.metadata))
    }
}
