//! Nodes and pods as JSON, in the shape that Kubernetes gives them: for queueing hints.

use berth_core::cluster_event::EventActions;
use berth_core::facts::{NodeFacts, PodFacts};
use berth_core::model::{
    Condition, ConditionStatus, Effect, Labels, Node, Pod, Resources, Taint, Toleration, TolerationOperator,
};
use serde_json::{Map, Value, json};

use crate::wasm::bindings::berth::scheduler::types as wit;

/// The node with those of the facts that are its own fields.
pub(crate) fn node_json(node: &Node, facts: NodeFacts) -> Value {
    let mut json = Fields::default();
    json.set_if(facts.contains(NodeFacts::NAME), "metadata", "name", || json!(&*node.name));
    json.set_if(facts.contains(NodeFacts::NAME), "metadata", "uid", || json!(&*node.uid));
    json.set_if(facts.contains(NodeFacts::LABELS), "metadata", "labels", || labels(&node.labels));
    json.set_if(facts.contains(NodeFacts::ANNOTATIONS), "metadata", "annotations", || labels(&node.annotations));
    json.set_if(facts.contains(NodeFacts::TAINTS), "spec", "taints", || node.taints.iter().map(taint).collect());
    json.set_if(facts.contains(NodeFacts::UNSCHEDULABLE), "spec", "unschedulable", || json!(node.unschedulable));
    json.set_if(facts.contains(NodeFacts::ALLOCATABLE), "status", "allocatable", || resources(&node.allocatable));
    json.set_if(facts.contains(NodeFacts::CONDITIONS), "status", "conditions", || {
        node.conditions.iter().map(condition).collect()
    });
    json.0.into()
}

/// The pod with the simple ones of the facts.
pub(crate) fn pod_json(pod: &Pod, facts: PodFacts) -> Value {
    let (key, spec) = (&pod.key, &*pod.spec);
    let mut json = Fields::default();
    json.set_if(facts.contains(PodFacts::NAME), "metadata", "name", || json!(&*key.name));
    json.set_if(facts.contains(PodFacts::NAMESPACE), "metadata", "namespace", || json!(&*key.namespace));
    json.set_if(facts.contains(PodFacts::UID), "metadata", "uid", || json!(&*key.uid));
    json.set_if(facts.contains(PodFacts::LABELS), "metadata", "labels", || labels(&pod.labels));
    json.set_if(facts.contains(PodFacts::ANNOTATIONS), "metadata", "annotations", || labels(&pod.annotations));
    json.set_if(facts.contains(PodFacts::NODE_NAME), "spec", "nodeName", || json!(&*pod.node_name));
    json.set_if(facts.contains(PodFacts::SCHEDULER_NAME), "spec", "schedulerName", || json!(&*spec.scheduler_name));
    json.set_if(facts.contains(PodFacts::PRIORITY), "spec", "priority", || json!(spec.priority));
    json.set_if(facts.contains(PodFacts::TOLERATIONS), "spec", "tolerations", || {
        spec.tolerations.iter().map(toleration).collect()
    });
    json.0.into()
}

/// The core's flags are the contract's, bit for bit.
pub(crate) fn event_actions(actions: EventActions) -> wit::EventActions {
    let each = [
        (EventActions::ADD, wit::EventActions::ADD),
        (EventActions::DELETE, wit::EventActions::DELETE),
        (EventActions::UPDATE, wit::EventActions::UPDATE),
        (EventActions::UPDATE_LABELS, wit::EventActions::UPDATE_LABELS),
        (EventActions::UPDATE_TAINTS, wit::EventActions::UPDATE_TAINTS),
        (EventActions::UPDATE_ALLOCATABLE, wit::EventActions::UPDATE_ALLOCATABLE),
        (EventActions::UPDATE_CONDITION, wit::EventActions::UPDATE_CONDITION),
        (EventActions::UPDATE_SCALE_DOWN, wit::EventActions::UPDATE_SCALE_DOWN),
        (EventActions::UPDATE_TOLERATIONS, wit::EventActions::UPDATE_TOLERATIONS),
        (EventActions::UPDATE_GATES_ELIMINATED, wit::EventActions::UPDATE_GATES_ELIMINATED),
    ];
    let set = each.into_iter().filter(|(ours, _)| actions.contains(*ours));
    set.fold(wit::EventActions::empty(), |all, (_, theirs)| all | theirs)
}

#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn set_if(&mut self, wanted: bool, part: &str, field: &str, value: impl FnOnce() -> Value) {
        if wanted {
            let part = self.0.entry(part).or_insert_with(|| json!({}));
            part[field] = value();
        }
    }
}

fn labels(labels: &Labels) -> Value {
    Value::Object(labels.iter().map(|(key, value)| (key.to_owned(), json!(value))).collect())
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::NoSchedule => "NoSchedule",
        Effect::PreferNoSchedule => "PreferNoSchedule",
        Effect::NoExecute => "NoExecute",
    }
}

fn taint(taint: &Taint) -> Value {
    json!({"key": &*taint.key, "value": &*taint.value, "effect": effect(taint.effect)})
}

fn toleration(toleration: &Toleration) -> Value {
    let operator = match toleration.operator {
        TolerationOperator::Equal => "Equal",
        TolerationOperator::Exists => "Exists",
        TolerationOperator::Lt => "Lt",
        TolerationOperator::Gt => "Gt",
    };
    let effect = toleration.effect.map_or("", effect);
    json!({"key": &*toleration.key, "operator": operator, "value": &*toleration.value, "effect": effect})
}

fn condition(condition: &Condition) -> Value {
    let status = match condition.status {
        ConditionStatus::True => "True",
        ConditionStatus::False => "False",
        ConditionStatus::Unknown => "Unknown",
    };
    json!({"type": &*condition.kind, "status": status})
}

/// Quantities are texts, as Kubernetes has them: cpu in millicores, the others in base units.
fn resources(resources: &Resources) -> Value {
    let mut json = json!({
        "cpu": format!("{}m", resources.milli_cpu),
        "memory": resources.memory.to_string(),
        "ephemeral-storage": resources.ephemeral_storage.to_string(),
        "pods": resources.pods.to_string(),
    });
    for (name, quantity) in &resources.scalars {
        json[&**name] = json!(quantity.to_string());
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_the_declared_fields() {
        let node = Node {
            name: "a".into(),
            labels: Labels::from_iter([("zone", "z")]),
            taints: vec![Taint { key: "gpu".into(), value: "".into(), effect: Effect::NoSchedule }],
            allocatable: Resources { milli_cpu: 1_500, memory: 8, ..Resources::default() },
            ..Node::default()
        };
        let labels_and_taints = node_json(&node, NodeFacts::LABELS | NodeFacts::TAINTS);
        let taints = json!([{"key": "gpu", "value": "", "effect": "NoSchedule"}]);
        assert_eq!(labels_and_taints, json!({"metadata": {"labels": {"zone": "z"}}, "spec": {"taints": taints}}));
        let allocatable = node_json(&node, NodeFacts::ALLOCATABLE);
        assert_eq!(allocatable["status"]["allocatable"]["cpu"], "1500m");
        assert_eq!(node_json(&node, NodeFacts::USAGE), json!({}));
    }

    #[test]
    fn a_pod_has_the_declared_fields() {
        let mut pod = Pod::default();
        pod.key.namespace = "shop".into();
        pod.labels = Labels::from_iter([("app", "web")]);
        let fields = pod_json(&pod, PodFacts::NAMESPACE | PodFacts::LABELS | PodFacts::PRIORITY);
        let metadata = json!({"namespace": "shop", "labels": {"app": "web"}});
        assert_eq!(fields, json!({"metadata": metadata, "spec": {"priority": 0}}));
    }

    #[test]
    fn actions_agree_with_the_contract() {
        let all = event_actions(EventActions::all());
        assert_eq!(all.as_array().first().copied(), Some(EventActions::all().bits()));
        assert_eq!(event_actions(EventActions::ADD), wit::EventActions::ADD);
    }
}
