//! Converts the facts of a pod.

use berth_core::facts::PodFacts;
use berth_core::model::{
    Container, ContainerKind, Owner, Pod, PodResourceClaim, PodSpec, Preemption, QosClass, Toleration,
    TolerationOperator,
};
use berth_core::reads::PodReads;
use bumpalo::Bump;

use super::node::{effect, host_ports};
use super::resources::{NO_REQUESTS, NOTHING, requests, resources};
use super::selector::{labels, labels_read, node_terms, pod_affinity, preferred_node_terms, spread};
use super::volume::volumes;
use super::{each, strings};
use crate::bindings::types as wit;
use crate::bindings::v0_2::berth::scheduler::facts;

const NO_AFFINITY: wit::PodAffinity<'static> = wit::PodAffinity { required: &[], preferred: &[] };

const NO_IMAGES: wit::PodImages<'static> = wit::PodImages { containers: &[], volumes: &[] };

/// Returns the pod with these fields and with the facts that its resource claims imply. Other fields are empty.
pub(crate) fn pod<'a>(arena: &'a Bump, pod: &'a Pod, reads: &'a PodReads) -> facts::Pod<'a> {
    let (spec, facts) = (&*pod.spec, reads.facts);
    let given = Given(facts);
    let named = Given(facts | for_claims(pod, facts));
    facts::Pod {
        name: named.or(PodFacts::NAME, "", || &pod.key.name),
        namespace: given.or(PodFacts::NAMESPACE, "", || &pod.key.namespace),
        uid: named.or(PodFacts::UID, "", || &pod.key.uid),
        labels: labels_read(arena, &pod.labels, facts.contains(PodFacts::LABELS), &reads.label_keys),
        annotations: labels_read(
            arena,
            &pod.annotations,
            facts.contains(PodFacts::ANNOTATIONS),
            &reads.annotation_keys,
        ),
        owners: given.or(PodFacts::OWNERS, &[], || owners(arena, &pod.owners)),
        node_name: given.or(PodFacts::NODE_NAME, "", || &pod.node_name),
        scheduler_name: given.or(PodFacts::SCHEDULER_NAME, "", || &spec.scheduler_name),
        priority: given.or(PodFacts::PRIORITY, 0, || spec.priority),
        preemption: given.or(PodFacts::PRIORITY, wit::PreemptionPolicy::LowerPriority, || preemption(spec.preemption)),
        tolerations: given.or(PodFacts::TOLERATIONS, &[], || tolerations(arena, &spec.tolerations)),
        node_selector: given.or(PodFacts::NODE_AFFINITY, &[], || labels(arena, &spec.node_selector)),
        required_node_affinity: given.or(PodFacts::NODE_AFFINITY, None, || {
            spec.required_node_affinity.as_deref().map(|terms| node_terms(arena, terms))
        }),
        preferred_node_affinity: given
            .or(PodFacts::NODE_AFFINITY, &[], || preferred_node_terms(arena, &spec.preferred_node_affinity)),
        affinity: given.or(PodFacts::POD_AFFINITY, NO_AFFINITY, || pod_affinity(arena, &spec.affinity)),
        anti_affinity: given.or(PodFacts::POD_AFFINITY, NO_AFFINITY, || pod_affinity(arena, &spec.anti_affinity)),
        topology_spread: given.or(PodFacts::TOPOLOGY_SPREAD, &[], || spread(arena, &spec.topology_spread)),
        requests: given.or(PodFacts::REQUESTS, NO_REQUESTS, || requests(arena, &pod.requests)),
        limits: given.or(PodFacts::LIMITS, NOTHING, || resources(arena, &spec.limits)),
        qos: given.or(PodFacts::QOS, facts::QosClass::Guaranteed, || qos(spec.qos)),
        containers: named.or(PodFacts::CONTAINERS, &[], || containers(arena, &spec.containers)),
        images: given.or(PodFacts::IMAGES, NO_IMAGES, || images(arena, spec)),
        host_ports: given.or(PodFacts::HOST_PORTS, &[], || host_ports(arena, &spec.host_ports)),
        volumes: given.or(PodFacts::VOLUMES, &[], || volumes(arena, &spec.volumes)),
        scheduling_gates: given.or(PodFacts::SCHEDULING_GATES, &[], || strings(arena, &spec.scheduling_gates)),
        resource_claims: given.or(PodFacts::RESOURCE_CLAIMS, &[], || claims(arena, &spec.resource_claims)),
        host_network: given.or(PodFacts::HOST_NETWORK, false, || spec.host_network),
        nominated_node_name: given.or(PodFacts::NOMINATED_NODE, "", || &pod.nominated_node_name),
        deleting: given.or(PodFacts::DELETION, false, || pod.deleting),
        creation_time: given.or(PodFacts::CREATION_TIME, 0, || pod.created),
        start_time: given.or(PodFacts::START_TIME, 0, || pod.start_time),
        user_namespace: given.or(PodFacts::USER_NAMESPACE, false, || spec.user_namespace),
        restart_actions: given.or(PodFacts::RESTART_ACTIONS, &[], || strings(arena, &spec.restart_actions)),
        scheduling_group: given.or(PodFacts::SCHEDULING_GROUP, "", || &spec.scheduling_group),
        fields: if reads.fields.is_empty() { "" } else { arena.alloc_str(&reads.json(pod)) },
    }
}

/// Returns the facts that the fact `resource-claims` implies for this pod: the name and the uid, because the pod owns
/// its claims, and the containers, because their extended resources may become claims.
fn for_claims(pod: &Pod, facts: PodFacts) -> PodFacts {
    let mut more = PodFacts::empty();
    if facts.contains(PodFacts::RESOURCE_CLAIMS) {
        more.set(PodFacts::NAME | PodFacts::UID, pod.asks_for_devices());
        more.set(PodFacts::CONTAINERS, pod.asks_for_extended_resources());
    }
    more
}

/// The facts to include.
struct Given(PodFacts);

impl Given {
    fn or<T>(&self, fact: PodFacts, empty: T, full: impl FnOnce() -> T) -> T {
        if self.0.contains(fact) { full() } else { empty }
    }
}

fn qos(qos: QosClass) -> facts::QosClass {
    match qos {
        QosClass::Guaranteed => facts::QosClass::Guaranteed,
        QosClass::Burstable => facts::QosClass::Burstable,
        QosClass::BestEffort => facts::QosClass::BestEffort,
    }
}

fn preemption(preemption: Preemption) -> wit::PreemptionPolicy {
    match preemption {
        Preemption::LowerPriority => wit::PreemptionPolicy::LowerPriority,
        Preemption::Never => wit::PreemptionPolicy::Never,
    }
}

fn owners<'a>(arena: &'a Bump, owners: &'a [Owner]) -> &'a [wit::Owner<'a>] {
    each(arena, owners, |owner| wit::Owner {
        api_version: &owner.api_version,
        kind: &owner.kind,
        name: &owner.name,
        uid: &owner.uid,
        controller: owner.controller,
    })
}

fn tolerations<'a>(arena: &'a Bump, tolerations: &'a [Toleration]) -> &'a [wit::Toleration<'a>] {
    each(arena, tolerations, |toleration| wit::Toleration {
        key: &toleration.key,
        operator: match toleration.operator {
            TolerationOperator::Equal => wit::TolerationOperator::Equal,
            TolerationOperator::Exists => wit::TolerationOperator::Exists,
            TolerationOperator::Lt => wit::TolerationOperator::LessThan,
            TolerationOperator::Gt => wit::TolerationOperator::GreaterThan,
        },
        value: &toleration.value,
        effect: toleration.effect.map(effect),
    })
}

fn containers<'a>(arena: &'a Bump, containers: &'a [Container]) -> &'a [facts::Container<'a>] {
    each(arena, containers, |container| facts::Container {
        name: &container.name,
        kind: match container.kind {
            ContainerKind::Main => wit::ContainerKind::Main,
            ContainerKind::Init => wit::ContainerKind::Init,
            ContainerKind::RestartableInit => wit::ContainerKind::RestartableInit,
        },
        image: &container.image,
        requests: resources(arena, &container.requests),
        limits: resources(arena, &container.limits),
        host_ports: host_ports(arena, &container.host_ports),
    })
}

fn images<'a>(arena: &'a Bump, spec: &'a PodSpec) -> wit::PodImages<'a> {
    let (containers, volumes): (Vec<&str>, Vec<&str>) =
        (spec.container_images().collect(), spec.volume_images().collect());
    wit::PodImages { containers: arena.alloc_slice_copy(&containers), volumes: arena.alloc_slice_copy(&volumes) }
}

fn claims<'a>(arena: &'a Bump, claims: &'a [PodResourceClaim]) -> &'a [wit::PodResourceClaim<'a>] {
    each(arena, claims, |claim| wit::PodResourceClaim {
        name: &claim.name,
        claim: &claim.claim,
        template: &claim.template,
    })
}
