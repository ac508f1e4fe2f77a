//! The fields of a Pod that the controllers read. A cluster can have 100,000 pods, so other fields are not kept.

use std::time::Duration;

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::{Deserialize, Deserializer};

use super::metadata;

/// A Pod, without the fields that no controller reads.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = core::Pod)]
pub struct Pod {
    /// `metadata`, without the parts that no controller reads.
    #[serde(default, deserialize_with = "metadata::slim")]
    pub metadata: ObjectMeta,
    /// `spec`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub spec: PodSpec,
    /// `status`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub status: PodStatus,
}

/// The decoded part of `spec`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSpec {
    /// `nodeName`: the node to which the pod is bound.
    pub node_name: Option<String>,
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
    /// `affinity`, for the target node of a DaemonSet's pod.
    affinity: Option<Affinity>,
}

/// The decoded part of a container.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// `name`.
    pub name: String,
    /// `image`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub image: String,
    /// `restartPolicy`: `Always` makes an init container a sidecar.
    pub restart_policy: Option<String>,
    /// The time that the hook `lifecycle.preStop` takes: that of `sleep`, or of the command `sleep` in `exec`. Other hooks
    /// take no time.
    #[serde(default, rename = "lifecycle", deserialize_with = "pre_stop")]
    pub pre_stop: Option<Duration>,
}

impl Container {
    /// Returns true for an init container that runs as long as the pod.
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy.as_deref() == Some("Always")
    }
}

/// Decodes the time that the preStop hook takes.
fn pre_stop<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let lifecycle: core::Lifecycle = metadata::nullable(deserializer)?;
    let Some(hook) = lifecycle.pre_stop else { return Ok(None) };
    let sleep = hook.sleep.and_then(|sleep| u64::try_from(sleep.seconds).ok()).map(Duration::from_secs);
    Ok(sleep.or_else(|| command_sleep(&hook.exec?.command.unwrap_or_default().join(" "))))
}

/// Returns the duration of the first `sleep` in a command.
fn command_sleep(command: &str) -> Option<Duration> {
    let mut words =
        command.split(|letter: char| letter.is_whitespace() || letter == ';').skip_while(|word| *word != "sleep");
    let seconds = words.nth(1)?.trim_end_matches('s').parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The decoded part of a volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// `name`.
    pub name: String,
    /// `persistentVolumeClaim`.
    pub persistent_volume_claim: Option<ClaimSource>,
    /// `ephemeral`: the template of the claim `<pod>-<volume>`.
    pub ephemeral: Option<core::EphemeralVolumeSource>,
}

/// The `persistentVolumeClaim` of a volume.
#[derive(Clone, Debug, Default, Deserialize)]
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
    pub phase: Option<String>,
    /// `conditions`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub conditions: Vec<PodCondition>,
    /// `startTime`: the time at which the kubelet accepted the pod.
    pub start_time: Option<Time>,
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
    pub type_: String,
    /// `status`: `True`, `False` or `Unknown`.
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

/// Decodes the tolerations that can be for NoExecute taints.
fn no_execute<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<core::Toleration>, D::Error> {
    let mut tolerations: Vec<core::Toleration> = metadata::nullable(deserializer)?;
    tolerations.retain(|toleration| matches!(toleration.effect.as_deref(), None | Some("" | "NoExecute")));
    Ok(tolerations)
}

impl Pod {
    /// Returns `spec.nodeName`; `None` for a pod that is not scheduled.
    pub fn node(&self) -> Option<&str> {
        self.spec.node_name.as_deref().filter(|name| !name.is_empty())
    }

    /// Returns the node that a DaemonSet's pod targets: the first value of the first entry of `matchFields` in the
    /// first term of the required node affinity, if that entry is `metadata.name In`.
    pub fn target_node(&self) -> Option<&str> {
        let required = self.spec.affinity.as_ref()?.node_affinity.as_ref()?;
        let selector = required.required_during_scheduling_ignored_during_execution.as_ref()?;
        let field = selector.node_selector_terms.first()?.match_fields.first()?;
        let named = field.key == "metadata.name" && field.operator == "In";
        field.values.as_ref().filter(|_| named)?.first().map(String::as_str)
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
        self.status.conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
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
