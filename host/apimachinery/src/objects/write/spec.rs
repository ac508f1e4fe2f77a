//! Writes `spec` of pods.

use berth_core::model::{
    Container, ContainerKind, ContainerResources, Pod, PodResourceClaim, Preemption, RequestInputs, Toleration,
    TolerationOperator,
};

use super::affinity::{affinity, spread};
use super::container::container;
use super::fields::Fields;
use super::metadata::effect;
use super::volume::volume;

/// Returns `spec` of a pod with these resources.
pub(super) fn spec(pod: &Pod, resources: &RequestInputs) -> Fields {
    let spec = &*pod.spec;
    let volumes = spec.volumes.iter().enumerate().map(|(index, of)| volume(index, of));
    let pod_level = Fields::default()
        .quantities("requests", &resources.pod_level)
        .quantities("limits", &resources.pod_level_limits);
    let fields = Fields::default()
        .text("nodeName", &pod.node_name)
        .text("schedulerName", &spec.scheduler_name)
        .number("priority", spec.priority)
        .optional("preemptionPolicy", (spec.preemption == Preemption::Never).then_some("Never"))
        .list("tolerations", spec.tolerations.iter().map(toleration))
        .labels("nodeSelector", &spec.node_selector)
        .object("affinity", affinity(spec))
        .list("topologySpreadConstraints", spec.topology_spread.iter().map(spread))
        .optional("resources", resources.has_pod_level.then_some(pod_level))
        .quantities("overhead", &resources.overhead)
        .list("volumes", volumes)
        .list("schedulingGates", spec.scheduling_gates.iter().map(|gate| Fields::default().text("name", gate)))
        .list("resourceClaims", spec.resource_claims.iter().map(claim))
        .flag("hostNetwork", spec.host_network)
        .optional("hostUsers", spec.user_namespace.then_some(false))
        .object("schedulingGroup", Fields::default().text("podGroupName", &spec.scheduling_group));
    containers(fields, pod, resources)
}

/// Adds the containers. The last container gets all restart policy rules, because the model has the actions of the pod,
/// but not their containers.
fn containers(fields: Fields, pod: &Pod, resources: &RequestInputs) -> Fields {
    let last = pod.spec.containers.last();
    let rules = || pod.spec.restart_actions.iter().map(|action| Fields::default().text("action", action));
    let written = |(of, resources): (&Container, &ContainerResources)| {
        let is_last = last.is_some_and(|last| std::ptr::eq(last, of));
        let fields = container(of, resources);
        if is_last { fields.list("restartPolicyRules", rules()) } else { fields }
    };
    let (main, init): (Vec<&Container>, Vec<_>) =
        pod.spec.containers.iter().partition(|container| container.kind == ContainerKind::Main);
    fields
        .list("initContainers", init.into_iter().zip(&resources.init_containers).map(written))
        .list("containers", main.into_iter().zip(&resources.containers).map(written))
}

fn toleration(toleration: &Toleration) -> Fields {
    let operator = match toleration.operator {
        TolerationOperator::Equal => "Equal",
        TolerationOperator::Exists => "Exists",
        TolerationOperator::Lt => "Lt",
        TolerationOperator::Gt => "Gt",
    };
    Fields::default()
        .text("key", &toleration.key)
        .with("operator", operator)
        .text("value", &toleration.value)
        .optional("effect", toleration.effect.map(effect))
}

/// Returns a resource claim. The name of a claim that was created from a template is in the pod's status.
fn claim(claim: &PodResourceClaim) -> Fields {
    let in_spec = if claim.template.is_empty() { &*claim.claim } else { "" };
    Fields::default()
        .text("name", &claim.name)
        .text("resourceClaimName", in_spec)
        .text("resourceClaimTemplateName", &claim.template)
}
