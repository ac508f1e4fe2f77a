//! Facts of the pod that is being scheduled. A function that takes `&pod::Tolerations` reads the pod's tolerations and
//! no other fact. Pods that are equal in all facts that a plugin reads share a pod signature: the host asks the plugin
//! once for all of these pods.
//!
//! ```
//! use berth_guest::prelude::*;
//!
//! fn filter(pod: &pod::Labels, node: &node::Labels) -> Result<(), &'static str> {
//!     match pod.get("team") {
//!         Some(team) if node.get("team") != Some(team) => Err("node(s) belong to another team"),
//!         _ => Ok(()),
//!     }
//! }
//! # let _ = filter;
//! ```

use serde::de::DeserializeOwned;

use crate::fact::{list_fact, text_fact, value_fact};
use crate::labels::{self, LabelMap};
use crate::named::{Cache, Field, Text};
use crate::node::ResidentFacts;
use crate::param::{Param, PodParam, Scene, SignatureParam, SignatureScene};
use crate::plugin::Plugin;
use crate::reads::{FilledPod, PodReads, Reads};
use crate::resources::Resource;
pub use crate::types::PodIdentity as Identity;
use crate::types::{self, PodFacts, QosClass, Resources, Taint};

/// The id of a pod on a node, valid while the pod is on the node. Ids are small numbers without large gaps, so an
/// [index](crate::index) may keep facts of pods in arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

impl Id {
    /// Returns the id as an array index.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

text_fact! {
    /// `metadata.name`. Each pod has a pod signature of its own for a plugin that reads this fact, so the plugin is
    /// asked about every pod.
    Name,
    /// `metadata.namespace`.
    Namespace,
    /// `metadata.uid`. Each pod has a pod signature of its own for a plugin that reads this fact, so the plugin is
    /// asked about every pod.
    Uid,
    /// `spec.nodeName`; empty for a pending pod.
    NodeName,
    /// `spec.schedulerName`.
    SchedulerName,
    /// `status.nominatedNodeName`; empty if absent.
    NominatedNode,
    /// `spec.schedulingGroup.podGroupName`: the name of a PodGroup in the pod's namespace; empty if the pod belongs to
    /// no group.
    SchedulingGroup,
}

value_fact! {
    /// `spec.hostNetwork`.
    HostNetwork(bool),
    /// True if `metadata.deletionTimestamp` is set.
    Deleting(bool),
    /// The quality of service class, computed from requests and limits as the API server does it.
    Qos(QosClass),
    /// `metadata.creationTimestamp`, in seconds since 1970; 0 if absent.
    CreationTime(i64),
    /// `status.startTime`, in seconds since 1970; 0 if absent.
    StartTime(i64),
    /// True if `spec.hostUsers` is false: the pod runs in a user namespace of its own.
    UserNamespace(bool),
}

list_fact! {
    /// `metadata.ownerReferences`.
    Owners(types::Owner),
    /// `spec.tolerations`.
    Tolerations(types::Toleration),
    /// `spec.topologySpreadConstraints`.
    TopologySpread(types::SpreadConstraint),
    /// All containers: init containers first, then containers, each in the spec's order.
    Containers(types::Container),
    /// The host ports of containers and restartable init containers.
    HostPorts(types::HostPort),
    /// `spec.volumes`.
    Volumes(types::Volume),
    /// `spec.schedulingGates[].name`.
    SchedulingGates(String),
    /// `restartPolicyRules[].action` of all init containers and containers, without duplicates, sorted.
    RestartActions(String),
}

labels::fact! {
    /// `metadata.labels`.
    Labels,
    /// `metadata.annotations`, without `kubectl.kubernetes.io/last-applied-configuration`.
    Annotations,
}

impl Tolerations {
    /// Returns true if any toleration tolerates the taint.
    pub fn tolerate(&self, taint: &Taint) -> bool {
        self.iter().any(|toleration| toleration.tolerates(taint))
    }
}

/// `spec.priority` and `spec.preemptionPolicy`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Priority {
    /// `spec.priority`. Higher is more important; 0 if absent.
    pub value: i32,
    /// `spec.preemptionPolicy`: whether the pod may preempt other pods. `LowerPriority` if absent.
    pub preemption: types::PreemptionPolicy,
}

impl Default for types::PreemptionPolicy {
    /// Returns the default of Kubernetes, `LowerPriority`.
    fn default() -> types::PreemptionPolicy {
        types::PreemptionPolicy::LowerPriority
    }
}

/// `spec.nodeSelector` and `spec.affinity.nodeAffinity`. [`selector`](crate::selector) matches them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeAffinity {
    /// `spec.nodeSelector`, sorted by key.
    pub node_selector: Vec<types::Label>,
    /// `requiredDuringSchedulingIgnoredDuringExecution`: at least one of the terms has to match. `None` if absent,
    /// which differs from an empty list: an empty list matches no node.
    pub required: Option<Vec<types::NodeSelectorTerm>>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`.
    pub preferred: Vec<types::PreferredNodeTerm>,
}

/// `spec.affinity.podAffinity` and `spec.affinity.podAntiAffinity`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodAffinity {
    /// `podAffinity`.
    pub affinity: types::PodAffinity,
    /// `podAntiAffinity`.
    pub anti_affinity: types::PodAffinity,
}

/// The pod's resource requests, summed over its containers as kube-scheduler does it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requests {
    /// The requests of the spec. NodeResourcesFit's filter compares these.
    pub fit: Resources,
    /// The same requests, with a resize in progress taken into account. A node's usage counts these.
    pub effective: Resources,
    /// The cpu requests of the containers alone, from the spec, in millicores. A container without a cpu request
    /// counts as 100 millicores. NodeResourcesFit scores this.
    pub non_zero_milli_cpu: i64,
    /// The memory requests of the containers alone, from the spec, in bytes. A container without a memory request
    /// counts as 200 MiB (209715200 bytes).
    pub non_zero_memory: i64,
}

impl Requests {
    /// Returns the quantity of a resource that NodeResourcesFit scores.
    pub fn get_non_zero(&self, resource: &Resource) -> i64 {
        match resource {
            Resource::Cpu => self.non_zero_milli_cpu,
            Resource::Memory => self.non_zero_memory,
            other => self.effective.get(other),
        }
    }
}

/// The pod's resource limits, summed over its containers as Kubernetes does it. A resource without a limit is 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits(pub Resources);

impl std::ops::Deref for Limits {
    type Target = Resources;

    fn deref(&self) -> &Resources {
        &self.0
    }
}

impl Default for QosClass {
    /// Returns the class of a pod without requests and limits.
    fn default() -> QosClass {
        QosClass::BestEffort
    }
}

/// The devices that the pod asks for: by `spec.resourceClaims`, and by extended resources, which a DeviceClass may
/// map to devices. All fields are empty for a pod that asks for no devices, so such pods can share a pod signature.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceClaims {
    /// `metadata.name` of the pod, because claims are reserved for the pod by name. Empty if the pod asks for no
    /// devices.
    pub pod_name: String,
    /// `metadata.uid` of the pod, which owns claims; empty if the pod asks for no devices.
    pub pod_uid: String,
    /// The claims.
    pub claims: Vec<types::PodResourceClaim>,
    /// All containers, if any of them asks for an extended resource. Init containers first, then containers, each in
    /// the spec's order.
    pub containers: Vec<types::Container>,
}

/// The images of the pod, as written, without a default tag added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Images {
    /// The image of each init container, then of each container.
    pub containers: Vec<String>,
    /// The images of volumes of type `image`.
    pub volumes: Vec<String>,
}

#[inline(always)]
fn free<T>(filled: bool, fact: T) {
    if filled { drop(fact) } else { std::mem::forget(fact) }
}

/// Returns the value of a field that two facts share. Clones the value if the plugin reads the other fact too
/// (`is_read`), and takes the value out of the field otherwise.
fn also<T: Clone + Default>(field: &mut T, is_read: bool) -> T {
    if is_read { field.clone() } else { std::mem::take(field) }
}

macro_rules! facts {
    ($($field:ident: $fact:ident [$flags:expr],)*) => {
        /// All facts of a pod. A fact that no function reads is empty.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Facts {
            $(pub(crate) $field: $fact,)*
            /// The declared fields as JSON.
            fields: String,
            named: Cache,
        }

        impl Facts {
            /// Frees the facts. A component frees only the facts that the plugin reads: all other facts are empty
            /// there, and code to free them would make the component larger.
            #[inline(always)]
            pub(crate) fn free(self, filled: FilledPod) {
                let Facts { $($field,)* fields, named } = self;
                let native = cfg!(not(target_family = "wasm"));
                $(free(filled.facts.contains($flags) || native, $field);)*
                free(filled.fields || native, fields);
                let facts = filled.facts.intersects(PodFacts::LABELS.union(PodFacts::ANNOTATIONS));
                free(facts || filled.fields || native, named);
            }
        }

        $(
            impl<P: Plugin> Param<P> for &$fact {
                type Item<'a> = &'a $fact;
                const READS: Reads = Reads::pod(PodReads::of($flags));

                #[inline(always)]
                fn of<'a>(scene: &Scene<'a, P>) -> &'a $fact {
                    &scene.signature.pod.$field
                }
            }

            impl<P: Plugin> PodParam<P> for &$fact {}

            impl<P: Plugin> SignatureParam<P> for &$fact {
                fn of_signature<'a>(scene: &SignatureScene<'a, P>) -> &'a $fact {
                    &scene.pod.$field
                }
            }

            impl ResidentFact for $fact {
                const READS: PodReads = PodReads::of($flags);

                fn of(facts: &Facts) -> &$fact {
                    &facts.$field
                }
            }
        )*
    };
}

/// For a [queueing hint](crate::hints): the pod that the event is about, with the facts that the type names. The pod
/// is on a node, or assumed to be. Both fields are `None` if the event is about another kind of object.
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::hints::{Event, Hint};
///
/// /// Only a pod of the same namespace that left its node can help.
/// fn queueing_hint(_: &Event, namespace: &pod::Namespace, other: pod::Change<'_, pod::Namespace>) -> Hint {
///     Hint::queue_if(other.after.is_none() && other.before == Some(namespace))
/// }
/// # let _ = queueing_hint;
/// ```
pub struct Change<'a, F: ResidentFacts> {
    /// The pod before the event; `None` if the pod is new on its node.
    pub before: Option<F::Item<'a>>,
    /// The pod after the event; `None` if the pod left its node.
    pub after: Option<F::Item<'a>>,
}

impl<P: Plugin, F: ResidentFacts> Param<P> for Change<'_, F> {
    type Item<'a> = Change<'a, F>;
    const READS: Reads = Reads { nodes: true, ..Reads::pod(F::READS) };

    fn of<'a>(scene: &Scene<'a, P>) -> Change<'a, F> {
        let [before, after] = scene.event_change.pods;
        Change { before: before.map(F::of), after: after.map(F::of) }
    }
}

impl<P: Plugin, F: ResidentFacts> PodParam<P> for Change<'_, F> {}

/// A fact that a function may also read from the pods on a node: `node::Pods<pod::Labels>`.
pub trait ResidentFact: 'static {
    /// What the host sends for the fact.
    const READS: PodReads;
    /// Returns this fact of the pod.
    fn of(facts: &Facts) -> &Self;
}

facts! {
    name: Name [PodFacts::NAME],
    namespace: Namespace [PodFacts::NAMESPACE],
    uid: Uid [PodFacts::UID],
    labels: Labels [PodFacts::LABELS],
    annotations: Annotations [PodFacts::ANNOTATIONS],
    owners: Owners [PodFacts::OWNERS],
    node_name: NodeName [PodFacts::NODE_NAME],
    scheduler_name: SchedulerName [PodFacts::SCHEDULER_NAME],
    priority: Priority [PodFacts::PRIORITY],
    tolerations: Tolerations [PodFacts::TOLERATIONS],
    node_affinity: NodeAffinity [PodFacts::NODE_AFFINITY],
    pod_affinity: PodAffinity [PodFacts::POD_AFFINITY],
    topology_spread: TopologySpread [PodFacts::TOPOLOGY_SPREAD],
    requests: Requests [PodFacts::REQUESTS],
    limits: Limits [PodFacts::LIMITS],
    qos: Qos [PodFacts::QOS],
    containers: Containers [PodFacts::CONTAINERS],
    images: Images [PodFacts::IMAGES],
    host_ports: HostPorts [PodFacts::HOST_PORTS],
    volumes: Volumes [PodFacts::VOLUMES],
    scheduling_gates: SchedulingGates [PodFacts::SCHEDULING_GATES],
    resource_claims: ResourceClaims [PodFacts::RESOURCE_CLAIMS],
    host_network: HostNetwork [PodFacts::HOST_NETWORK],
    nominated_node: NominatedNode [PodFacts::NOMINATED_NODE],
    deleting: Deleting [PodFacts::DELETION],
    creation_time: CreationTime [PodFacts::CREATION_TIME],
    start_time: StartTime [PodFacts::START_TIME],
    user_namespace: UserNamespace [PodFacts::USER_NAMESPACE],
    restart_actions: RestartActions [PodFacts::RESTART_ACTIONS],
    scheduling_group: SchedulingGroup [PodFacts::SCHEDULING_GROUP],
}

impl Facts {
    /// Converts a pod from the contract's form. Labels use the strings of `texts` where these are equal. `filled` is
    /// what the host sends. It is a constant once this function is inlined.
    #[inline(always)]
    pub(crate) fn new(mut pod: types::Pod, filled: FilledPod, texts: &mut labels::Texts) -> Facts {
        let (requests, reads) = (pod.requests, filled.facts);
        let resource_claims = if reads.contains(PodFacts::RESOURCE_CLAIMS) {
            ResourceClaims {
                pod_name: also(&mut pod.name, reads.contains(PodFacts::NAME)),
                pod_uid: also(&mut pod.uid, reads.contains(PodFacts::UID)),
                claims: pod.resource_claims,
                containers: also(&mut pod.containers, reads.contains(PodFacts::CONTAINERS)),
            }
        } else {
            ResourceClaims::default()
        };
        let mut shared = |labels, fact| if reads.contains(fact) { texts.labels(labels) } else { LabelMap::default() };
        Facts {
            name: Name(pod.name),
            namespace: Namespace(pod.namespace),
            uid: Uid(pod.uid),
            labels: Labels(shared(pod.labels, PodFacts::LABELS)),
            annotations: Annotations(shared(pod.annotations, PodFacts::ANNOTATIONS)),
            owners: Owners(pod.owners),
            node_name: NodeName(pod.node_name),
            scheduler_name: SchedulerName(pod.scheduler_name),
            priority: Priority { value: pod.priority, preemption: pod.preemption },
            tolerations: Tolerations(pod.tolerations),
            node_affinity: NodeAffinity {
                node_selector: pod.node_selector,
                required: pod.required_node_affinity,
                preferred: pod.preferred_node_affinity,
            },
            pod_affinity: PodAffinity { affinity: pod.affinity, anti_affinity: pod.anti_affinity },
            topology_spread: TopologySpread(pod.topology_spread),
            requests: Requests {
                fit: requests.fit,
                effective: requests.effective,
                non_zero_milli_cpu: requests.non_zero_milli_cpu,
                non_zero_memory: requests.non_zero_memory,
            },
            containers: Containers(pod.containers),
            images: Images { containers: pod.images.containers, volumes: pod.images.volumes },
            limits: Limits(pod.limits),
            qos: Qos(pod.qos),
            host_ports: HostPorts(pod.host_ports),
            volumes: Volumes(pod.volumes),
            scheduling_gates: SchedulingGates(pod.scheduling_gates),
            resource_claims,
            host_network: HostNetwork(pod.host_network),
            nominated_node: NominatedNode(pod.nominated_node_name),
            deleting: Deleting(pod.deleting),
            creation_time: CreationTime(pod.creation_time),
            start_time: StartTime(pod.start_time),
            user_namespace: UserNamespace(pod.user_namespace),
            restart_actions: RestartActions(pod.restart_actions),
            scheduling_group: SchedulingGroup(pod.scheduling_group),
            fields: pod.fields,
            named: Cache::default(),
        }
    }

    /// Returns a fact that the author names. The value is made once.
    pub fn named<T: 'static>(&self, make: impl Fn(&Facts) -> T) -> &T {
        self.named.get(|| make(self))
    }

    /// Returns the value of the label with this key.
    pub fn label_of(&self, key: &str) -> Text {
        Text::of(&self.labels, key)
    }

    /// Returns the value of the annotation with this key.
    pub fn annotation_of(&self, key: &str) -> Text {
        Text::of(&self.annotations, key)
    }

    /// Returns the value of the field with this path.
    pub fn field_of<T: DeserializeOwned>(&self, path: &str) -> Field<T> {
        Field::read(&self.fields, path)
    }
}
