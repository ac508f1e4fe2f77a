//! Cases of garbage collection: dependents are deleted with their owners, unless the deletion orphans the dependents.

use kube::core::params::DeleteParams;
use serde_json::{Value, json};

use super::cluster::{Cluster, name};

fn owned(name: &str, owner: &Value) -> Value {
    let reference = json!({
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"], "blockOwnerDeletion": true,
    });
    json!({ "metadata": { "name": name, "ownerReferences": [reference] } })
}

async fn config_map(cluster: &Cluster, name: &str) -> Value {
    cluster.create("ConfigMap", json!({ "metadata": { "name": name } })).await
}

pub async fn deletions_cascade(cluster: Cluster) {
    for (root, params) in [("background", DeleteParams::background()), ("foreground", DeleteParams::foreground())] {
        let top = config_map(&cluster, root).await;
        let middle = cluster.create("ConfigMap", owned(&format!("{root}-middle"), &top)).await;
        let leaf = cluster.create("ConfigMap", owned(&format!("{root}-leaf"), &middle)).await;
        cluster.delete_with("ConfigMap", root, &params).await;
        for object in [&top, &middle, &leaf] {
            cluster.until_gone("ConfigMap", &name(object)).await;
        }
    }
    let mut never = config_map(&cluster, "never").await;
    never["metadata"]["uid"] = json!("00000000-0000-0000-0000-000000000000");
    cluster.create("ConfigMap", owned("of-nobody", &never)).await;
    cluster.until_gone("ConfigMap", "of-nobody").await;
    assert!(cluster.get("ConfigMap", "never").await.is_object());
}

pub async fn orphans_are_kept(cluster: Cluster) {
    let top = config_map(&cluster, "top").await;
    cluster.create("ConfigMap", owned("leaf", &top)).await;
    cluster.delete_with("ConfigMap", "top", &DeleteParams::orphan()).await;
    cluster.until_gone("ConfigMap", "top").await;
    let leaf = cluster.get("ConfigMap", "leaf").await;
    assert!(leaf["metadata"]["ownerReferences"].is_null(), "{leaf:#}");
}

pub async fn custom_resources_can_be_owners(cluster: Cluster) {
    let schema = json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    let definition = json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }],
        },
    });
    cluster.create("CustomResourceDefinition", definition).await;
    let established = |held: &Value| super::cluster::is_true(held, "Established");
    cluster.until("CustomResourceDefinition", "widgets.example.com", "established", established).await;
    let widget = cluster.create("Widget", json!({ "metadata": { "name": "w" } })).await;
    cluster.create("ConfigMap", owned("part", &widget)).await;
    cluster.delete_with("Widget", "w", &DeleteParams::foreground()).await;
    cluster.until_gone("Widget", "w").await;
    cluster.until_gone("ConfigMap", "part").await;
}
