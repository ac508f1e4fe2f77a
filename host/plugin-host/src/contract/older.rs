//! Conversions between version 0.2 of the contract and version 0.1, where their types differ.
//!
//! Arguments go from 0.2 to 0.1, answers from 0.1 to 0.2. A field that only 0.2 has gets the value that means "none".

use berth_core::model::Pod;
use bumpalo::Bump;

use crate::bindings::types::{Status, Verdicts};
use crate::bindings::v0_1::berth::scheduler::{extenders as old_extenders, types as old, what_if as old_what_if};
use crate::bindings::v0_1::exports::berth::scheduler as old_exports;
use crate::bindings::v0_2::berth::scheduler::{extenders, facts, what_if};
use crate::bindings::v0_2::exports::berth::scheduler as exports;
use crate::bindings::{intents, types};

/// Converts a value to the type that another version of the contract has for it.
pub(crate) trait Convert<T> {
    /// Returns the value in the other version.
    fn convert(self) -> T;
}

impl<A: Convert<B>, B, E> Convert<Result<B, E>> for Result<A, E> {
    fn convert(self) -> Result<B, E> {
        self.map(A::convert)
    }
}

impl<A: Convert<B>, B> Convert<Option<B>> for Option<A> {
    fn convert(self) -> Option<B> {
        self.map(A::convert)
    }
}

/// Types that both versions share.
macro_rules! same {
    ($($type:ty),* $(,)?) => {$(
        impl<'a> Convert<$type> for $type {
            fn convert(self) -> $type {
                self
            }
        }
    )*};
}

same! {
    (), bool, u32, u64, i64, &'a str, &'a [u8], &'a [u32], &'a [i64], &'a [types::Code], Vec<i64>, Status, Verdicts, Vec<intents::Intent>,
}

impl Convert<old::Cycle> for facts::Cycle {
    fn convert(self) -> old::Cycle {
        old::Cycle { id: self.id, time: self.time, seed: self.seed, template: self.signature }
    }
}

impl Convert<facts::Cycle> for old::Cycle {
    fn convert(self) -> facts::Cycle {
        facts::Cycle { id: self.id, time: self.time, seed: self.seed, signature: self.template }
    }
}

impl Convert<i64> for exports::queue_sort::QueueTimes {
    fn convert(self) -> i64 {
        self.queued
    }
}

// `plugin`.

impl Convert<exports::plugin::Description> for old_exports::plugin::Description {
    fn convert(self) -> exports::plugin::Description {
        exports::plugin::Description { name: self.name, version: self.version, arguments: None }
    }
}

impl Convert<exports::plugin::Declaration> for old_exports::plugin::Declaration {
    fn convert(self) -> exports::plugin::Declaration {
        let pod_reads = |pod_facts: old::PodFacts| facts::PodReads {
            facts: pod_flags(pod_facts),
            label_keys: Vec::new(),
            annotation_keys: Vec::new(),
            fields: Vec::new(),
        };
        let (node_facts, resident_pods) = node_flags(self.node_facts);
        exports::plugin::Declaration {
            pod: pod_reads(self.pod_facts),
            node: facts::NodeReads {
                facts: node_facts,
                label_keys: Vec::new(),
                annotation_keys: Vec::new(),
                fields: Vec::new(),
            },
            resident_pods: resident_pods.then(|| pod_reads(self.resident_pod_facts)),
            pending_pods: None,
            cluster_facts: cluster_flags(self.cluster_facts),
            // Version 0.1 passes the time to every plugin, whether or not its answers depend on it.
            reads_time: false,
            filter_scope: self.filter_scope,
            score_scope: self.score_scope,
            normalization: self.normalization,
            retry_on: self.retry_on.into_iter().map(event).collect(),
        }
    }
}

fn event(event: old_exports::plugin::ClusterEvent) -> exports::plugin::ClusterEvent {
    exports::plugin::ClusterEvent { kind: event.kind, actions: event.actions }
}

/// Flags that both versions have, by name.
macro_rules! flags {
    ($from:expr, $old:ty => $new:ty { $($flag:ident)* }) => {{
        let from = $from;
        let mut all = <$new>::empty();
        $(if from.contains(<$old>::$flag) {
            all |= <$new>::$flag;
        })*
        all
    }};
}

fn pod_flags(from: old::PodFacts) -> facts::PodFacts {
    flags!(from, old::PodFacts => facts::PodFacts {
        NAME NAMESPACE UID LABELS ANNOTATIONS OWNERS NODE_NAME SCHEDULER_NAME PRIORITY TOLERATIONS NODE_AFFINITY
        POD_AFFINITY TOPOLOGY_SPREAD REQUESTS CONTAINERS IMAGES HOST_PORTS VOLUMES SCHEDULING_GATES RESOURCE_CLAIMS
        HOST_NETWORK NOMINATED_NODE DELETION START_TIME USER_NAMESPACE RESTART_ACTIONS
    })
}

/// Returns the flags of nodes, and whether the plugin reads the pods on nodes, which 0.2 declares separately.
fn node_flags(from: old::NodeFacts) -> (facts::NodeFacts, bool) {
    let flags = flags!(from, old::NodeFacts => facts::NodeFacts {
        NAME LABELS ANNOTATIONS TAINTS UNSCHEDULABLE ALLOCATABLE USAGE IMAGES USED_PORTS CONDITIONS DECLARED_FEATURES
    });
    (flags, from.contains(old::NodeFacts::PODS))
}

fn cluster_flags(from: old::ClusterFacts) -> facts::ClusterFacts {
    flags!(from, old::ClusterFacts => facts::ClusterFacts { NODE_COUNT IMAGES })
}

/// Converts a pod. `requested` is the pod that `pod` was made of, if the plugin reads its requests: 0.1 has the names of
/// the requested resources, which 0.2 does not have.
pub(crate) fn pod<'a>(arena: &'a Bump, pod: facts::Pod<'a>, requested: Option<&'a Pod>) -> old::Pod<'a> {
    let facts::PodRequests { fit, effective, non_zero_milli_cpu, non_zero_memory } = pod.requests;
    let named = requested.map_or(&[][..], |pod| &pod.requests.named);
    let named = arena.alloc_slice_fill_iter(named.iter().map(|name| &**name));
    old::Pod {
        name: pod.name,
        namespace: pod.namespace,
        uid: pod.uid,
        labels: pod.labels,
        annotations: pod.annotations,
        owners: pod.owners,
        node_name: pod.node_name,
        scheduler_name: pod.scheduler_name,
        priority: pod.priority,
        preemption: pod.preemption,
        tolerations: pod.tolerations,
        node_selector: pod.node_selector,
        required_node_affinity: pod.required_node_affinity,
        preferred_node_affinity: pod.preferred_node_affinity,
        affinity: pod.affinity,
        anti_affinity: pod.anti_affinity,
        topology_spread: pod.topology_spread,
        requests: old::PodRequests { fit, effective, non_zero_milli_cpu, non_zero_memory, named },
        containers: arena.alloc_slice_fill_iter(pod.containers.iter().map(container)),
        images: pod.images,
        host_ports: pod.host_ports,
        volumes: pod.volumes,
        scheduling_gates: pod.scheduling_gates,
        resource_claims: pod.resource_claims,
        host_network: pod.host_network,
        nominated_node_name: pod.nominated_node_name,
        deleting: pod.deleting,
        start_time: pod.start_time,
        user_namespace: pod.user_namespace,
        restart_actions: pod.restart_actions,
    }
}

fn container<'a>(from: &facts::Container<'a>) -> old::Container<'a> {
    old::Container {
        name: from.name,
        kind: from.kind,
        image: from.image,
        requests: from.requests.clone(),
        host_ports: from.host_ports,
    }
}

// `snapshot`.

/// Converts changes of the snapshot. `requested` returns the pod with an id, if the plugin reads the requests of pods.
/// Version 0.1 has no pending pods, and a plugin of this version declares none.
pub(crate) fn changes<'a, 'p: 'a>(
    arena: &'a Bump,
    changes: &[exports::snapshot::Change<'a>],
    requested: &dyn Fn(u32) -> Option<&'p Pod>,
) -> Vec<old_exports::snapshot::Change<'a>> {
    use exports::snapshot::Change;
    use old_exports::snapshot::{Change as Old, Image, ResidentPod};
    let change = |change: &Change<'a>| {
        Some(match change.clone() {
            Change::Node(node) => Old::Node(self::node(node)),
            Change::NodeRemoved(id) => Old::NodeRemoved(id),
            Change::Usage(usage) => Old::Usage(self::usage(arena, usage)),
            Change::Image(of) => Old::Image(Image { id: of.id, name: of.name, size: of.size, nodes: of.nodes }),
            Change::ImageRemoved(id) => Old::ImageRemoved(id),
            Change::ResidentPod(of) => {
                let pod = self::pod(arena, of.pod, requested(of.id));
                Old::ResidentPod(ResidentPod { id: of.id, node: of.node, pod })
            }
            Change::ResidentPodRemoved(id) => Old::ResidentPodRemoved(id),
            Change::NodeCount(count) => Old::NodeCount(count),
            Change::PendingPod(_) | Change::PendingPodRemoved(_) => return None,
        })
    };
    changes.iter().filter_map(change).collect()
}

fn node(from: exports::snapshot::Node<'_>) -> old_exports::snapshot::Node<'_> {
    old_exports::snapshot::Node {
        id: from.id,
        name: from.name,
        uid: from.uid,
        labels: from.labels,
        annotations: from.annotations,
        taints: from.taints,
        unschedulable: from.unschedulable,
        allocatable: from.allocatable,
        images: from.images,
        used_ports: from.used_ports,
        conditions: from.conditions,
        declared_features: from.declared_features,
    }
}

fn usage<'a>(arena: &'a Bump, from: exports::snapshot::Usage<'a>) -> old_exports::snapshot::Usage<'a> {
    use old_exports::snapshot::ScalarUsage;
    let scalar =
        |of: &exports::snapshot::ScalarUsage<'a>| ScalarUsage { node: of.node, name: of.name, quantity: of.quantity };
    old_exports::snapshot::Usage {
        nodes: from.nodes,
        milli_cpu: from.milli_cpu,
        memory: from.memory,
        ephemeral_storage: from.ephemeral_storage,
        pods: from.pods,
        non_zero_milli_cpu: from.non_zero_milli_cpu,
        non_zero_memory: from.non_zero_memory,
        scalars: arena.alloc_slice_fill_iter(from.scalars.iter().map(scalar)),
    }
}

// `objects`.

impl Convert<exports::objects::Kind> for old_exports::objects::Kind {
    fn convert(self) -> exports::objects::Kind {
        exports::objects::Kind { api_version: self.api_version, name: self.name, fields: self.fields }
    }
}

/// Converts changes of objects.
pub(crate) fn object_changes<'a>(changes: &[exports::objects::Change<'a>]) -> Vec<old_exports::objects::Change<'a>> {
    use exports::objects::Change;
    use old_exports::objects::{Change as Old, Object};
    let change = |change: &Change<'a>| match change.clone() {
        Change::Object(of) => Old::Object(Object {
            id: of.id,
            kind: of.kind,
            namespace: of.namespace,
            name: of.name,
            uid: of.uid,
            fields: of.fields,
            assumed: of.assumed,
        }),
        Change::ObjectRemoved(id) => Old::ObjectRemoved(id),
    };
    changes.iter().map(change).collect()
}

// `queueing-hint`.

impl<'a> Convert<old_exports::queueing_hint::Event<'a>> for exports::queueing_hint::Event<'a> {
    fn convert(self) -> old_exports::queueing_hint::Event<'a> {
        use exports::queueing_hint::Subject;
        use old_exports::queueing_hint::{Event, NodeChange, ObjectChange, PodChange, Subject as Old};
        let subject = match self.subject {
            Subject::Node(change) => Old::Node(NodeChange {
                before: change.before.map(node_of_event),
                after: change.after.map(node_of_event),
            }),
            Subject::Pod(change) => Old::Pod(PodChange { before: change.before, after: change.after }),
            Subject::Object(change) => Old::Object(ObjectChange {
                namespace: change.namespace,
                name: change.name,
                before: change.before,
                after: change.after,
            }),
        };
        Event { kind: self.kind, actions: self.actions, subject }
    }
}

fn node_of_event(from: exports::queueing_hint::Node<'_>) -> old_exports::queueing_hint::Node<'_> {
    old_exports::queueing_hint::Node {
        name: from.name,
        labels: from.labels,
        annotations: from.annotations,
        taints: from.taints,
        unschedulable: from.unschedulable,
        allocatable: from.allocatable,
        conditions: from.conditions,
        declared_features: from.declared_features,
    }
}

impl Convert<Vec<exports::queueing_hint::Hint>> for Vec<old_exports::queueing_hint::Hint> {
    fn convert(self) -> Vec<exports::queueing_hint::Hint> {
        use exports::queueing_hint::Hint;
        use old_exports::queueing_hint::Hint as Old;
        let hint = |hint| match hint {
            Old::Skip => Hint::Skip,
            Old::Queue => Hint::Queue,
        };
        self.into_iter().map(hint).collect()
    }
}

// Answers.

impl Convert<exports::pre_filter::PreFilterResult> for old_exports::pre_filter::PreFilterResult {
    fn convert(self) -> exports::pre_filter::PreFilterResult {
        use exports::pre_filter::PreFilterResult as New;
        match self {
            Self::All => New::All,
            Self::Skip => New::Skip,
            Self::Narrow(names) => New::Narrow(names),
            Self::Reject(status) => New::Reject(status),
        }
    }
}

impl Convert<exports::pre_score::PreScoreResult> for old_exports::pre_score::PreScoreResult {
    fn convert(self) -> exports::pre_score::PreScoreResult {
        match self {
            Self::Score => exports::pre_score::PreScoreResult::Score,
            Self::Skip => exports::pre_score::PreScoreResult::Skip,
        }
    }
}

impl Convert<exports::classes::Classified> for old_exports::classes::Classified {
    fn convert(self) -> exports::classes::Classified {
        use exports::classes::ClassFilter;
        use old_exports::classes::ClassFilter as Old;
        exports::classes::Classified {
            filter: match self.filter {
                Old::Skip => ClassFilter::Skip,
                Old::Reject(status) => ClassFilter::Reject(status),
                Old::Verdicts(verdicts) => ClassFilter::Verdicts(verdicts),
            },
            scores: self.scores,
            replaces_all: self.anew,
            nodes: self.nodes,
            classes: self.classes,
        }
    }
}

impl Convert<exports::classes::ClassScores> for old_exports::classes::ClassScores {
    fn convert(self) -> exports::classes::ClassScores {
        exports::classes::ClassScores { raw: self.raw, normalized: self.normalized }
    }
}

/// No pod is approved, rejected or activated.
fn no_actions() -> facts::PodActions {
    facts::PodActions { approve: Vec::new(), reject: Vec::new(), activate: Vec::new() }
}

impl Convert<exports::post_filter::PostFilterResult> for old_exports::post_filter::PostFilterResult {
    fn convert(self) -> exports::post_filter::PostFilterResult {
        use exports::post_filter::{Failure, Nomination, PostFilterResult};
        match self {
            Self::Nominate(of) => PostFilterResult::Nominate(Nomination {
                node: of.node,
                evict: of.evict,
                reason: of.reason,
                intents: of.intents,
                pods: no_actions(),
            }),
            Self::Unschedulable(of) => PostFilterResult::Unschedulable(Failure {
                reasons: of.reasons,
                clear: of.clear,
                intents: of.intents,
                pods: no_actions(),
            }),
        }
    }
}

impl Convert<exports::reserve::Reservation> for old_exports::reserve::Reservation {
    fn convert(self) -> exports::reserve::Reservation {
        exports::reserve::Reservation { state: self.state, intents: self.intents }
    }
}

impl Convert<exports::reserve::Undone> for Vec<intents::Intent> {
    fn convert(self) -> exports::reserve::Undone {
        exports::reserve::Undone { intents: self, pods: no_actions() }
    }
}

impl Convert<exports::permit::Verdict> for old_exports::permit::Verdict {
    fn convert(self) -> exports::permit::Verdict {
        use exports::permit::Decision;
        use old_exports::permit::Decision as Old;
        let reject = self.reject.into_iter().map(|uid| (uid, String::new())).collect();
        exports::permit::Verdict {
            decision: match self.decision {
                Old::Approve => Decision::Approve,
                Old::Deny(status) => Decision::Deny(status),
                Old::Wait(milliseconds) => Decision::Wait(milliseconds),
            },
            pods: facts::PodActions { approve: self.allow, reject, activate: Vec::new() },
        }
    }
}

// The imports of a post-filter.

impl Convert<what_if::WhatIfCase> for old_what_if::WhatIfCase {
    fn convert(self) -> what_if::WhatIfCase {
        what_if::WhatIfCase { node: self.node, removed: self.taken_away }
    }
}

impl Convert<extenders::Candidate> for old_extenders::Candidate {
    fn convert(self) -> extenders::Candidate {
        extenders::Candidate { node: self.node, victims: self.victims, violations: self.violations }
    }
}

impl Convert<old_extenders::Candidate> for extenders::Candidate {
    fn convert(self) -> old_extenders::Candidate {
        old_extenders::Candidate { node: self.node, victims: self.victims, violations: self.violations }
    }
}
