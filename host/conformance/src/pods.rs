//! Generates pods.

use std::sync::Arc;

use berth_core::facts::PodFacts;
use berth_core::model::{
    Container, ContainerKind, Disk, LabelSelector, NodeSelectorTerm, Operator, Owner, Pod, PodAffinity,
    PodAffinityTerm, PodRequests, PodResourceClaim, Preemption, PreferredNodeTerm, QosClass, Requirement,
    SpreadConstraint, Toleration, TolerationOperator, Volume, VolumeSource,
};

use super::maker::Maker;

/// The facts that don't change while a pod is on its node: the pod's identity, and the node.
const FIXED: PodFacts = PodFacts::NAME.union(PodFacts::NAMESPACE).union(PodFacts::UID).union(PodFacts::NODE_NAME);

/// The facts that may change while a pod is on its node.
pub(super) const CHANGEABLE: PodFacts = PodFacts::all().difference(FIXED);

impl Maker {
    /// Returns a pod without a node.
    pub fn pod(&mut self) -> Pod {
        let mut pod = Pod::default();
        self.change_pod(&mut pod, PodFacts::all().difference(PodFacts::NODE_NAME));
        pod
    }

    /// Generates these facts again. They may stay the same.
    pub fn change_pod(&mut self, pod: &mut Pod, facts: PodFacts) {
        for fact in facts.iter() {
            self.change_metadata(pod, fact);
            self.change_scheduling_facts(pod, fact);
            self.change_contents(pod, fact);
        }
    }

    fn change_metadata(&mut self, pod: &mut Pod, fact: PodFacts) {
        match fact {
            PodFacts::NAME => pod.key.name = format!("pod-{}", self.rng.u32(..10_000)).into(),
            PodFacts::NAMESPACE => pod.key.namespace = self.one(&["default", "kube-system", "team"]).into(),
            PodFacts::UID => pod.key.uid = format!("{:016x}", self.rng.u64(..)).into(),
            PodFacts::LABELS => pod.labels = self.labels(40).into(),
            PodFacts::ANNOTATIONS => pod.annotations = self.labels(15),
            PodFacts::OWNERS => pod.owners = self.some(1, Self::owner).into(),
            PodFacts::NODE_NAME => pod.node_name = self.node_name(),
            PodFacts::NOMINATED_NODE => {
                pod.nominated_node_name = if self.chance(20) { self.node_name() } else { "".into() };
            }
            PodFacts::DELETION => pod.deleting = self.chance(10),
            PodFacts::CREATION_TIME => pod.created = self.rng.i64(0..1_000_000),
            PodFacts::FIELDS => pod.fields = self.named_fields(&self.words.pod_fields.clone()),
            PodFacts::START_TIME => pod.start_time = self.rng.i64(0..1_000_000),
            _ => {}
        }
    }

    /// Changes the facts about scheduling: priority, tolerations, affinity, topology spread, scheduling gates.
    fn change_scheduling_facts(&mut self, pod: &mut Pod, fact: PodFacts) {
        let spec = Arc::make_mut(&mut pod.spec);
        match fact {
            PodFacts::SCHEDULER_NAME => spec.scheduler_name = self.one(&["default-scheduler", "other"]).into(),
            PodFacts::PRIORITY => {
                spec.priority = self.rng.i32(-2..=5) * 100;
                spec.preemption = self.one(&[Preemption::LowerPriority, Preemption::Never]);
            }
            PodFacts::TOLERATIONS => spec.tolerations = self.some(3, Self::toleration),
            PodFacts::NODE_AFFINITY => {
                spec.node_selector = if self.chance(30) { self.labels(15) } else { Default::default() };
                spec.required_node_affinity = self.chance(40).then(|| self.some(2, Self::node_term));
                spec.preferred_node_affinity =
                    self.some(2, |maker| PreferredNodeTerm { weight: maker.rng.i32(1..=100), term: maker.node_term() });
            }
            PodFacts::POD_AFFINITY => {
                spec.affinity = self.pod_affinity();
                spec.anti_affinity = self.pod_affinity();
            }
            PodFacts::TOPOLOGY_SPREAD => spec.topology_spread = self.some(2, Self::spread),
            PodFacts::SCHEDULING_GATES => spec.scheduling_gates = self.some(1, |maker| maker.key()),
            _ => {}
        }
    }

    /// Changes the facts about the pod's contents: containers, resources, ports, volumes, claims.
    fn change_contents(&mut self, pod: &mut Pod, fact: PodFacts) {
        let spec = Arc::make_mut(&mut pod.spec);
        match fact {
            PodFacts::REQUESTS => pod.requests = self.requests().into(),
            PodFacts::CONTAINERS => spec.containers = self.some(3, Self::container),
            PodFacts::IMAGES => {
                for container in &mut spec.containers {
                    container.image = self.written_image();
                }
            }
            PodFacts::HOST_PORTS => {
                spec.host_ports = if self.chance(40) { self.some(2, Self::host_port) } else { Vec::new() }
            }
            PodFacts::VOLUMES => spec.volumes = self.some(3, Self::volume),
            PodFacts::RESOURCE_CLAIMS => spec.resource_claims = self.some(1, Self::claim),
            PodFacts::LIMITS => spec.limits = self.resources(2_000, 2_048),
            PodFacts::QOS => spec.qos = self.one(&[QosClass::Guaranteed, QosClass::Burstable, QosClass::BestEffort]),
            PodFacts::SCHEDULING_GROUP => spec.scheduling_group = if self.chance(30) { self.key() } else { "".into() },
            PodFacts::HOST_NETWORK => spec.host_network = self.chance(30),
            PodFacts::USER_NAMESPACE => spec.user_namespace = self.chance(30),
            PodFacts::RESTART_ACTIONS => {
                spec.restart_actions = self.some(1, |maker| maker.one(&["Restart", "RestartAllContainers"]).into());
            }
            _ => {}
        }
    }

    fn node_name(&mut self) -> Box<str> {
        format!("node-{}", self.rng.u32(..40)).into()
    }

    fn owner(&mut self) -> Owner {
        let number = self.rng.u32(..5);
        Owner {
            api_version: "apps/v1".into(),
            kind: self.one(&["ReplicaSet", "StatefulSet"]).into(),
            name: format!("owner-{number}").into(),
            uid: format!("owner-uid-{number}").into(),
            controller: self.chance(80),
        }
    }

    fn toleration(&mut self) -> Toleration {
        let effect = self.chance(60).then(|| self.effect());
        match self.rng.u32(..4) {
            0 => Toleration { key: "".into(), operator: TolerationOperator::Exists, value: "".into(), effect },
            1 => Toleration { key: self.key(), operator: TolerationOperator::Exists, value: "".into(), effect },
            _ => Toleration { key: self.key(), operator: TolerationOperator::Equal, value: self.value(), effect },
        }
    }

    fn requirement(&mut self) -> Requirement {
        let operators =
            [Operator::In, Operator::NotIn, Operator::Exists, Operator::DoesNotExist, Operator::Gt, Operator::Lt];
        let operator = self.one(&operators);
        let values = match operator {
            Operator::In | Operator::NotIn => vec![self.value(), self.value()],
            Operator::Exists | Operator::DoesNotExist => Vec::new(),
            Operator::Gt | Operator::Lt => vec![self.rng.u32(..10).to_string().into()],
        };
        Requirement { key: self.key(), operator, values }
    }

    fn node_term(&mut self) -> NodeSelectorTerm {
        let field = |maker: &mut Self| Requirement {
            key: "metadata.name".into(),
            operator: maker.one(&[Operator::In, Operator::NotIn]),
            values: vec![maker.node_name()],
        };
        let fields = if self.chance(30) { vec![field(self)] } else { Vec::new() };
        NodeSelectorTerm { expressions: self.some(2, Self::requirement), fields }
    }

    /// A label selector supports fewer operators than a node selector.
    fn selector(&mut self) -> Option<LabelSelector> {
        let requirement = |maker: &mut Self| Requirement {
            key: maker.key(),
            operator: maker.one(&[Operator::In, Operator::NotIn]),
            values: vec![maker.value()],
        };
        self.chance(80).then(|| LabelSelector { requirements: self.some(2, requirement) })
    }

    fn pod_affinity(&mut self) -> PodAffinity {
        let mut terms = |weight: fn(&mut Self) -> i32| {
            self.some(1, |maker| PodAffinityTerm {
                selector: maker.selector(),
                namespaces: vec!["default".into()],
                namespace_selector: None,
                topology_key: maker.key(),
                weight: weight(maker),
            })
        };
        PodAffinity { required: terms(|_| 0), preferred: terms(|maker| maker.rng.i32(1..=100)) }
    }

    fn spread(&mut self) -> SpreadConstraint {
        SpreadConstraint {
            max_skew: self.rng.i32(1..=3),
            topology_key: self.key(),
            required: self.chance(50),
            selector: self.selector(),
            min_domains: self.rng.i32(1..=3),
            honor_affinity: self.chance(80),
            honor_taints: self.chance(20),
            match_label_keys: Vec::new(),
        }
    }

    /// Returns requests. Sometimes a resize is in progress, so that the effective requests differ from those in the
    /// spec.
    fn requests(&mut self) -> PodRequests {
        let fit = self.resources(2_000, 2_048);
        let effective = if self.chance(85) { fit.clone() } else { self.resources(2_000, 2_048) };
        let mut named: Vec<Box<str>> = vec!["cpu".into(), "memory".into(), "ephemeral-storage".into()];
        named.extend(fit.scalars.iter().map(|(name, _)| Box::from(&**name)));
        let or_100 = |milli_cpu: i64| if milli_cpu == 0 { 100 } else { milli_cpu };
        let or_200_mib = |memory: i64| if memory == 0 { 200 << 20 } else { memory };
        PodRequests {
            non_zero_milli_cpu: or_100(effective.milli_cpu),
            non_zero_memory: or_200_mib(effective.memory),
            scored_milli_cpu: or_100(fit.milli_cpu),
            scored_memory: or_200_mib(fit.memory),
            effective,
            fit,
            named,
        }
    }

    fn container(&mut self) -> Container {
        Container {
            name: self.key(),
            kind: self.one(&[
                ContainerKind::Main,
                ContainerKind::Main,
                ContainerKind::Init,
                ContainerKind::RestartableInit,
            ]),
            image: self.written_image(),
            requests: self.resources(500, 512),
            limits: self.resources(500, 512),
            host_ports: self.some(1, Self::host_port),
        }
    }

    fn volume(&mut self) -> Volume {
        let disk = |maker: &mut Self| Disk { id: maker.value(), read_only: maker.chance(50), ..Disk::default() };
        let source = match self.rng.u32(..7) {
            0 => VolumeSource::PersistentVolumeClaim(self.value(), self.chance(30)),
            1 => VolumeSource::GcePersistentDisk(disk(self)),
            2 => VolumeSource::Cinder(disk(self)),
            3 => VolumeSource::Csi(self.key()),
            4 => VolumeSource::Image(self.written_image()),
            5 => VolumeSource::Ephemeral(self.value(), self.value()),
            _ => VolumeSource::Other,
        };
        Volume { name: if source == VolumeSource::Other { "".into() } else { self.key() }, source }
    }

    fn claim(&mut self) -> PodResourceClaim {
        PodResourceClaim { name: self.key(), claim: self.value(), template: "".into() }
    }
}

#[cfg(test)]
mod tests {
    use berth_core::pod_signature::PodSignatures;

    use super::super::words::Words;
    use super::*;

    #[test]
    fn every_fact_can_be_changed_by_itself() {
        let mut maker = Maker::new(Words::of("{}", &[]), 1);
        let mut pod = Arc::new(maker.pod());
        Arc::make_mut(&mut Arc::make_mut(&mut pod).spec).containers = vec![maker.container()];
        for fact in PodFacts::all().iter() {
            let mut signatures = PodSignatures::default();
            let before = signatures.of(&fact.into(), &pod, 0);
            let changes = (0..50).any(|_| {
                let mut other = Arc::clone(&pod);
                maker.change_pod(Arc::make_mut(&mut other), fact);
                signatures.of(&fact.into(), &other, 0) != before
            });
            assert!(changes, "{fact:?} never changes");
        }
    }
}
