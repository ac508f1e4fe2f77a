//! The objects that every server has, and the return to them.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::resource::Resource;
use crate::state::State;
use crate::store::Object;
use crate::verbs;

/// The namespaces that every server contains.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// The priority classes that every server contains, with their values.
const PRIORITY_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// The name of the API server's own Service, in the namespace `default`.
const OWN_SERVICE: &str = "kubernetes";

/// Creates the objects in an empty store.
///
/// # Errors
/// An object can't be created.
pub fn create(state: &Arc<State>) -> Result<(), Failure> {
    for name in NAMESPACES {
        put(state, "", "namespaces", "", json!({"metadata": {"name": name}}))?;
    }
    for (name, value) in PRIORITY_CLASSES {
        let class = json!({"metadata": {"name": name}, "value": value, "preemptionPolicy": "PreemptLowerPriority"});
        put(state, "scheduling.k8s.io", "priorityclasses", "", class)?;
    }
    put(state, "", "services", "default", own_service())?;
    Ok(())
}

/// Returns the Service of the API server, which every cluster has. Nothing listens on its address.
fn own_service() -> Value {
    json!({
        "metadata": { "name": OWN_SERVICE, "labels": { "component": "apiserver", "provider": "kubernetes" } },
        "spec": {
            "type": "ClusterIP", "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"],
            "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "internalTrafficPolicy": "Cluster",
            "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443 }],
            "sessionAffinity": "None",
        },
    })
}

fn put(state: &Arc<State>, group: &str, plural: &str, namespace: &str, object: Value) -> Result<(), Failure> {
    let resource = state.registry.find(group, "v1", plural).ok_or_else(Failure::no_such_path)?;
    verbs::store_new(state, &resource, namespace, object, false)?;
    Ok(())
}

/// Removes all other objects at once: no finalizer and no grace period keeps one. Clients that write meanwhile can leave
/// objects behind.
pub fn reset(state: &Arc<State>) {
    let mut all: Vec<_> = state.all_objects().collect();
    // Objects go before their namespace and their definition.
    all.reverse();
    for (resource, object) in all {
        if !is_own(&resource, &object) {
            verbs::erase(state, &resource, &object);
        }
    }
}

/// Returns whether every server has this object.
fn is_own(resource: &Resource, object: &Object) -> bool {
    let name = object.name();
    match (resource.group.as_str(), resource.plural.as_str(), object.namespace()) {
        ("", "namespaces", _) => NAMESPACES.contains(&name),
        ("scheduling.k8s.io", "priorityclasses", _) => PRIORITY_CLASSES.iter().any(|(class, _)| *class == name),
        ("", "services", "default") => name == OWN_SERVICE,
        _ => false,
    }
}
