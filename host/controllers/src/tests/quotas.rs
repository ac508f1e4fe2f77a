//! Tests the status of ResourceQuotas.

use serde_json::{Value, json};

use super::super::kinds::{self, Kind, Kinds, Served};
use super::super::resource_quota::{frees, plan};
use super::super::write::Plan;
use super::{ago, cluster, key, now, object_of, pod, status, with};

fn served() -> Kinds {
    let mut kinds = Kinds::default();
    let found = kinds::typed().into_iter().map(|(_, resource)| {
        let namespaced = !matches!(resource.kind.as_str(), "Node" | "Namespace" | "PersistentVolume" | "StorageClass");
        Served { resource, namespaced, collective: true, watched: true }
    });
    kinds.update(found.collect());
    kinds
}

fn quota(hard: Value, more: Value) -> Value {
    let quota = json!({
        "kind": "ResourceQuota",
        "metadata": { "namespace": "default", "name": "q" },
        "spec": { "hard": hard },
    });
    with(quota, more)
}

fn planned(objects: Vec<Value>) -> Plan {
    plan(&cluster(objects), &served(), &key("default/q"), now())
}

fn requesting(name: &str, cpu: &str, more: Value) -> Value {
    let resources = json!({ "requests": { "cpu": cpu }, "limits": { "memory": "1Gi" } });
    let containers = json!([{ "name": "main", "image": "busybox", "resources": resources }]);
    pod(name, with(json!({ "spec": { "containers": containers } }), more))
}

#[test]
fn the_use_of_a_namespace_is_counted() {
    let hard = json!({ "pods": "9", "requests.cpu": "4", "limits.memory": "8Gi", "services": "1", "services.nodeports": "1",
        "requests.storage": "9Gi", "configmaps": "3", "count/deployments.apps": "2", "count/unknown.example.com": "1" });
    let other = |kind: &str, name: &str| json!({ "kind": kind, "metadata": { "namespace": "default", "name": name } });
    let plan = planned(vec![
        quota(hard.clone(), json!({})),
        requesting("a", "500m", json!({})),
        requesting("b", "1", json!({})),
        requesting("ended", "1", json!({ "status": { "phase": "Succeeded" } })),
        requesting(
            "lost",
            "1",
            json!({ "metadata": { "deletionTimestamp": ago(60), "deletionGracePeriodSeconds": 30 } }),
        ),
        requesting(
            "stopping",
            "1",
            json!({ "metadata": { "deletionTimestamp": ago(0), "deletionGracePeriodSeconds": 30 } }),
        ),
        with(requesting("elsewhere", "1", json!({})), json!({ "metadata": { "namespace": "other" } })),
        with(other("Service", "s"), json!({ "spec": { "type": "NodePort", "ports": [{ "nodePort": 30000 }, {}] } })),
        with(
            other("PersistentVolumeClaim", "c"),
            json!({ "spec": { "resources": { "requests": { "storage": "5Gi" } } } }),
        ),
        other("ConfigMap", "m"),
    ]);
    assert_eq!(
        status(&plan, Kind::ResourceQuota),
        json!({ "hard": hard, "used": { "pods": "3", "requests.cpu": "2500m", "limits.memory": "3Gi", "services": "1",
            "services.nodeports": "2", "requests.storage": "5Gi", "configmaps": "1", "count/deployments.apps": "0" } })
    );
    assert!(plan.rerun_after.is_some());
}

#[test]
fn a_status_is_written_only_when_it_changes() {
    let current = json!({ "status": { "hard": { "pods": "2" }, "used": { "pods": "1" } } });
    let plan = planned(vec![quota(json!({ "pods": "2" }), current.clone()), pod("a", json!({}))]);
    assert!(plan.writes.is_empty());
    let scopes = with(current, json!({ "spec": { "scopes": ["Terminating"] } }));
    let plan = planned(vec![quota(json!({ "pods": "2" }), scopes), pod("a", json!({}))]);
    assert_eq!(status(&plan, Kind::ResourceQuota), json!({ "hard": { "pods": "2" }, "used": { "pods": "0" } }));
    // A limit that the spec no longer has leaves the status.
    let old = json!({ "status": { "hard": { "pods": "2", "secrets": "1" }, "used": { "pods": "1", "secrets": "1" } } });
    let plan = planned(vec![quota(json!({ "pods": "2" }), old), pod("a", json!({}))]);
    assert_eq!(
        status(&plan, Kind::ResourceQuota),
        json!({ "hard": { "pods": "2", "secrets": null }, "used": { "pods": "1", "secrets": null } })
    );
}

#[test]
fn only_changes_that_free_something_are_counted() {
    let running = object_of(pod("a", json!({})), 1);
    let ended = object_of(pod("a", json!({ "status": { "phase": "Failed" } })), 2);
    let service = object_of(json!({ "kind": "Service", "metadata": { "namespace": "default", "name": "s" } }), 3);
    for (before, after, expected) in [
        (None, Some(&running), false),
        (Some(&running), Some(&running), false),
        (Some(&running), Some(&ended), true),
        (Some(&ended), Some(&ended), false),
        (Some(&running), None, true),
        (None, Some(&service), false),
        (Some(&service), Some(&service), true),
    ] {
        assert_eq!(frees(before, after), expected);
    }
}
