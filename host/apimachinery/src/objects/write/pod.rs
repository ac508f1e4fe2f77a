//! Writes pods.

use berth_core::model::{Container, ContainerKind, ContainerResources, Pod, RequestInputs};
use serde_json::Value;

use super::container::status as container_status;
use super::fields::Fields;
use super::metadata::{metadata, owner, time};
use super::named::add_named;
use super::resources::resources;
use super::spec::spec;
use crate::objects::{Notes, PodObject, PodParts};

/// The deletion timestamp of a pod without a creation timestamp.
const EPOCH: &str = "1970-01-01T00:00:00Z";

/// Returns the API object of a pod. Reading the API object gives an equal pod for every pod that was read, apart from
/// `Pod::fields`, with the exceptions below. `metadata.deletionTimestamp` is the creation time, because the model does
/// not have the time of the deletion. The phase of a finished pod is Succeeded.
///
/// The search for the pod's resources finds no equal [`berth_core::model::PodRequests`] for some pods that an API
/// server accepts rarely or never:
/// - Pods with fractions of a byte, such as `0.1Gi`, if the sums of the containers, the overhead and a resize round in
///   different ways.
/// - Pods whose resize changes several restartable init containers, if an init container determines the sum.
/// - Pods with a resize but without a main container.
/// - Pods with more than 8 containers without a positive request of cpu or memory, if some of the containers have an
///   explicit request of 0. Such a container counts without a default.
/// - Pods with negative quantities.
///
/// The written resources of such a pod have the requests and limits of each container. `Pod::requests`,
/// `PodSpec::limits` and `PodSpec::qos` can differ. The remaining fields are equal, except that a pod whose containers
/// or resource claims have equal names, which the API forbids, can differ in these fields too.
#[must_use]
pub fn pod(pod: &Pod) -> Value {
    let resources = resources(&pod.requests, &pod.spec);
    let object = Fields::default()
        .with("apiVersion", "v1")
        .with("kind", "Pod")
        .with("metadata", pod_metadata(pod))
        .object("spec", spec(pod, &resources))
        .object("status", status(pod, &resources));
    let parts = PodParts::default();
    add_named(object.into(), &pod.fields, |pod: PodObject| pod.into_model(&parts, &mut Notes::default()))
}

fn pod_metadata(pod: &Pod) -> Fields {
    // The model does not have the time of the deletion.
    let deleted = pod.deleting.then(|| time(pod.created).unwrap_or_else(|| EPOCH.to_owned()));
    metadata(&pod.key.namespace, &pod.key.name, &pod.key.uid)
        .labels("labels", &pod.labels)
        .labels("annotations", &pod.annotations)
        .list("ownerReferences", pod.owners.iter().map(owner))
        .optional("creationTimestamp", time(pod.created))
        .optional("deletionTimestamp", deleted)
}

fn status(pod: &Pod, resources: &RequestInputs) -> Fields {
    let phase = match pod {
        Pod { finished: true, .. } => "Succeeded",
        Pod { node_name, .. } if node_name.is_empty() => "Pending",
        _ => "Running",
    };
    let condition =
        |kind: &str, reason: &str| Fields::default().with("type", kind).with("status", "True").with("reason", reason);
    let preempted = pod.preempted.then(|| condition("DisruptionTarget", "PreemptionByScheduler"));
    let infeasible = resources.resize_infeasible.then(|| condition("PodResizePending", "Infeasible"));
    let (main, init): (Vec<&Container>, Vec<_>) =
        pod.spec.containers.iter().partition(|container| container.kind == ContainerKind::Main);
    let statuses = |containers: Vec<&Container>, resources: &[ContainerResources]| {
        containers.into_iter().zip(resources).filter_map(|(of, own)| container_status(of, own)).collect::<Vec<_>>()
    };
    let pod_level = resources.pod_level_actuated.as_ref();
    let claims = pod.spec.resource_claims.iter().filter(|of| !of.template.is_empty() && !of.claim.is_empty());
    let claims = claims.map(|of| Fields::default().text("name", &of.name).with("resourceClaimName", &*of.claim));
    Fields::default()
        .with("phase", phase)
        .text("nominatedNodeName", &pod.nominated_node_name)
        .optional("startTime", time(pod.start_time))
        .list("conditions", preempted.into_iter().chain(infeasible))
        .list("initContainerStatuses", statuses(init, &resources.init_containers))
        .list("containerStatuses", statuses(main, &resources.containers))
        .optional("resources", pod_level.map(|list| Fields::default().quantities("requests", list)))
        .list("resourceClaimStatuses", claims)
}
