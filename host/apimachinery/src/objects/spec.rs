//! Reads `pod.spec`. The pods of one controller usually have equal specs, of which `PodParts` keeps one copy.

use std::collections::BTreeSet;

use berth_core::model::{
    Container, ContainerKind, ContainerResources, Labels, PodAffinity, PodResourceClaim, PodSpec, Preemption, QosClass,
    Resources, Toleration, TolerationOperator, Volume,
};

use super::affinity::{AffinityData, SpreadData};
use super::container::{ContainerData, ContainerStatusData, RequirementsData, ResourceQuantities, convert};
use super::json::{Entries, partial};
use super::node::effect;
use super::notes::Notes;
use super::volume::VolumeData;

partial! {
    /// `v1.PodSpec`.
    PodSpecData {
        node_name: Box<str>,
        scheduler_name: Box<str>,
        priority: i32,
        preemption_policy: Box<str>,
        tolerations: Vec<TolerationData>,
        node_selector: Entries<Box<str>>,
        affinity: AffinityData,
        topology_spread_constraints: Vec<SpreadData>,
        init_containers: Vec<ContainerData>,
        containers: Vec<ContainerData>,
        resources: Option<RequirementsData>,
        overhead: ResourceQuantities,
        volumes: Vec<VolumeData>,
        scheduling_gates: Vec<GateData>,
        resource_claims: Vec<ClaimData>,
        host_network: bool,
        host_users: Option<bool>,
        scheduling_group: SchedulingGroupData,
    }

    /// `v1.PodSchedulingGroup`.
    SchedulingGroupData {
        pod_group_name: Box<str>,
    }

    TolerationData {
        key: Box<str>,
        operator: Box<str>,
        value: Box<str>,
        effect: Box<str>,
    }

    GateData {
        name: Box<str>,
    }

    /// `v1.PodResourceClaim`.
    ClaimData {
        name: Box<str>,
        resource_claim_name: Box<str>,
        resource_claim_template_name: Box<str>,
    }

    /// `v1.PodResourceClaimStatus`.
    ClaimStatusData {
        name: Box<str>,
        resource_claim_name: Box<str>,
    }
}

/// The `schedulerName` that the API server sets by default.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The data from the rest of the pod that the conversion of the spec needs.
pub(super) struct Surroundings<'a> {
    pub(super) name: &'a str,
    pub(super) namespace: &'a str,
    pub(super) uid: &'a str,
    /// The statuses of containers and init containers.
    pub(super) container_statuses: Vec<ContainerStatusData>,
    pub(super) claim_statuses: Vec<ClaimStatusData>,
}

/// A spec in two forms: the form that plugins read, and the containers for the pod's total requests.
pub(super) struct ConvertedSpec {
    pub(super) model: PodSpec,
    pub(super) init_containers: Vec<ContainerResources>,
    pub(super) containers: Vec<ContainerResources>,
}

impl PodSpecData {
    pub(super) fn into_model(mut self, pod: Surroundings<'_>, notes: &mut Notes) -> ConvertedSpec {
        let Surroundings { name, namespace, uid, mut container_statuses, claim_statuses } = pod;
        let restart_actions = self.restart_actions();
        let (mut containers, init_requests): (Vec<_>, Vec<_>) = std::mem::take(&mut self.init_containers)
            .into_iter()
            .map(|container| convert(container, true, &mut container_statuses, notes))
            .unzip();
        let (main, requests): (Vec<_>, Vec<_>) = std::mem::take(&mut self.containers)
            .into_iter()
            .map(|container| convert(container, false, &mut container_statuses, notes))
            .unzip();
        containers.extend(main);
        let volumes = std::mem::take(&mut self.volumes).into_iter();
        let volumes = volumes.map(|volume| volume.into_model(name, uid)).collect();
        let model = self.model(namespace, containers, volumes, &claim_statuses, notes);
        let model = PodSpec { restart_actions, ..model };
        ConvertedSpec { model, init_containers: init_requests, containers: requests }
    }

    fn model(
        self,
        namespace: &str,
        containers: Vec<Container>,
        volumes: Vec<Volume>,
        claims: &[ClaimStatusData],
        notes: &mut Notes,
    ) -> PodSpec {
        let node_affinity = self.affinity.node_affinity;
        let mut affinity =
            |data: super::affinity::PodAffinityData| -> PodAffinity { data.into_model(namespace, notes) };
        let (with, without) = (affinity(self.affinity.pod_affinity), affinity(self.affinity.pod_anti_affinity));
        PodSpec {
            scheduler_name: or(self.scheduler_name, DEFAULT_SCHEDULER),
            priority: self.priority,
            preemption: match self.preemption_policy.as_ref() {
                "Never" => Preemption::Never,
                _ => Preemption::LowerPriority,
            },
            tolerations: self.tolerations.into_iter().filter_map(|t| t.into_model(notes)).collect(),
            node_selector: Labels::from_iter(self.node_selector.0),
            required_node_affinity: node_affinity.required.map(|required| required.into_model(notes)),
            preferred_node_affinity: node_affinity.preferred.into_iter().map(|p| p.into_model(notes)).collect(),
            affinity: with,
            anti_affinity: without,
            topology_spread: self.topology_spread_constraints.into_iter().map(|s| s.into_model(notes)).collect(),
            host_ports: containers
                .iter()
                .filter(|container| container.kind != ContainerKind::Init)
                .flat_map(|container| container.host_ports.iter().cloned())
                .collect(),
            containers,
            volumes,
            scheduling_gates: self.scheduling_gates.into_iter().map(|gate| gate.name).collect(),
            resource_claims: self.resource_claims.into_iter().map(|claim| claim.into_model(claims)).collect(),
            host_network: self.host_network,
            user_namespace: self.host_users == Some(false),
            restart_actions: Vec::new(),
            scheduling_group: self.scheduling_group.pod_group_name,
            // The conversion of the pod computes these two, because they depend on pod-level resources.
            limits: Resources::default(),
            qos: QosClass::default(),
        }
    }

    fn restart_actions(&self) -> Vec<Box<str>> {
        let containers = self.init_containers.iter().chain(&self.containers);
        let actions = containers.flat_map(|container| &container.restart_policy_rules).map(|rule| rule.action.clone());
        BTreeSet::from_iter(actions).into_iter().collect()
    }
}

fn or(text: Box<str>, default: &str) -> Box<str> {
    if text.is_empty() { default.into() } else { text }
}

impl TolerationData {
    /// Converts a toleration. A toleration with an unknown operator or effect tolerates nothing, as in kube-scheduler.
    fn into_model(self, notes: &mut Notes) -> Option<Toleration> {
        let operator = match self.operator.as_ref() {
            "" | "Equal" => TolerationOperator::Equal,
            "Exists" => TolerationOperator::Exists,
            "Lt" => TolerationOperator::Lt,
            "Gt" => TolerationOperator::Gt,
            unknown => {
                notes.add("spec.tolerations[].operator", format_args!("{unknown:?} is unknown; it tolerates nothing"));
                return None;
            }
        };
        let effect = match self.effect.as_ref() {
            "" => None,
            text => match effect(text) {
                Some(effect) => Some(effect),
                None => {
                    notes.add("spec.tolerations[].effect", format_args!("{text:?} is unknown; it tolerates nothing"));
                    return None;
                }
            },
        };
        Some(Toleration { key: self.key, operator, value: self.value, effect })
    }
}

impl ClaimData {
    fn into_model(self, statuses: &[ClaimStatusData]) -> PodResourceClaim {
        let made = || statuses.iter().find(|status| status.name == self.name);
        let claim = match self.resource_claim_name {
            name if name.is_empty() => made().map(|status| status.resource_claim_name.clone()).unwrap_or_default(),
            name => name,
        };
        PodResourceClaim { name: self.name, claim, template: self.resource_claim_template_name }
    }
}
