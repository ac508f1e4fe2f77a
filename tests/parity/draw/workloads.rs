//! The owners of pods: controllers by owner references, Services by labels.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Objects;
use super::labels::NAMESPACES;
use super::parts::{Part, any_of, merged};

const NAMES: [&str; 2] = ["one", "two"];

/// Draws `metadata.ownerReferences`.
pub fn owners() -> Part {
    let kind = prop_oneof![
        Just(("v1", "ReplicationController")),
        Just(("apps/v1", "ReplicaSet")),
        Just(("apps/v1", "StatefulSet")),
        Just(("batch/v1", "Job")),
    ];
    let owner = (kind, any_of(&NAMES), any_of(&[true, true, false])).prop_map(|((version, kind), name, controller)| {
        let owner =
            json!({"apiVersion": version, "kind": kind, "name": name, "uid": "owner", "controller": controller});
        json!({"metadata": {"ownerReferences": [owner]}})
    });
    prop_oneof![Just(json!({})), owner].boxed()
}

/// Draws the labels by which Services and ReplicationControllers select pods.
fn labels() -> Part {
    prop_oneof![
        any_of(&["web", "api"]).prop_map(|app| json!({"app": app})),
        any_of(&["front", "back"]).prop_map(|tier| json!({"tier": tier})),
        Just(json!({"app": "web", "tier": "front"})),
    ]
    .boxed()
}

/// Draws a selector, and the labels of a pod template that the selector matches.
fn selector() -> BoxedStrategy<(Value, Value)> {
    let expression = |operator: &'static str, values: Value| json!({"matchExpressions": [{"key": "app", "operator": operator, "values": values}]});
    prop_oneof![
        labels().prop_map(|labels| (json!({"matchLabels": labels}), labels)),
        Just((expression("Exists", Value::Null), json!({"app": "web"}))),
        Just((expression("NotIn", json!(["web"])), json!({"app": "api"}))),
        Just((
            merged(expression("In", json!(["web", "db"])), json!({"matchLabels": {"tier": "back"}})),
            json!({"app": "web", "tier": "back"})
        )),
    ]
    .boxed()
}

fn template(labels: &Value) -> Value {
    let container = json!({
        "name": "c0", "image": "app:1", "imagePullPolicy": "Always", "terminationMessagePolicy": "File",
    });
    json!({"metadata": {"labels": labels}, "spec": {"containers": [container]}})
}

/// Draws Services and controllers.
pub fn all() -> Vec<Objects> {
    let service = prop_oneof![
        5 => labels().prop_map(|labels| json!({"selector": labels})),
        1 => Just(json!({})),
    ];
    let service = service.prop_map(|spec| merged(spec, json!({"clusterIP": "None", "clusterIPs": ["None"]})));
    let replicas =
        selector().prop_map(|(selector, labels)| json!({"selector": selector, "template": template(&labels)}));
    let controller = labels().prop_map(|labels| json!({"selector": labels, "template": template(&labels)}));
    let stateful = replicas.clone().prop_map(|spec| merged(spec, json!({"serviceName": "one"})));
    [
        ("v1", "Service", service.boxed()),
        ("v1", "ReplicationController", controller.boxed()),
        ("apps/v1", "ReplicaSet", replicas.boxed()),
        ("apps/v1", "StatefulSet", stateful.boxed()),
    ]
    .into_iter()
    .map(|(api_version, kind, spec)| {
        let spec = spec.prop_map(|spec| json!({"spec": spec})).boxed();
        Objects { api_version, kind, names: &NAMES, namespaces: &NAMESPACES[..2], parts: vec![spec] }
    })
    .collect()
}
