//! Lifts pods, nodes and changes from memory, with only the facts that the plugin reads.
//!
//! The facts that the plugin reads are a constant at the call sites of these functions, and the functions are
//! inlined. So the component has no code for all other facts. The host sends empty values for all other facts, so no
//! memory leaks.

use super::values::{Lift, aligned, larger};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{
    Change, Image, Node, PendingPod, ResidentPod, Usage,
};
use crate::reads::{Filled, FilledNode, FilledPod};
use crate::types::{self, ClusterFacts, NodeFacts, PodFacts};

/// Defines a record whose fields belong to groups of facts. Fields of groups that the plugin does not read stay
/// empty.
macro_rules! facts {
    (
        $record:path, $lift:ident($filled:ident, $group:ident) {
            $($field:ident: $type:ty $([$($fact:ident)|+])? $(=> $more:ident)?),* $(,)?
        }
    ) => {
        impl $record {
            const SIZE: usize = {
                let end = 0;
                $(let end = aligned(end, <$type>::ALIGN) + <$type>::SIZE;)*
                aligned(end, Self::ALIGN)
            };
            const ALIGN: usize = {
                let align = 1;
                $(let align = larger(align, <$type>::ALIGN);)*
                align
            };
        }

        /// Lifts the record from memory.
        ///
        /// # Safety
        /// A record of this type is at the address, and the caller lifts it only once.
        #[inline(always)]
        unsafe fn $lift(at: *const u8, filled: $filled) -> $record {
            let end = 0;
            $(
                let start = aligned(end, <$type>::ALIGN);
                let $field = if true $(&& ($(filled.facts.contains($group::$fact))||+))? $(&& filled.$more)? {
                    // SAFETY: the fields of the record are at `at` one after the other, each aligned.
                    unsafe { <$type>::lift(at.add(start)) }
                } else {
                    <$type>::default()
                };
                let end = start + <$type>::SIZE;
            )*
            let _ = end;
            $record { $($field,)* }
        }

        #[cfg(test)]
        impl super::layout::Layout for $record {
            const PARTS: &'static [(&'static str, usize, usize)] =
                &[$((stringify!($field), <$type>::SIZE, <$type>::ALIGN)),*];
        }
    };
}

facts!(types::Pod, pod(FilledPod, PodFacts) {
    name: String [NAME | RESOURCE_CLAIMS],
    namespace: String [NAMESPACE],
    uid: String [UID | RESOURCE_CLAIMS],
    labels: Vec<types::Label> [LABELS],
    annotations: Vec<types::Label> [ANNOTATIONS],
    owners: Vec<types::Owner> [OWNERS],
    node_name: String [NODE_NAME],
    scheduler_name: String [SCHEDULER_NAME],
    priority: i32 [PRIORITY],
    preemption: types::PreemptionPolicy [PRIORITY],
    tolerations: Vec<types::Toleration> [TOLERATIONS],
    node_selector: Vec<types::Label> [NODE_AFFINITY],
    required_node_affinity: Option<Vec<types::NodeSelectorTerm>> [NODE_AFFINITY],
    preferred_node_affinity: Vec<types::PreferredNodeTerm> [NODE_AFFINITY],
    affinity: types::PodAffinity [POD_AFFINITY],
    anti_affinity: types::PodAffinity [POD_AFFINITY],
    topology_spread: Vec<types::SpreadConstraint> [TOPOLOGY_SPREAD],
    requests: types::PodRequests [REQUESTS],
    limits: types::Resources [LIMITS],
    qos: types::QosClass [QOS],
    containers: Vec<types::Container> [CONTAINERS | RESOURCE_CLAIMS],
    images: types::PodImages [IMAGES],
    host_ports: Vec<types::HostPort> [HOST_PORTS],
    volumes: Vec<types::Volume> [VOLUMES],
    scheduling_gates: Vec<String> [SCHEDULING_GATES],
    resource_claims: Vec<types::PodResourceClaim> [RESOURCE_CLAIMS],
    host_network: bool [HOST_NETWORK],
    nominated_node_name: String [NOMINATED_NODE],
    deleting: bool [DELETION],
    creation_time: i64 [CREATION_TIME],
    start_time: i64 [START_TIME],
    user_namespace: bool [USER_NAMESPACE],
    restart_actions: Vec<String> [RESTART_ACTIONS],
    scheduling_group: String [SCHEDULING_GROUP],
    fields: String => fields,
});

facts!(Node, node(FilledNode, NodeFacts) {
    id: u32,
    name: Option<String> [NAME],
    uid: Option<String> [NAME],
    labels: Option<Vec<types::Label>> [LABELS],
    annotations: Option<Vec<types::Label>> [ANNOTATIONS],
    taints: Option<Vec<types::Taint>> [TAINTS],
    unschedulable: Option<bool> [UNSCHEDULABLE],
    allocatable: Option<types::Resources> [ALLOCATABLE],
    images: Option<Vec<u32>> [IMAGES],
    used_ports: Option<Vec<types::HostPort>> [USED_PORTS],
    conditions: Option<Vec<types::Condition>> [CONDITIONS],
    declared_features: Option<Vec<String>> [DECLARED_FEATURES],
    capacity: Option<types::Resources> [CAPACITY],
    info: Option<types::NodeInfo> [INFO],
    fields: Option<String> => fields,
});

/// The parameters of `add-signature`. The host writes these parameters to memory like the fields of a record.
pub(super) struct AddedSignature {
    pub(super) id: u32,
    pub(super) pod: types::Pod,
}

impl AddedSignature {
    const POD: usize = aligned(u32::SIZE, types::Pod::ALIGN);
    pub(super) const SIZE: usize = Self::POD + types::Pod::SIZE;
    pub(super) const ALIGN: usize = types::Pod::ALIGN;

    /// Lifts the parameters from memory, with the facts of the pod that the plugin reads.
    ///
    /// # Safety
    /// The parameters are at the address, and the caller lifts them only once.
    #[inline(always)]
    pub(super) unsafe fn lift(at: *const u8, filled: Filled) -> AddedSignature {
        // SAFETY: the id is at offset 0, and the pod is at offset `POD`.
        unsafe { AddedSignature { id: u32::lift(at), pod: pod(at.add(Self::POD), filled.pod) } }
    }
}

const RESIDENT_NODE: usize = u32::SIZE;
const RESIDENT_POD: usize = aligned(2 * u32::SIZE, types::Pod::ALIGN);
const PENDING_POD: usize = aligned(u32::SIZE, types::Pod::ALIGN);
const CHANGE: usize = aligned(1, CHANGE_ALIGN);

/// The alignment of a change: the largest alignment of its cases.
pub(super) const CHANGE_ALIGN: usize = larger(types::Pod::ALIGN, Node::ALIGN);
/// The size of a change: the tag and the larger of the two largest cases.
pub(super) const CHANGE_SIZE: usize =
    aligned(CHANGE + larger(RESIDENT_POD + types::Pod::SIZE, Node::SIZE), CHANGE_ALIGN);

/// Lifts a change from memory. Returns `None` for a change of a fact that the plugin does not read.
///
/// # Safety
/// A change is at the address, and the caller lifts it only once.
#[inline(always)]
pub(super) unsafe fn change(at: *const u8, filled: Filled) -> Option<Change> {
    let images = filled.cluster.contains(ClusterFacts::IMAGES);
    // SAFETY: the first byte is the number of the case, and the value of the case is at offset `CHANGE`.
    unsafe {
        let value = at.add(CHANGE);
        Some(match (at.read(), filled.resident, filled.pending) {
            (0, ..) => Change::Node(node(value, filled.node)),
            (1, ..) => Change::NodeRemoved(u32::lift(value)),
            (2, ..) if filled.node.facts.contains(NodeFacts::USAGE) => Change::Usage(Usage::lift(value)),
            (3, ..) if images => Change::Image(Image::lift(value)),
            (4, ..) if images => Change::ImageRemoved(u32::lift(value)),
            (5, Some(resident), _) => Change::ResidentPod(ResidentPod {
                id: u32::lift(value),
                node: u32::lift(value.add(RESIDENT_NODE)),
                pod: pod(value.add(RESIDENT_POD), resident),
            }),
            (6, Some(_), _) => Change::ResidentPodRemoved(u32::lift(value)),
            (7, _, Some(pending)) => {
                Change::PendingPod(PendingPod { id: u32::lift(value), pod: pod(value.add(PENDING_POD), pending) })
            }
            (8, _, Some(_)) => Change::PendingPodRemoved(u32::lift(value)),
            (9, ..) => Change::NodeCount(u32::lift(value)),
            _ => return None,
        })
    }
}
