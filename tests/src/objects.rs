//! Objects for tests, written as the API's JSON.

use anyhow::{Context, Result};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

/// A ready node with this name and `cpu` cores, 16Gi and room for 110 pods.
pub fn node(name: &str, cpu: u32) -> Value {
    let amounts = json!({"cpu": cpu.to_string(), "memory": "16Gi", "ephemeral-storage": "100Gi", "pods": "110"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {
            "capacity": amounts, "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}

/// A pod of one container that asks for so much cpu (`100m`).
pub fn pod(name: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [{
            "name": "main", "image": "registry.example/app:1",
            "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}},
        }]},
    })
}

/// Creates any object; its status too, which the API server takes only on update.
pub async fn create(client: &Client, object: &Value) -> Result<()> {
    let what = format!("{} {}", object["kind"], object["metadata"]["name"]);
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("kind")));
    let api: Api<DynamicObject> = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let parsed = serde_json::from_value(object.clone()).with_context(|| format!("reading {what}"))?;
    api.create(&PostParams::default(), &parsed).await.with_context(|| format!("creating {what}"))?;
    Ok(())
}
