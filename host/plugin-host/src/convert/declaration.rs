//! Converts a plugin's declaration to the core's types.

use std::sync::Arc;

use berth_core::cluster_event::{EventActions, Interest};
use berth_core::facts::{ClusterFacts, NodeFacts, PodFacts};
use berth_core::model::ObjectReads;
use berth_core::plugins::{Declaration, ExtensionPoints, Normalization, Scope};

use crate::bindings::berth::scheduler::types as wit;
use crate::bindings::exports::berth::scheduler::plugin::{ClusterEvent, Declaration as WitDeclaration};

/// Converts a declaration. The core's flags have the same bits as the contract's flags; other bits are dropped.
pub(crate) fn declaration(
    name: Arc<str>,
    version: &str,
    points: ExtensionPoints,
    from: &WitDeclaration,
    objects: Vec<ObjectReads>,
) -> Declaration {
    let pod_facts = |facts: wit::PodFacts| PodFacts::from_bits_truncate(bits(&facts.as_array()));
    Declaration {
        name,
        version: version.into(),
        points,
        pod_facts: pod_facts(from.pod_facts),
        node_facts: NodeFacts::from_bits_truncate(bits(&from.node_facts.as_array())),
        resident_pod_facts: pod_facts(from.resident_pod_facts),
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

fn interest(event: &ClusterEvent) -> Interest {
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
    use crate::bindings::exports::berth::scheduler::plugin::EventActions as Actions;

    /// Checks that the facts have the same order here and in the contract.
    #[test]
    fn flags_agree_with_the_contract() {
        let pods = [
            (wit::PodFacts::NAME, PodFacts::NAME),
            (wit::PodFacts::NAMESPACE, PodFacts::NAMESPACE),
            (wit::PodFacts::UID, PodFacts::UID),
            (wit::PodFacts::LABELS, PodFacts::LABELS),
            (wit::PodFacts::ANNOTATIONS, PodFacts::ANNOTATIONS),
            (wit::PodFacts::OWNERS, PodFacts::OWNERS),
            (wit::PodFacts::NODE_NAME, PodFacts::NODE_NAME),
            (wit::PodFacts::SCHEDULER_NAME, PodFacts::SCHEDULER_NAME),
            (wit::PodFacts::PRIORITY, PodFacts::PRIORITY),
            (wit::PodFacts::TOLERATIONS, PodFacts::TOLERATIONS),
            (wit::PodFacts::NODE_AFFINITY, PodFacts::NODE_AFFINITY),
            (wit::PodFacts::POD_AFFINITY, PodFacts::POD_AFFINITY),
            (wit::PodFacts::TOPOLOGY_SPREAD, PodFacts::TOPOLOGY_SPREAD),
            (wit::PodFacts::REQUESTS, PodFacts::REQUESTS),
            (wit::PodFacts::CONTAINERS, PodFacts::CONTAINERS),
            (wit::PodFacts::IMAGES, PodFacts::IMAGES),
            (wit::PodFacts::HOST_PORTS, PodFacts::HOST_PORTS),
            (wit::PodFacts::VOLUMES, PodFacts::VOLUMES),
            (wit::PodFacts::SCHEDULING_GATES, PodFacts::SCHEDULING_GATES),
            (wit::PodFacts::RESOURCE_CLAIMS, PodFacts::RESOURCE_CLAIMS),
            (wit::PodFacts::HOST_NETWORK, PodFacts::HOST_NETWORK),
            (wit::PodFacts::NOMINATED_NODE, PodFacts::NOMINATED_NODE),
            (wit::PodFacts::DELETION, PodFacts::DELETION),
            (wit::PodFacts::START_TIME, PodFacts::START_TIME),
            (wit::PodFacts::USER_NAMESPACE, PodFacts::USER_NAMESPACE),
            (wit::PodFacts::RESTART_ACTIONS, PodFacts::RESTART_ACTIONS),
        ];
        let nodes = [
            (wit::NodeFacts::NAME, NodeFacts::NAME),
            (wit::NodeFacts::LABELS, NodeFacts::LABELS),
            (wit::NodeFacts::ANNOTATIONS, NodeFacts::ANNOTATIONS),
            (wit::NodeFacts::TAINTS, NodeFacts::TAINTS),
            (wit::NodeFacts::UNSCHEDULABLE, NodeFacts::UNSCHEDULABLE),
            (wit::NodeFacts::ALLOCATABLE, NodeFacts::ALLOCATABLE),
            (wit::NodeFacts::USAGE, NodeFacts::USAGE),
            (wit::NodeFacts::IMAGES, NodeFacts::IMAGES),
            (wit::NodeFacts::USED_PORTS, NodeFacts::USED_PORTS),
            (wit::NodeFacts::CONDITIONS, NodeFacts::CONDITIONS),
            (wit::NodeFacts::DECLARED_FEATURES, NodeFacts::DECLARED_FEATURES),
            (wit::NodeFacts::PODS, NodeFacts::PODS),
        ];
        assert!(pods.iter().all(|(theirs, ours)| bits(&theirs.as_array()) == ours.bits()));
        assert!(nodes.iter().all(|(theirs, ours)| bits(&theirs.as_array()) == ours.bits()));
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
        assert_eq!((pods.len(), nodes.len()), (PodFacts::all().iter().count(), NodeFacts::all().iter().count()));
        assert_eq!(bits(&wit::ClusterFacts::IMAGES.as_array()), ClusterFacts::IMAGES.bits());
        assert_eq!(bits(&wit::ClusterFacts::NODE_COUNT.as_array()), ClusterFacts::NODE_COUNT.bits());
    }
}
