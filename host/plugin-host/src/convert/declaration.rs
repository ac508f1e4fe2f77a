//! Converts a plugin's declaration to the core's types.

use std::sync::Arc;

use berth_core::cluster_event::{EventActions, Interest};
use berth_core::facts::{ClusterFacts, NodeFacts, PodFacts};
use berth_core::model::ObjectReads;
use berth_core::plugins::{Declaration, ExtensionPoints, Normalization, Scope};
use berth_core::reads::{NodeReads, PodReads};

use crate::bindings::types as wit;
use crate::bindings::v0_2::berth::scheduler::facts;
use crate::bindings::v0_2::exports::berth::scheduler::plugin::{ClusterEvent, Declaration as WitDeclaration};

/// Converts a declaration. Flags of facts have the same bits here and in the contract, except those of nodes that
/// version 0.2 added; unknown bits are dropped.
pub(crate) fn declaration(
    name: Arc<str>,
    version: &str,
    points: ExtensionPoints,
    from: &WitDeclaration,
    objects: Vec<ObjectReads>,
) -> Declaration {
    Declaration {
        name,
        version: version.into(),
        points,
        pod: pod_reads(&from.pod),
        node: node_reads(from),
        resident_pods: from.resident_pods.as_ref().map(pod_reads).unwrap_or_default(),
        pending_pods: from.pending_pods.as_ref().map(pod_reads),
        reads_time: from.reads_time,
        cluster_facts: ClusterFacts::from_bits_truncate(bits(&from.cluster_facts.as_array())),
        objects,
        filter_scope: scope(from.filter_scope),
        score_scope: scope(from.score_scope),
        normalization: match from.normalization {
            wit::Normalization::None => Normalization::None,
            wit::Normalization::Default => Normalization::Default,
            wit::Normalization::DefaultReversed => Normalization::DefaultReversed,
            wit::Normalization::Custom => Normalization::Custom,
        },
        retry_on: from.retry_on.iter().map(interest).collect(),
    }
}

fn pod_reads(from: &facts::PodReads) -> PodReads {
    PodReads::new(
        PodFacts::from_bits_truncate(bits(&from.facts.as_array())),
        boxed(&from.label_keys),
        boxed(&from.annotation_keys),
        boxed(&from.fields),
    )
}

fn node_reads(from: &WitDeclaration) -> NodeReads {
    let reads = &from.node;
    let mut facts = node_facts(reads.facts);
    facts.set(NodeFacts::PODS, from.resident_pods.is_some());
    NodeReads::new(facts, boxed(&reads.label_keys), boxed(&reads.annotation_keys), boxed(&reads.fields))
}

fn boxed(names: &[String]) -> impl Iterator<Item = Box<str>> {
    names.iter().map(|name| name.as_str().into())
}

/// Converts facts of nodes. The core has a flag for the pods on nodes among them, which the contract declares as
/// `resident-pods`.
fn node_facts(from: facts::NodeFacts) -> NodeFacts {
    const SAME: u32 = NodeFacts::PODS.bits() - 1;
    let mut facts = NodeFacts::from_bits_truncate(bits(&from.as_array()) & SAME);
    facts.set(NodeFacts::CAPACITY, from.contains(facts::NodeFacts::CAPACITY));
    facts.set(NodeFacts::INFO, from.contains(facts::NodeFacts::INFO));
    facts
}

/// Converts an event after which a rejected pod is worth another attempt.
pub(crate) fn interest(event: &ClusterEvent) -> Interest {
    let actions = EventActions::from_bits_truncate(bits(&event.actions.as_array()));
    Interest { kind: event.kind.as_str().into(), actions }
}

/// Returns the flags as one word; the contract's flags fit one word.
fn bits(words: &[u32]) -> u32 {
    words.first().copied().unwrap_or_default()
}

fn scope(scope: wit::Scope) -> Scope {
    match scope {
        wit::Scope::Cluster => Scope::Cluster,
        wit::Scope::Node => Scope::Node,
        wit::Scope::Domain => Scope::Domain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::v0_2::exports::berth::scheduler::plugin::EventActions as Actions;

    /// Checks that the facts have the same order here and in the contract.
    #[test]
    fn flags_agree_with_the_contract() {
        let pods = [
            (facts::PodFacts::NAME, PodFacts::NAME),
            (facts::PodFacts::NAMESPACE, PodFacts::NAMESPACE),
            (facts::PodFacts::UID, PodFacts::UID),
            (facts::PodFacts::LABELS, PodFacts::LABELS),
            (facts::PodFacts::ANNOTATIONS, PodFacts::ANNOTATIONS),
            (facts::PodFacts::OWNERS, PodFacts::OWNERS),
            (facts::PodFacts::NODE_NAME, PodFacts::NODE_NAME),
            (facts::PodFacts::SCHEDULER_NAME, PodFacts::SCHEDULER_NAME),
            (facts::PodFacts::PRIORITY, PodFacts::PRIORITY),
            (facts::PodFacts::TOLERATIONS, PodFacts::TOLERATIONS),
            (facts::PodFacts::NODE_AFFINITY, PodFacts::NODE_AFFINITY),
            (facts::PodFacts::POD_AFFINITY, PodFacts::POD_AFFINITY),
            (facts::PodFacts::TOPOLOGY_SPREAD, PodFacts::TOPOLOGY_SPREAD),
            (facts::PodFacts::REQUESTS, PodFacts::REQUESTS),
            (facts::PodFacts::CONTAINERS, PodFacts::CONTAINERS),
            (facts::PodFacts::IMAGES, PodFacts::IMAGES),
            (facts::PodFacts::HOST_PORTS, PodFacts::HOST_PORTS),
            (facts::PodFacts::VOLUMES, PodFacts::VOLUMES),
            (facts::PodFacts::SCHEDULING_GATES, PodFacts::SCHEDULING_GATES),
            (facts::PodFacts::RESOURCE_CLAIMS, PodFacts::RESOURCE_CLAIMS),
            (facts::PodFacts::HOST_NETWORK, PodFacts::HOST_NETWORK),
            (facts::PodFacts::NOMINATED_NODE, PodFacts::NOMINATED_NODE),
            (facts::PodFacts::DELETION, PodFacts::DELETION),
            (facts::PodFacts::START_TIME, PodFacts::START_TIME),
            (facts::PodFacts::USER_NAMESPACE, PodFacts::USER_NAMESPACE),
            (facts::PodFacts::RESTART_ACTIONS, PodFacts::RESTART_ACTIONS),
            (facts::PodFacts::LIMITS, PodFacts::LIMITS),
            (facts::PodFacts::QOS, PodFacts::QOS),
            (facts::PodFacts::CREATION_TIME, PodFacts::CREATION_TIME),
            (facts::PodFacts::SCHEDULING_GROUP, PodFacts::SCHEDULING_GROUP),
        ];
        let nodes = [
            (facts::NodeFacts::NAME, NodeFacts::NAME),
            (facts::NodeFacts::LABELS, NodeFacts::LABELS),
            (facts::NodeFacts::ANNOTATIONS, NodeFacts::ANNOTATIONS),
            (facts::NodeFacts::TAINTS, NodeFacts::TAINTS),
            (facts::NodeFacts::UNSCHEDULABLE, NodeFacts::UNSCHEDULABLE),
            (facts::NodeFacts::ALLOCATABLE, NodeFacts::ALLOCATABLE),
            (facts::NodeFacts::USAGE, NodeFacts::USAGE),
            (facts::NodeFacts::IMAGES, NodeFacts::IMAGES),
            (facts::NodeFacts::USED_PORTS, NodeFacts::USED_PORTS),
            (facts::NodeFacts::CONDITIONS, NodeFacts::CONDITIONS),
            (facts::NodeFacts::DECLARED_FEATURES, NodeFacts::DECLARED_FEATURES),
            (facts::NodeFacts::CAPACITY, NodeFacts::CAPACITY),
            (facts::NodeFacts::INFO, NodeFacts::INFO),
        ];
        assert!(pods.iter().all(|(theirs, ours)| bits(&theirs.as_array()) == ours.bits()));
        assert!(nodes.iter().all(|(theirs, ours)| node_facts(*theirs) == *ours));
        let actions = [
            (Actions::ADD, EventActions::ADD),
            (Actions::DELETE, EventActions::DELETE),
            (Actions::UPDATE, EventActions::UPDATE),
            (Actions::UPDATE_LABELS, EventActions::UPDATE_LABELS),
            (Actions::UPDATE_TAINTS, EventActions::UPDATE_TAINTS),
            (Actions::UPDATE_ALLOCATABLE, EventActions::UPDATE_ALLOCATABLE),
            (Actions::UPDATE_CONDITION, EventActions::UPDATE_CONDITION),
            (Actions::UPDATE_SCALE_DOWN, EventActions::UPDATE_SCALE_DOWN),
            (Actions::UPDATE_TOLERATIONS, EventActions::UPDATE_TOLERATIONS),
            (Actions::UPDATE_GATES_ELIMINATED, EventActions::UPDATE_GATES_ELIMINATED),
        ];
        assert!(actions.iter().all(|(theirs, ours)| bits(&theirs.as_array()) == ours.bits()));
        // The contract declares fields by name and pods on nodes separately.
        let declared = (PodFacts::all() - PodFacts::FIELDS, NodeFacts::all() - NodeFacts::FIELDS - NodeFacts::PODS);
        assert_eq!((pods.len(), nodes.len()), (declared.0.iter().count(), declared.1.iter().count()));
        assert_eq!(bits(&facts::ClusterFacts::IMAGES.as_array()), ClusterFacts::IMAGES.bits());
        assert_eq!(bits(&facts::ClusterFacts::NODE_COUNT.as_array()), ClusterFacts::NODE_COUNT.bits());
    }
}
