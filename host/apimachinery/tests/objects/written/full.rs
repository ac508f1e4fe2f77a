//! Tests the API objects of a pod and a node with all fields, of named fields, and of other kinds.

use std::sync::Arc;

use berth_apimachinery::objects::{EventReader, NamedFieldsReader, Notes, ObjectReader, RawObject, write};
use berth_core::model::{ObjectKind, ObjectReads};
use serde_json::{Value, json};

use crate::yaml;

/// The written object has the fields that the model has, and no others: for example, no `managedFields`, no `command`
/// of a container, and no port without a host port.
#[test]
fn a_pod_with_all_fields_is_written() {
    let (pod, _) = crate::pod(&yaml("pod.yaml"));
    let written = write::pod(&pod);
    assert_eq!(written, yaml("pod-written.yaml"), "{written}");
    let again = EventReader::default().pod(&written, &mut Notes::default()).expect("a pod");
    assert_eq!(again, pod);
}

#[test]
fn a_node_with_all_fields_is_written() {
    let (node, _) = crate::node(&yaml("node.yaml"));
    let written = write::node(&node);
    assert_eq!(written, yaml("node-written.yaml"), "{written}");
    assert_eq!(crate::node(&written).0, node);
}

#[test]
fn absent_fields_stay_absent() {
    let object = json!({"metadata": {"name": "p", "namespace": "d", "uid": "u"}});
    let written = write::pod(&crate::pod(&object).0);
    let expected = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "d", "uid": "u"},
        "spec": {"schedulerName": "default-scheduler"},
        "status": {"phase": "Pending"},
    });
    assert_eq!(written, expected);
    let written = write::node(&crate::node(&json!({"metadata": {"name": "n"}})).0);
    assert_eq!(written, json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}));
}

#[test]
fn named_fields_are_added() {
    let paths = ["spec.restartPolicy", "spec.containers.command", "spec.overhead", "status.conditions", "spec.volumes"];
    let reader = NamedFieldsReader::new(&paths.map(Box::from).into());
    let object = yaml("pod.yaml");
    let (mut pod, _) = crate::pod(&object);
    pod.fields = reader.read(&object.to_string());
    let written = write::pod(&pod);
    assert_eq!(written["spec"]["containers"][0]["command"], json!(["serve"]));
    assert_eq!(written["spec"]["restartPolicy"], "Always");
    assert_eq!(written["status"]["conditions"], object["status"]["conditions"]);
    assert_eq!(written["spec"]["volumes"][2]["ephemeral"], json!({"volumeClaimTemplate": {"spec": {}}}));
    let again = crate::pod(&written).0;
    assert_eq!((again.spec, again.requests), (pod.spec, pod.requests));

    let object = yaml("node.yaml");
    let (mut node, _) = crate::node(&object);
    node.fields = NamedFieldsReader::new(&["spec.podCIDR".into()].into()).read(&object.to_string());
    assert_eq!(write::node(&node)["spec"]["podCIDR"], "10.0.0.0/24");
}

/// A named field is left out if the object with the field would read as another pod.
#[test]
fn named_fields_do_not_change_the_pod() {
    let object = json!({
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
    });
    let (mut pod, _) = crate::pod(&object);
    let named = json!({"spec": {"overhead": {"cpu": "1"}, "priority": 7, "hostname": "h"}});
    let paths = ["spec.overhead", "spec.priority", "spec.hostname"].map(Box::from);
    pod.fields = NamedFieldsReader::new(&paths.into()).read(&named.to_string());
    let spec = &write::pod(&pod)["spec"];
    assert_eq!((&spec["overhead"], &spec["priority"], &spec["hostname"]), (&Value::Null, &Value::Null, &json!("h")));
}

#[test]
fn an_object_gets_its_identity() {
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Pool",
        "metadata": {"name": "a", "namespace": "d", "uid": "u", "labels": {"x": "y"}},
        "spec": {"size": 3, "other": 4},
    });
    let kind = Arc::new(ObjectKind { api_version: "example.com/v1".into(), kind: "Pool".into() });
    for (fields, expected) in [
        (
            &["spec.size", "metadata.labels"][..],
            json!({
                "apiVersion": "example.com/v1", "kind": "Pool",
                "metadata": {"name": "a", "namespace": "d", "uid": "u", "labels": {"x": "y"}},
                "spec": {"size": 3},
            }),
        ),
        (
            &[],
            json!({
                "apiVersion": "example.com/v1", "kind": "Pool",
                "metadata": {"name": "a", "namespace": "d", "uid": "u"},
            }),
        ),
    ] {
        let fields = fields.iter().map(|field| (*field).into()).collect();
        let reader = ObjectReader::new(&ObjectReads { kind: Arc::clone(&kind), fields });
        let read = |object: &Value| {
            let raw: RawObject = serde_json::from_value(object.clone()).expect("an object");
            reader.read(&raw, &mut Notes::default())
        };
        let model = read(&object);
        let written = write::object(&model);
        assert_eq!(written, expected);
        assert_eq!(read(&written), model);
    }
}
