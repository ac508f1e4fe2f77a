//! Pods for tests.

use super::quantity;
use crate::types::{
    ClaimSource, Container, ContainerKind, EphemeralSource, HostPort, Label, NodeSelectorTerm, Owner, Pod,
    PodAffinityTerm, PodImages, PodRequests, PodResourceClaim, PreemptionPolicy, PreferredNodeTerm, Protocol, QosClass,
    Requirement, Resources, Scalar, SelectorOperator, SpreadConstraint, TaintEffect, Toleration, TolerationOperator,
    Volume, VolumeSource,
};

/// The millicores that kube-scheduler counts for a container without a cpu request.
const DEFAULT_MILLI_CPU: i64 = 100;
/// The bytes that kube-scheduler counts for a container without a memory request.
const DEFAULT_MEMORY: i64 = 200 << 20;

/// Makes a pod with the requests of one container that requests nothing. The list of containers is empty.
///
/// ```
/// use berth_guest::testing::pod;
///
/// let pod = pod().name("web-0").label("app", "web").cpu("500m").memory("1Gi");
/// ```
pub fn pod() -> PodBuilder {
    PodBuilder(Pod {
        name: "pod".into(),
        namespace: "default".into(),
        uid: String::new(),
        labels: Vec::new(),
        annotations: Vec::new(),
        owners: Vec::new(),
        node_name: String::new(),
        scheduler_name: String::new(),
        priority: 0,
        preemption: PreemptionPolicy::LowerPriority,
        tolerations: Vec::new(),
        node_selector: Vec::new(),
        required_node_affinity: None,
        preferred_node_affinity: Vec::new(),
        affinity: Default::default(),
        anti_affinity: Default::default(),
        topology_spread: Vec::new(),
        requests: PodRequests {
            fit: Resources::default(),
            effective: Resources::default(),
            non_zero_milli_cpu: DEFAULT_MILLI_CPU,
            non_zero_memory: DEFAULT_MEMORY,
        },
        limits: Resources::default(),
        qos: QosClass::BestEffort,
        containers: Vec::new(),
        images: PodImages { containers: Vec::new(), volumes: Vec::new() },
        host_ports: Vec::new(),
        volumes: Vec::new(),
        scheduling_gates: Vec::new(),
        resource_claims: Vec::new(),
        host_network: false,
        nominated_node_name: String::new(),
        deleting: false,
        creation_time: 0,
        start_time: 0,
        user_namespace: false,
        restart_actions: Vec::new(),
        scheduling_group: String::new(),
        fields: String::new(),
    })
}

/// Makes a term of a node affinity. A node matches the term if it meets all of `expressions`.
///
/// ```
/// use berth_guest::testing::{expression, pod, term};
/// use berth_guest::types::SelectorOperator;
///
/// let pod = pod().require(term([expression("zone", SelectorOperator::In, ["a", "b"])]));
/// ```
pub fn term(expressions: impl IntoIterator<Item = Requirement>) -> NodeSelectorTerm {
    NodeSelectorTerm { expressions: expressions.into_iter().collect(), fields: Vec::new() }
}

/// Makes a requirement on a label of a node or of a pod: an entry of `matchExpressions`.
pub fn expression<'a>(key: &str, operator: SelectorOperator, values: impl IntoIterator<Item = &'a str>) -> Requirement {
    Requirement { key: key.into(), operator, values: values.into_iter().map(Into::into).collect() }
}

/// Builds a pod. To set a field for which the builder has no function, change the [`Pod`] in field 0.
#[derive(Clone, Debug)]
pub struct PodBuilder(pub Pod);

impl PodBuilder {
    /// Sets `metadata.name`.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.0.name = name.into();
        self
    }

    /// Sets `metadata.uid`.
    #[must_use]
    pub fn uid(mut self, uid: &str) -> Self {
        self.0.uid = uid.into();
        self
    }

    /// Sets `metadata.namespace`. The default is `default`.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.0.namespace = namespace.into();
        self
    }

    /// Adds a label (`metadata.labels`).
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.0.labels.push(Label { key: key.into(), value: value.into() });
        self
    }

    /// Adds an annotation (`metadata.annotations`).
    #[must_use]
    pub fn annotation(mut self, key: &str, value: &str) -> Self {
        self.0.annotations.push(Label { key: key.into(), value: value.into() });
        self
    }

    /// Sets `spec.nodeName`.
    #[must_use]
    pub fn node_name(mut self, name: &str) -> Self {
        self.0.node_name = name.into();
        self
    }

    /// Sets `spec.priority`.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.0.priority = priority;
        self
    }

    /// Sets `resources.requests` of cpu, such as `500m`.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn cpu(self, quantity: &str) -> Self {
        self.request("cpu", quantity)
    }

    /// Sets `resources.requests` of memory, such as `1Gi`.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn memory(self, quantity: &str) -> Self {
        self.request("memory", quantity)
    }

    /// Sets the pod's request of any resource, as if the pod had one container with `resources.requests`.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn request(mut self, resource: &str, quantity: &str) -> Self {
        let requests = &mut self.0.requests;
        quantity::set(&mut requests.fit, resource, quantity);
        quantity::set(&mut requests.effective, resource, quantity);
        match resource {
            "cpu" => requests.non_zero_milli_cpu = requests.fit.milli_cpu,
            "memory" => requests.non_zero_memory = requests.fit.memory,
            _ => (),
        }
        self
    }

    /// Sets the pod's limit of any resource, as if the pod had one container with `resources.limits`. The function does
    /// not change the quality of service class, which [`qos`](Self::qos) sets.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn limit(mut self, resource: &str, quantity: &str) -> Self {
        quantity::set(&mut self.0.limits, resource, quantity);
        self
    }

    /// Sets the quality of service class. The default is `BestEffort`.
    #[must_use]
    pub fn qos(mut self, class: QosClass) -> Self {
        self.0.qos = class;
        self
    }

    /// Sets `metadata.creationTimestamp`, in seconds since 1970.
    #[must_use]
    pub fn created(mut self, seconds: i64) -> Self {
        self.0.creation_time = seconds;
        self
    }

    /// Sets `spec.schedulingGroup.podGroupName`.
    #[must_use]
    pub fn scheduling_group(mut self, name: &str) -> Self {
        self.0.scheduling_group = name.into();
        self
    }

    /// Sets the pod's fields for types that [`pod_field!`](crate::pod_field!) defines, as JSON in the structure of the
    /// pod: `{"spec": {"activeDeadlineSeconds": 60}}`.
    #[must_use]
    pub fn fields(mut self, json: &str) -> Self {
        self.0.fields = json.into();
        self
    }

    /// Adds a toleration with operator `Equal`. If `effect` is `None`, the toleration tolerates every effect.
    #[must_use]
    pub fn tolerate(self, key: &str, value: &str, effect: Option<TaintEffect>) -> Self {
        self.toleration(key, TolerationOperator::Equal, value, effect)
    }

    /// Adds a toleration of every taint.
    #[must_use]
    pub fn tolerate_everything(self) -> Self {
        self.toleration("", TolerationOperator::Exists, "", None)
    }

    /// Adds a toleration (`spec.tolerations`). If `effect` is `None`, the toleration tolerates every effect.
    #[must_use]
    pub fn toleration(
        mut self,
        key: &str,
        operator: TolerationOperator,
        value: &str,
        effect: Option<TaintEffect>,
    ) -> Self {
        self.0.tolerations.push(Toleration { key: key.into(), operator, value: value.into(), effect });
        self
    }

    /// Adds an entry of `spec.nodeSelector`.
    #[must_use]
    pub fn node_selector(mut self, key: &str, value: &str) -> Self {
        self.0.node_selector.push(Label { key: key.into(), value: value.into() });
        self
    }

    /// Adds a term of the required node affinity. A node has to match at least one of the terms.
    #[must_use]
    pub fn require(mut self, term: NodeSelectorTerm) -> Self {
        self.0.required_node_affinity.get_or_insert_default().push(term);
        self
    }

    /// Adds a term of the preferred node affinity. Kubernetes accepts weights from 1 to 100.
    #[must_use]
    pub fn prefer(mut self, weight: i32, term: NodeSelectorTerm) -> Self {
        self.0.preferred_node_affinity.push(PreferredNodeTerm { weight, term });
        self
    }

    /// Adds a container with its requests of extended resources, in whole units. The function does not change the
    /// requests of the whole pod, which [`request`](Self::request) sets.
    #[must_use]
    pub fn container(mut self, name: &str, kind: ContainerKind, requests: &[(&str, i64)]) -> Self {
        let scalar = |&(name, quantity): &(&str, i64)| Scalar { name: name.into(), quantity };
        self.0.containers.push(Container {
            name: name.into(),
            kind,
            image: String::new(),
            requests: Resources { scalars: requests.iter().map(scalar).collect(), ..Resources::default() },
            limits: Resources::default(),
            host_ports: Vec::new(),
        });
        self
    }

    /// Adds the image of a container to the pod's images. The function does not add a container.
    #[must_use]
    pub fn image(mut self, image: &str) -> Self {
        self.0.images.containers.push(image.into());
        self
    }

    /// Adds the image of a volume of type `image` to the pod's images.
    #[must_use]
    pub fn image_volume(mut self, reference: &str) -> Self {
        self.0.images.volumes.push(reference.into());
        self
    }

    /// Adds a volume (`spec.volumes`).
    #[must_use]
    pub fn volume(mut self, name: &str, source: VolumeSource) -> Self {
        self.0.volumes.push(Volume { name: name.into(), source });
        self
    }

    /// Adds a volume of the PersistentVolumeClaim `claim`. The volume's name is the claim's name.
    #[must_use]
    pub fn claim(self, claim: &str) -> Self {
        let source = ClaimSource { claim: claim.into(), read_only: false };
        self.volume(claim, VolumeSource::PersistentVolumeClaim(source))
    }

    /// Adds an ephemeral volume. The name of its claim is the pod's name, `-` and `name`, and the pod's uid owns the
    /// claim. Set the pod's name and uid before.
    #[must_use]
    pub fn ephemeral(self, name: &str) -> Self {
        let source = EphemeralSource { claim: format!("{}-{name}", self.0.name), pod_uid: self.0.uid.clone() };
        self.volume(name, VolumeSource::Ephemeral(source))
    }

    /// Adds a scheduling gate (`spec.schedulingGates[].name`).
    #[must_use]
    pub fn scheduling_gate(mut self, name: &str) -> Self {
        self.0.scheduling_gates.push(name.into());
        self
    }

    /// Adds a resource claim (`spec.resourceClaims`). `template` is the name of a ResourceClaimTemplate; empty if the
    /// pod names a ResourceClaim itself. `claim` is the ResourceClaim's name; empty if the ResourceClaim is not created
    /// from the ResourceClaimTemplate yet.
    pub fn resource_claim(mut self, name: &str, claim: &str, template: &str) -> Self {
        let [name, claim, template] = [name, claim, template].map(str::to_owned);
        self.0.resource_claims.push(PodResourceClaim { name, claim, template });
        self
    }

    /// Adds a host port on every address.
    #[must_use]
    pub fn host_port(self, protocol: Protocol, port: u16) -> Self {
        self.host_port_at("0.0.0.0", protocol, port)
    }

    /// Adds a host port on one address.
    #[must_use]
    pub fn host_port_at(mut self, ip: &str, protocol: Protocol, port: u16) -> Self {
        self.0.host_ports.push(HostPort { ip: ip.into(), protocol, port });
        self
    }

    /// Adds the controller that owns the pod to `metadata.ownerReferences`.
    #[must_use]
    pub fn controlled_by(mut self, api_version: &str, kind: &str, name: &str) -> Self {
        self.0.owners.push(Owner {
            api_version: api_version.into(),
            kind: kind.into(),
            name: name.into(),
            uid: format!("{name}-uid"),
            controller: true,
        });
        self
    }

    /// Marks the pod as being deleted (`metadata.deletionTimestamp` is set).
    #[must_use]
    pub fn deleting(mut self) -> Self {
        self.0.deleting = true;
        self
    }

    /// Adds a topology spread constraint (`spec.topologySpreadConstraints`).
    #[must_use]
    pub fn spread(mut self, constraint: SpreadConstraint) -> Self {
        self.0.topology_spread.push(constraint);
        self
    }

    /// Adds a required term of `spec.affinity.podAffinity`. Set the pod's namespace before.
    #[must_use]
    pub fn affinity(mut self, term: PodAffinityTerm) -> Self {
        self.0.affinity.required.push(self.owned(term));
        self
    }

    /// Adds a preferred term of `spec.affinity.podAffinity`. Set the pod's namespace before.
    #[must_use]
    pub fn preferred_affinity(mut self, weight: i32, term: PodAffinityTerm) -> Self {
        self.0.affinity.preferred.push(PodAffinityTerm { weight, ..self.owned(term) });
        self
    }

    /// Adds a required term of `spec.affinity.podAntiAffinity`. Set the pod's namespace before.
    #[must_use]
    pub fn anti_affinity(mut self, term: PodAffinityTerm) -> Self {
        self.0.anti_affinity.required.push(self.owned(term));
        self
    }

    /// Adds a preferred term of `spec.affinity.podAntiAffinity`. Set the pod's namespace before.
    #[must_use]
    pub fn preferred_anti_affinity(mut self, weight: i32, term: PodAffinityTerm) -> Self {
        self.0.anti_affinity.preferred.push(PodAffinityTerm { weight, ..self.owned(term) });
        self
    }

    /// Adds the pod's own namespace to a term that has neither namespaces nor a namespace selector, as Berth does.
    fn owned(&self, mut term: PodAffinityTerm) -> PodAffinityTerm {
        if term.namespaces.is_empty() && term.namespace_selector.is_none() {
            term.namespaces.push(self.0.namespace.clone());
        }
        term
    }
}
