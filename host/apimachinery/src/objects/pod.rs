//! Reads pods.

use berth_core::model::{NamedFields, Owner, Pod, PodKey, PodRequests, RequestInputs};

use super::container::{ContainerStatusData, RequirementsData, ResourceQuantities};
use super::intern::PodParts;
use super::json::{Seconds, partial};
use super::meta::ObjectMeta;
use super::notes::Notes;
use super::observed::PartialObject;
use super::spec::{ClaimStatusData, ConvertedSpec, PodSpecData, Surroundings};

partial! {
    /// `v1.Pod`.
    PodData {
        metadata: ObjectMeta,
        spec: PodSpecData,
        status: PodStatusData,
    }

    /// `v1.PodStatus`.
    PodStatusData {
        phase: Box<str>,
        nominated_node_name: Box<str>,
        start_time: Seconds,
        conditions: Vec<ConditionData>,
        container_statuses: Vec<ContainerStatusData>,
        init_container_statuses: Vec<ContainerStatusData>,
        resources: Option<RequirementsData>,
        allocated_resources: ResourceQuantities,
        resource_claim_statuses: Vec<ClaimStatusData>,
    }

    ConditionData {
        r#type: Box<str>,
        status: Box<str>,
        reason: Box<str>,
        message: Box<str>,
        last_transition_time: Box<str>,
    }
}

/// A pod as received.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct PodObject(PodData);

impl PartialObject for PodObject {
    const MESSAGE: &'static str = "core.v1.Pod";

    #[inline]
    fn metadata(&self) -> &ObjectMeta {
        &self.0.metadata
    }
}

/// The pod's condition PodScheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodScheduled {
    /// `True`, `False` or `Unknown`.
    pub status: Box<str>,
    /// The reason, such as `Unschedulable`.
    pub reason: Box<str>,
    /// The message.
    pub message: Box<str>,
    /// The time of the last change of `status`, as the API server wrote it.
    pub last_transition_time: Box<str>,
}

impl PodObject {
    /// Removes the condition PodScheduled from the pod and returns it.
    pub fn take_scheduled_condition(&mut self) -> Option<PodScheduled> {
        let conditions = &mut self.0.status.conditions;
        let at = conditions.iter().position(|c| c.r#type.as_ref() == "PodScheduled")?;
        let ConditionData { status, reason, message, last_transition_time, .. } = conditions.swap_remove(at);
        Some(PodScheduled { status, reason, message, last_transition_time })
    }

    /// Converts to the core's model. A request that can't be read counts as absent.
    #[must_use]
    pub fn into_model(self, parts: &PodParts, notes: &mut Notes) -> Pod {
        let PodData { metadata, mut spec, status } = self.0;
        let node_name = std::mem::take(&mut spec.node_name);
        let pod_level = spec.resources.take();
        let has_pod_level = pod_level.is_some();
        let RequirementsData { requests, limits } = pod_level.unwrap_or_default();
        let mut inputs = RequestInputs {
            pod_level: requests.list("spec.resources.requests", notes),
            pod_level_limits: limits.list("spec.resources.limits", notes),
            has_pod_level,
            pod_level_actuated: status.resources.map(|r| r.requests.list("status.resources.requests", notes)),
            pod_level_allocated: status.allocated_resources.list("status.allocatedResources", notes),
            overhead: std::mem::take(&mut spec.overhead).list("spec.overhead", notes),
            resize_infeasible: resize_infeasible(&status.conditions),
            ..RequestInputs::default()
        };
        let mut container_statuses = status.container_statuses;
        container_statuses.extend(status.init_container_statuses);
        let pod = Surroundings {
            name: &metadata.name,
            namespace: &metadata.namespace,
            uid: &metadata.uid,
            container_statuses,
            claim_statuses: status.resource_claim_statuses,
        };
        let ConvertedSpec { mut model, init_containers, containers } = spec.into_model(pod, notes);
        inputs.init_containers = init_containers;
        inputs.containers = containers;
        (model.limits, model.qos) = (inputs.limits(), inputs.qos());
        Pod {
            key: PodKey { namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
            labels: parts.labels(metadata.labels.into_labels()),
            annotations: metadata.annotations.into_annotations(),
            owners: parts.owners(metadata.owner_references.into_iter().map(Owner::from).collect()),
            deleting: metadata.deletion_timestamp.0,
            preempted: metadata.deletion_timestamp.0 && preempted(&status.conditions),
            created: metadata.creation_timestamp.0,
            node_name,
            nominated_node_name: status.nominated_node_name,
            start_time: status.start_time.0,
            finished: matches!(status.phase.as_ref(), "Succeeded" | "Failed"),
            requests: parts.requests(PodRequests::of(&inputs)),
            spec: parts.spec(model),
            fields: NamedFields::default(),
        }
    }
}

/// Returns whether a scheduler evicted the pod for preemption.
fn preempted(conditions: &[ConditionData]) -> bool {
    let target = conditions.iter().find(|c| c.r#type.as_ref() == "DisruptionTarget");
    target.is_some_and(|c| c.status.as_ref() == "True" && c.reason.as_ref() == "PreemptionByScheduler")
}

/// Returns whether the node can never grant the requested resize.
fn resize_infeasible(conditions: &[ConditionData]) -> bool {
    let pending = conditions.iter().find(|c| c.r#type.as_ref() == "PodResizePending");
    pending.is_some_and(|c| c.reason.as_ref() == "Infeasible")
}
