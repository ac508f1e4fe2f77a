//! Implements `Crossing` for the types of the contract. Every field and case is named, so that this file does not
//! compile until a new field or case is counted.

use super::Crossing;
use crate::bindings::v0_2::berth::scheduler::{extenders, facts, what_if};
use crate::bindings::v0_2::exports::berth::scheduler::{
    classes, objects, permit, plugin, post_filter, pre_filter, pre_score, queue_sort, queueing_hint, reserve, snapshot,
};
use crate::bindings::{intents, types as wit};

/// Types without lists and strings.
macro_rules! plain {
    ($($type:ty),* $(,)?) => {$(
        impl Crossing for $type {
            fn held(&self) -> usize {
                0
            }
        }
    )*};
}

macro_rules! records {
    ($($record:ty { $($field:ident),* $(,)? })*) => {$(
        impl Crossing for $record {
            fn held(&self) -> usize {
                let Self { $($field),* } = self;
                0 $(+ $field.held())*
            }
        }
    )*};
}

macro_rules! variants {
    ($($variant:ty { $($case:ident $(($value:ident))?),* $(,)? })*) => {$(
        impl Crossing for $variant {
            fn held(&self) -> usize {
                match self {
                    $(Self::$case $(($value))? => 0 $(+ $value.held())?,)*
                }
            }
        }
    )*};
}

plain! { (), bool, u8, u16, u32, u64, i32, i64 }

// `types`: enums and flags.
plain! {
    wit::TaintEffect, wit::TolerationOperator, wit::SelectorOperator, wit::UnsatisfiableAction,
    wit::NodeInclusionPolicy, wit::Protocol, wit::ContainerKind, wit::PreemptionPolicy, wit::ConditionStatus,
    wit::Scope, wit::Normalization, wit::Code, wit::EventActions,
}

// `facts`: enums, flags, and the inputs of a call.
plain! { facts::QosClass, facts::PodFacts, facts::NodeFacts, facts::ClusterFacts }
records! {
    facts::Cycle { id, time, seed, signature }
    facts::PodIdentity<'_> { namespace, name, uid }
    facts::PodActions { approve, reject, activate }
    facts::PodReads { facts, label_keys, annotation_keys, fields }
    facts::NodeReads { facts, label_keys, annotation_keys, fields }
    queue_sort::QueueTimes { first_queued, queued }
}

// `types` and `facts`: pods, and the types that they share with nodes.
records! {
    wit::Label<'_> { key, value }
    wit::Scalar<'_> { name, quantity }
    wit::Resources<'_> { milli_cpu, memory, ephemeral_storage, pods, scalars }
    wit::Taint<'_> { key, value, effect }
    wit::Toleration<'_> { key, operator, value, effect }
    wit::Requirement<'_> { key, operator, values }
    wit::NodeSelectorTerm<'_> { expressions, fields }
    wit::PreferredNodeTerm<'_> { weight, term }
    wit::LabelSelector<'_> { requirements }
    wit::PodAffinityTerm<'_> { selector, namespaces, namespace_selector, topology_key, weight }
    wit::PodAffinity<'_> { required, preferred }
    wit::SpreadConstraint<'_> {
        max_skew, topology_key, when_unsatisfiable, selector, min_domains, node_affinity_policy, node_taints_policy,
        match_label_keys,
    }
    wit::HostPort<'_> { ip, protocol, port }
    facts::Container<'_> { name, kind, image, requests, limits, host_ports }
    facts::PodRequests<'_> { fit, effective, non_zero_milli_cpu, non_zero_memory }
    wit::PodImages<'_> { containers, volumes }
    wit::Disk<'_> { id, pool, monitors, read_only }
    wit::ClaimSource<'_> { claim, read_only }
    wit::EphemeralSource<'_> { claim, pod_uid }
    wit::Volume<'_> { name, source }
    wit::Owner<'_> { api_version, kind, name, uid, controller }
    wit::PodResourceClaim<'_> { name, claim, template }
    wit::Condition<'_> { kind, status }
    facts::NodeInfo<'_> {
        architecture, operating_system, os_image, kernel_version, kubelet_version, container_runtime_version,
    }
    facts::Pod<'_> {
        name, namespace, uid, labels, annotations, owners, node_name, scheduler_name, priority, preemption, tolerations,
        node_selector, required_node_affinity, preferred_node_affinity, affinity, anti_affinity, topology_spread,
        requests, limits, qos, containers, images, host_ports, volumes, scheduling_gates, resource_claims,
        host_network, nominated_node_name, deleting, creation_time, start_time, user_namespace, restart_actions,
        scheduling_group, fields,
    }
}
variants! {
    wit::VolumeSource<'_> {
        PersistentVolumeClaim(claim), Ephemeral(claim), GcePersistentDisk(disk), AwsElasticBlockStore(disk),
        AzureDisk(disk), Cinder(disk), PortworxVolume(disk), Iscsi(disk), Rbd(disk), Csi(driver), Image(reference), Other,
    }
}

// `types`: answers.
records! {
    wit::Status { code, reasons }
    wit::Verdicts { outcomes, nodes }
}

// `plugin`.
records! {
    plugin::Description { name, version, arguments }
    plugin::ClusterEvent { kind, actions }
    plugin::Declaration {
        pod, node, resident_pods, pending_pods, cluster_facts, reads_time, filter_scope, score_scope, normalization,
        retry_on,
    }
}

// `snapshot`.
records! {
    snapshot::Node<'_> {
        id, name, uid, labels, annotations, taints, unschedulable, allocatable, images, used_ports, conditions,
        declared_features, capacity, info, fields,
    }
    snapshot::Usage<'_> {
        nodes, milli_cpu, memory, ephemeral_storage, pods, non_zero_milli_cpu, non_zero_memory, scalars,
    }
    snapshot::ScalarUsage<'_> { node, name, quantity }
    snapshot::Image<'_> { id, name, size, nodes }
    snapshot::ResidentPod<'_> { id, node, pod }
    snapshot::PendingPod<'_> { id, pod }
}
variants! {
    snapshot::Change<'_> {
        Node(node), NodeRemoved(id), Usage(usage), Image(image), ImageRemoved(id), ResidentPod(pod),
        ResidentPodRemoved(id), PendingPod(pod), PendingPodRemoved(id), NodeCount(count),
    }
}

// `objects`.
records! {
    objects::Kind { api_version, name, fields }
    objects::Object<'_> { id, kind, namespace, name, uid, fields, assumed }
}
variants! {
    objects::Change<'_> { Object(object), ObjectRemoved(id) }
}

// `pre-filter`, `pre-score`, `classes`.
plain! { pre_score::PreScoreResult }
records! {
    classes::Classified { filter, scores, replaces_all, nodes, classes }
    classes::ClassScores { raw, normalized }
}
variants! {
    pre_filter::PreFilterResult { All, Skip, Narrow(names), Reject(status) }
    classes::ClassFilter { Skip, Reject(status), Verdicts(verdicts) }
}

// `queueing-hint`.
plain! { queueing_hint::Hint }
records! {
    queueing_hint::Node<'_> {
        name, labels, annotations, taints, unschedulable, allocatable, conditions, declared_features, capacity, info,
        fields,
    }
    queueing_hint::NodeChange<'_> { before, after }
    queueing_hint::PodChange { before, after }
    queueing_hint::ObjectChange<'_> { namespace, name, before, after }
    queueing_hint::Event<'_> { kind, actions, subject }
}
variants! {
    queueing_hint::Subject<'_> { Node(change), Pod(change), Object(change) }
}

// `intents`.
plain! { intents::PatchType }
records! {
    intents::ObjectReference { api_version, kind, namespace, name, uid }
    intents::Patch { object, subresource, patch, patch_type }
    intents::Wait { object, until, timeout_ms }
}
variants! {
    intents::Intent { Patch(patch), WaitUntil(wait), Evict(pod), Assume(object), Create(object), Delete(object) }
}

// `post-filter`, and its imports `what-if` and `extenders`.
records! {
    post_filter::Nomination { node, evict, reason, intents, pods }
    post_filter::Failure { reasons, clear, intents, pods }
    what_if::WhatIfCase { node, removed }
    extenders::Candidate { node, victims, violations }
}
variants! {
    post_filter::PostFilterResult { Nominate(nomination), Unschedulable(failure) }
}

// `reserve`, `permit`.
records! {
    reserve::Reservation { state, intents }
    reserve::Undone { intents, pods }
    permit::Verdict { decision, pods }
}
variants! {
    permit::Decision { Approve, Deny(status), Wait(milliseconds) }
}
