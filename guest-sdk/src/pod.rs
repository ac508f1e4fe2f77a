//! Facts of the pod to be placed. A function that takes `&pod::Tolerations` reads the pod's tolerations, and nothing else
//! of it; pods that are equal in what a plugin reads are asked about once.
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

use crate::fact::{list_fact, text_fact, value_fact};
use crate::labels::{self, LabelMap};
use crate::node::ResidentFacts;
use crate::param::{Param, PodParam, Scene, TemplateParam, TemplateScene};
use crate::plugin::Plugin;
use crate::reads::Reads;
use crate::resources::Resource;
use crate::types::{self, PodFacts, Resources, Taint};

/// The number of a pod on a node, for as long as it is there. They are dense, as those of nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

impl Id {
    /// As an index of an array.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

text_fact! {
    /// `metadata.name`. A plugin that reads it is asked about every single pod: no two share a template.
    Name,
    /// `metadata.namespace`.
    Namespace,
    /// `metadata.uid`. A plugin that reads it is asked about every single pod: no two share a template.
    Uid,
    /// `spec.nodeName`: of a pending pod, empty.
    NodeName,
    /// `spec.schedulerName`.
    SchedulerName,
    /// `status.nominatedNodeName`; empty where there is none.
    NominatedNode,
}

value_fact! {
    /// `spec.hostNetwork`.
    HostNetwork(bool),
    /// `metadata.deletionTimestamp` is set.
    Deleting(bool),
    /// `status.startTime`, seconds since 1970; 0 where absent.
    StartTime(i64),
    /// `spec.hostUsers` is false: the pod's users are not those of its node.
    UserNamespace(bool),
}

list_fact! {
    /// `metadata.ownerReferences`.
    Owners(types::Owner),
    /// `spec.tolerations`.
    Tolerations(types::Toleration),
    /// `spec.topologySpreadConstraints`.
    TopologySpread(types::SpreadConstraint),
    /// Init containers first, then containers, each in the spec's order.
    Containers(types::Container),
    /// Ports that containers and restartable init containers take on their node.
    HostPorts(types::HostPort),
    /// `spec.volumes`.
    Volumes(types::Volume),
    /// `spec.schedulingGates[].name`.
    SchedulingGates(String),
    /// `restartPolicyRules[].action` of all init containers and containers, each once, sorted.
    RestartActions(String),
}

labels::fact! {
    /// `metadata.labels`.
    Labels,
    /// `metadata.annotations`, without `kubectl.kubernetes.io/last-applied-configuration`.
    Annotations,
}

impl Tolerations {
    /// Whether any of them tolerates the taint.
    pub fn tolerate(&self, taint: &Taint) -> bool {
        self.iter().any(|toleration| toleration.tolerates(taint))
    }
}

/// `spec.priority` and `spec.preemptionPolicy`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Priority {
    /// Higher is more important; 0 where absent.
    pub value: i32,
    /// Whether the pod may preempt others.
    pub preemption: types::PreemptionPolicy,
}

impl Default for types::PreemptionPolicy {
    /// Kubernetes' own.
    fn default() -> types::PreemptionPolicy {
        types::PreemptionPolicy::LowerPriority
    }
}

/// `spec.nodeSelector` and `spec.affinity.nodeAffinity`. [`selector`](crate::selector) matches them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeAffinity {
    /// `spec.nodeSelector`, sorted by key.
    pub node_selector: Vec<types::Label>,
    /// `requiredDuringSchedulingIgnoredDuringExecution`: terms of which one has to hold. `None` where absent, which differs
    /// from an empty list: that matches no node.
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

/// What the pod asks of a node, summed over its containers as kube-scheduler does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requests {
    /// From the spec: what NodeResourcesFit's filter compares.
    pub fit: Resources,
    /// The same with a resize in progress taken into account: what a node's usage counts.
    pub effective: Resources,
    /// Cpu of the containers alone, as the spec has it, with 100 for each that names none: what NodeResourcesFit scores. In
    /// millicores.
    pub non_zero_milli_cpu: i64,
    /// The same of memory, with 200 MB (209715200 bytes) for each that names none.
    pub non_zero_memory: i64,
}

impl Requests {
    /// What NodeResourcesFit scores of a resource.
    pub fn get_non_zero(&self, resource: &Resource) -> i64 {
        match resource {
            Resource::Cpu => self.non_zero_milli_cpu,
            Resource::Memory => self.non_zero_memory,
            other => self.effective.get(other),
        }
    }
}

/// What a pod asks of devices: `spec.resourceClaims`, and extended resources, which a DeviceClass may stand for. Pods that ask
/// for none share a template.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceClaims {
    /// `metadata.name` of the pod, by which claims are reserved for it; empty where it asks for no devices.
    pub pod_name: String,
    /// `metadata.uid` of the pod, by which it owns claims; empty where it asks for no devices.
    pub pod_uid: String,
    /// The claims.
    pub claims: Vec<types::PodResourceClaim>,
    /// All of them, where one asks for an extended resource. Init containers first, each in the spec's order.
    pub containers: Vec<types::Container>,
}

/// The images that a pod runs, as written, without a default tag added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Images {
    /// One for each init container, then one for each container.
    pub containers: Vec<String>,
    /// Of volumes that are images.
    pub volumes: Vec<String>,
}

#[inline(always)]
fn free<T>(filled: bool, fact: T) {
    if filled { drop(fact) } else { std::mem::forget(fact) }
}

/// A field for one fact more than the one whose it is: left there, if that is read, too.
fn also<T: Clone + Default>(field: &mut T, is_read: bool) -> T {
    if is_read { field.clone() } else { std::mem::take(field) }
}

macro_rules! facts {
    ($($field:ident: $fact:ident [$flags:expr],)*) => {
        /// All facts of a pod; those that no function reads are empty.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Facts {
            $(pub(crate) $field: $fact,)*
        }

        impl Facts {
            /// Frees those that are read. The others are empty in a component, which is spared the code to free them.
            #[inline(always)]
            pub(crate) fn free(self, reads: PodFacts) {
                let Facts { $($field),* } = self;
                $(free(reads.contains($flags) || cfg!(not(target_family = "wasm")), $field);)*
            }
        }

        $(
            impl<P: Plugin> Param<P> for &$fact {
                type Item<'a> = &'a $fact;
                const READS: Reads = Reads::pod($flags);

                #[inline(always)]
                fn of<'a>(scene: &Scene<'a, P>) -> &'a $fact {
                    &scene.template.pod.$field
                }
            }

            impl<P: Plugin> PodParam<P> for &$fact {}

            impl<P: Plugin> TemplateParam<P> for &$fact {
                fn of_template<'a>(scene: &TemplateScene<'a, P>) -> &'a $fact {
                    &scene.pod.$field
                }
            }

            impl ResidentFact for $fact {
                const FACTS: PodFacts = $flags;

                fn of(facts: &Facts) -> &$fact {
                    &facts.$field
                }
            }
        )*
    };
}

/// For a [queueing hint](crate::hints): the pod to which something happened, with those of its facts that the type names. It is on a
/// node, or assumed to be. Both are `None` where it happened to something else.
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::hints::{Event, Hint};
///
/// /// A pod of the same namespace that left.
/// fn queueing_hint(_: &Event, namespace: &pod::Namespace, other: pod::Change<'_, pod::Namespace>) -> Hint {
///     Hint::queue_if(other.after.is_none() && other.before == Some(namespace))
/// }
/// # let _ = queueing_hint;
/// ```
pub struct Change<'a, F: ResidentFacts> {
    /// As it was; `None` for one that came to its node.
    pub before: Option<F::Item<'a>>,
    /// As it is; `None` for one that left.
    pub after: Option<F::Item<'a>>,
}

impl<P: Plugin, F: ResidentFacts> Param<P> for Change<'_, F> {
    type Item<'a> = Change<'a, F>;
    const READS: Reads = Reads::pod(F::FACTS);

    fn of<'a>(scene: &Scene<'a, P>) -> Change<'a, F> {
        let [before, after] = scene.happening.pods;
        Change { before: before.map(F::of), after: after.map(F::of) }
    }
}

impl<P: Plugin, F: ResidentFacts> PodParam<P> for Change<'_, F> {}

/// A fact that may also be read of the pods on a node: `node::Pods<pod::Labels>`.
pub trait ResidentFact: 'static {
    /// The fact's name in the contract.
    const FACTS: PodFacts;
    /// Takes it out of the pod.
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
    containers: Containers [PodFacts::CONTAINERS],
    images: Images [PodFacts::IMAGES],
    host_ports: HostPorts [PodFacts::HOST_PORTS],
    volumes: Volumes [PodFacts::VOLUMES],
    scheduling_gates: SchedulingGates [PodFacts::SCHEDULING_GATES],
    resource_claims: ResourceClaims [PodFacts::RESOURCE_CLAIMS],
    host_network: HostNetwork [PodFacts::HOST_NETWORK],
    nominated_node: NominatedNode [PodFacts::NOMINATED_NODE],
    deleting: Deleting [PodFacts::DELETION],
    start_time: StartTime [PodFacts::START_TIME],
    user_namespace: UserNamespace [PodFacts::USER_NAMESPACE],
    restart_actions: RestartActions [PodFacts::RESTART_ACTIONS],
}

impl Facts {
    /// Moves a pod out of the contract's form. Labels' texts are shared with those that `texts` knows; `reads` are the facts that
    /// the plugin reads, and a constant once this is inlined.
    #[inline(always)]
    pub(crate) fn new(mut pod: types::Pod, reads: PodFacts, texts: &mut labels::Texts) -> Facts {
        let requests = pod.requests;
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
            host_ports: HostPorts(pod.host_ports),
            volumes: Volumes(pod.volumes),
            scheduling_gates: SchedulingGates(pod.scheduling_gates),
            resource_claims,
            host_network: HostNetwork(pod.host_network),
            nominated_node: NominatedNode(pod.nominated_node_name),
            deleting: Deleting(pod.deleting),
            start_time: StartTime(pod.start_time),
            user_namespace: UserNamespace(pod.user_namespace),
            restart_actions: RestartActions(pod.restart_actions),
        }
    }
}
