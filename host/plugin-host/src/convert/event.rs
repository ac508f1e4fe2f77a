//! Converts cluster events for queueing hints.

use berth_core::cluster_event::EventActions;
use berth_core::facts::NodeFacts;
use berth_core::model::Node;
use berth_core::reads::NodeReads;
use bumpalo::Bump;

use super::node::{conditions, system_info, taints};
use super::resources::{NOTHING, resources};
use super::selector::labels_read;
use super::strings;
use crate::bindings::types::EventActions as Actions;
use crate::bindings::v0_2::exports::berth::scheduler::queueing_hint as wit;

/// Converts the state of a node before or after an event, with these fields. Other fields are empty.
pub(crate) fn node_then<'a>(arena: &'a Bump, node: &'a Node, reads: &'a NodeReads) -> wit::Node<'a> {
    let has = |fact| reads.facts.contains(fact);
    wit::Node {
        name: if has(NodeFacts::NAME) { &node.name } else { "" },
        labels: labels_read(arena, &node.labels, has(NodeFacts::LABELS), &reads.label_keys),
        annotations: labels_read(arena, &node.annotations, has(NodeFacts::ANNOTATIONS), &reads.annotation_keys),
        taints: if has(NodeFacts::TAINTS) { taints(arena, &node.taints) } else { &[] },
        unschedulable: has(NodeFacts::UNSCHEDULABLE) && node.unschedulable,
        allocatable: if has(NodeFacts::ALLOCATABLE) { resources(arena, &node.allocatable) } else { NOTHING },
        conditions: if has(NodeFacts::CONDITIONS) { conditions(arena, &node.conditions) } else { &[] },
        declared_features: if has(NodeFacts::DECLARED_FEATURES) {
            strings(arena, &node.declared_features)
        } else {
            &[]
        },
        capacity: if has(NodeFacts::CAPACITY) { resources(arena, &node.capacity) } else { NOTHING },
        info: has(NodeFacts::INFO).then(|| system_info(&node.info)),
        fields: if reads.fields.is_empty() { "" } else { arena.alloc_str(&reads.json(node)) },
    }
}

/// Converts actions. The core's flags have the same bits as the contract's.
pub(crate) fn event_actions(actions: EventActions) -> Actions {
    let each = [
        (EventActions::ADD, Actions::ADD),
        (EventActions::DELETE, Actions::DELETE),
        (EventActions::UPDATE, Actions::UPDATE),
        (EventActions::UPDATE_LABELS, Actions::UPDATE_LABELS),
        (EventActions::UPDATE_TAINTS, Actions::UPDATE_TAINTS),
        (EventActions::UPDATE_ALLOCATABLE, Actions::UPDATE_ALLOCATABLE),
        (EventActions::UPDATE_CONDITION, Actions::UPDATE_CONDITION),
        (EventActions::UPDATE_SCALE_DOWN, Actions::UPDATE_SCALE_DOWN),
        (EventActions::UPDATE_TOLERATIONS, Actions::UPDATE_TOLERATIONS),
        (EventActions::UPDATE_GATES_ELIMINATED, Actions::UPDATE_GATES_ELIMINATED),
    ];
    let set = each.into_iter().filter(|(ours, _)| actions.contains(*ours));
    set.fold(Actions::empty(), |all, (_, theirs)| all | theirs)
}

#[cfg(test)]
mod tests {
    use berth_core::model::{Effect, Labels, Resources, Taint};

    use super::*;

    #[test]
    fn a_node_has_the_declared_facts() {
        let node = Node {
            name: "a".into(),
            labels: Labels::from_iter([("zone", "z")]),
            taints: vec![Taint { key: "gpu".into(), value: "".into(), effect: Effect::NoSchedule }],
            allocatable: Resources { milli_cpu: 1_500, ..Resources::default() },
            unschedulable: true,
            ..Node::default()
        };
        let arena = Bump::new();
        let reads = NodeReads::from(NodeFacts::LABELS | NodeFacts::TAINTS | NodeFacts::UNSCHEDULABLE);
        let some = node_then(&arena, &node, &reads);
        assert_eq!((some.name, some.labels.len(), some.taints.len(), some.unschedulable), ("", 1, 1, true));
        assert_eq!(some.allocatable.milli_cpu, 0);
        let reads = NodeReads::from(NodeFacts::NAME | NodeFacts::ALLOCATABLE);
        let others = node_then(&arena, &node, &reads);
        assert_eq!((others.name, others.labels.len(), others.taints.len(), others.unschedulable), ("a", 0, 0, false));
        assert_eq!(others.allocatable.milli_cpu, 1_500);
    }

    #[test]
    fn actions_agree_with_the_contract() {
        let all = event_actions(EventActions::all());
        assert_eq!(all.as_array().first().copied(), Some(EventActions::all().bits()));
        assert_eq!(event_actions(EventActions::ADD), Actions::ADD);
    }
}
