//! The files of kube-scheduler-simulator.

#![allow(clippy::expect_used, reason = "tests")]

mod common;

use std::time::Duration;

use berth_import::{At, Format};
use common::{error, read};
use serde_json::{Value, json};

/// What `GET /api/v1/export` answers: objects without a type, and null for an empty list.
fn snapshot() -> Value {
    json!({
        "pods": [{"metadata": {"name": "p", "namespace": "default", "uid": "u-1"}, "spec": {"nodeName": "n"}}],
        "nodes": [{"metadata": {"name": "n", "uid": "u-2"}}],
        "pvs": [{"metadata": {"name": "pv"}}],
        "pvcs": [{"metadata": {"name": "pvc", "namespace": "default"}}],
        "storageClasses": null,
        "priorityClasses": [{"metadata": {"name": "high"}, "value": 10}],
        "schedulerConfig": {"parallelism": 16},
        "namespaces": [{"metadata": {"name": "default"}}],
    })
}

#[test]
fn a_snapshot_is_read() {
    let yaml = "namespaces:\n- metadata: {name: a}\nnodes: []\nschedulerConfig: {}\n";
    let read_yaml = read(yaml, None).expect("a snapshot");
    assert_eq!((read_yaml.names(), read_yaml.format), (vec!["Namespace a".to_owned()], Format::Snapshot));

    let read = read(snapshot().to_string(), None).expect("a snapshot");
    assert_eq!(read.format, Format::Snapshot);
    let mut names = read.names();
    names.sort();
    let expected = [
        "Namespace default",
        "Node n",
        "PersistentVolume pv",
        "PersistentVolumeClaim default/pvc",
        "Pod default/p",
        "PriorityClass high",
    ];
    assert_eq!(names, expected);
    let class = read.objects.iter().find(|object| object["kind"] == "PriorityClass").expect("the class");
    assert_eq!(class["apiVersion"], "scheduling.k8s.io/v1");
    assert!(read.report.contains("schedulerConfig is left out"), "{}", read.report);
    assert!(read.report.contains("berth run --config"), "{}", read.report);
}

/// A record: a pod is created, bound, and deleted; a node stays.
fn record() -> String {
    let pod = |node: &str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "a"}, "spec": {"nodeName": node}});
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}});
    let lines = [
        ("2026-11-26T10:00:00Z", "Add", node),
        ("2026-11-26T10:00:00.5Z", "Add", pod("")),
        ("2026-11-26T10:00:10+00:00", "Update", pod("n")),
        ("2026-11-26T10:00:20Z", "Delete", pod("n")),
    ];
    lines
        .map(|(time, event, resource)| json!({"time": time, "event": event, "resource": resource}).to_string())
        .join("\n")
}

#[test]
fn a_record_is_read_at_a_time() {
    let at = |seconds: u64| read(record(), Some(At::After(Duration::from_secs(seconds)))).expect("a record");
    assert_eq!(at(0).names(), ["Node n"]);
    assert_eq!(at(1).objects[1]["spec"]["nodeName"], "");
    assert_eq!(at(10).objects[1]["spec"]["nodeName"], "n");
    let end = read(record(), None).expect("a record");
    assert_eq!((end.names(), end.format), (vec!["Node n".to_owned()], Format::Record));
    assert!(end.report.contains("2026-11-26T10:00:20.000Z"), "{}", end.report);
}

#[test]
fn mistakes_in_a_record_are_named() {
    let line = |time: &str, event: &str, resource: Value| {
        json!({"time": time, "event": event, "resource": resource}).to_string()
    };
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}});
    let cut = record()[..record().len() - 10].to_owned();
    for (text, message) in [
        (cut, "not valid JSON, or it is truncated"),
        (line("2026-11-26T10:00:00Z", "Patch", node.clone()), "record 1: the event \"Patch\" is not known"),
        (line("yesterday", "Add", node), "record 1: the time \"yesterday\""),
        (line("2026-11-26T10:00:00Z", "Add", json!({})), "record 1: the resource has no kind"),
    ] {
        let error = error(&text, None);
        assert!(error.contains(message), "{text}: {error}");
    }
    let late = error(record(), Some(At::After(Duration::from_secs(60))));
    assert!(late.contains("--at: 2026-11-26T10:01:00.000Z is outside the recording"), "{late}");
}
