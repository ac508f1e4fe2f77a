//! Plugins that read objects of kinds other than nodes and pods. The scheduler lists and watches a kind once a plugin
//! reads the kind, and keeps only the declared fields of the objects.

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{NAMESPACE, node, nodes, pod, with};
use berth_tests::{Session, Target, crafted, directory, events};
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use serde_json::{Value, json};

crate::case::cases!(Both: a_field_of_an_object_decides, custom_resources_are_read, a_kind_that_is_not_served_has_no_objects,
    objects_near_the_size_limit_are_read);

/// The kinds that the plugin reads in one of the tests.
const KINDS: &str = "{read: [{apiVersion: v1, kind: ConfigMap}, {apiVersion: example.com/v1, kind: Pool}, \
                     {apiVersion: example.com/v1, kind: Ghost}]}";

/// The reason that the plugin gives while no object has the field.
const REASON: &str = "told so";

async fn with_plugin<'a>(target: &'a Target, plugin: &[u8]) -> Result<Session<'a>> {
    target.grant("Wanting", KINDS)?;
    directory::install(&target.plugins_dir(), "crafted.wasm", plugin)?;
    let session = Session::with_nodes(target, nodes("n", 2, 8)).await?;
    session.until_loaded("crafted.wasm").await?;
    Ok(session)
}

fn api(target: &Target, api_version: &str, kind: &str, namespace: Option<&str>) -> Api<DynamicObject> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    match namespace {
        Some(namespace) => Api::namespaced_with(target.client.clone(), namespace, &resource),
        None => Api::all_with(target.client.clone(), &resource),
    }
}

async fn create(api: &Api<DynamicObject>, object: Value) -> Result<()> {
    let object: DynamicObject = serde_json::from_value(object)?;
    api.create(&PostParams::default(), &object).await.with_context(|| format!("creating {object:?}"))?;
    Ok(())
}

/// A pod waits until a ConfigMap has the field `data.pool`. A ConfigMap with another field does not help. Once the
/// ConfigMap with the field is removed, later pods wait again.
async fn a_field_of_an_object_decides(target: &Target) -> Result<()> {
    let session =
        with_plugin(target, &crafted::rejecting_until_object("Wanting", "v1", "ConfigMap", "data.pool")).await?;
    let maps = api(target, "v1", "ConfigMap", Some(NAMESPACE));
    let map = |name: &str, data: Value| json!({"metadata": {"name": name, "namespace": NAMESPACE}, "data": data});
    create(&maps, map("other", json!({"colour": "blue"}))).await?;
    session.create(&pod("first", "10m")).await?;
    events::with_note(&target.client, "first", "FailedScheduling", REASON).await?;
    create(&maps, map("pool", json!({"pool": "east", "colour": "blue"}))).await?;
    session.journal.until_placed("first", 1).await?;

    maps.delete("pool", &DeleteParams::default()).await?;
    let mut attempts = 0;
    // Pods are placed until the scheduler has seen the removal.
    eventually("a pod is rejected because the object is gone", || {
        attempts += 1;
        let name = format!("later-{attempts}");
        let session = &session;
        async move {
            let seen = session.probe_pod(&name).await?;
            Ok(Look::at(seen.node.is_none(), || format!("{name} was placed")))
        }
    })
    .await?;
    maps.delete("other", &DeleteParams::default()).await?;
    session.end().await
}

fn definition() -> Value {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "pools.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster",
            "names": {"plural": "pools", "singular": "pool", "kind": "Pool"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

async fn custom_resources_are_read(target: &Target) -> Result<()> {
    let definitions = api(target, "apiextensions.k8s.io/v1", "CustomResourceDefinition", None);
    berth_tests::api::serve_kind(&target.client, &definition()).await?;
    let pools = api(target, "example.com/v1", "Pool", None);
    let session =
        with_plugin(target, &crafted::rejecting_until_object("Wanting", "example.com/v1", "Pool", "spec.size")).await?;
    session.create(&pod("first", "10m")).await?;
    events::with_note(&target.client, "first", "FailedScheduling", REASON).await?;
    create(
        &pools,
        json!({"apiVersion": "example.com/v1", "kind": "Pool", "metadata": {"name": "east"}, "spec": {"size": 3}}),
    )
    .await?;
    session.journal.until_placed("first", 1).await?;
    definitions.delete("pools.example.com", &DeleteParams::default()).await?;
    session.end().await
}

async fn a_kind_that_is_not_served_has_no_objects(target: &Target) -> Result<()> {
    let session =
        with_plugin(target, &crafted::rejecting_until_object("Wanting", "example.com/v1", "Ghost", "spec")).await?;
    session.create(&pod("first", "10m")).await?;
    events::with_note(&target.client, "first", "FailedScheduling", REASON).await?;
    session.end().await
}

/// Returns a label value of the maximum length, 63 characters.
fn long_value(number: usize) -> String {
    format!("value-{number:057}")
}

/// The maximum size of an object is 1.5 MiB in etcd, and the maximum size of a ConfigMap's data is 1 MiB. The large
/// pod fits only the large node, by the last value of its node affinity, and waits for the large ConfigMap.
async fn objects_near_the_size_limit_are_read(target: &Target) -> Result<()> {
    const LABELS: usize = 5_000;
    const VALUES: usize = 18_000;
    const DATA: usize = 1_000_000;
    let mut labels = json!({"pool": long_value(VALUES - 1)});
    for number in 0..LABELS {
        labels[long_value(number)] = json!(long_value(number));
    }
    let large_node = with(node("large", 8), &json!({"metadata": {"labels": labels}}));
    let values: Vec<String> = (0..VALUES).map(long_value).collect();
    let terms = json!([{"matchExpressions": [{"key": "pool", "operator": "In", "values": values}]}]);
    let affinity =
        json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}});
    let large_pod = with(pod("large", "10m"), &json!({"spec": {"affinity": affinity}}));

    let session =
        with_plugin(target, &crafted::rejecting_until_object("Wanting", "v1", "ConfigMap", "data.pool")).await?;
    session.create(&large_node).await?;
    session.create(&large_pod).await?;
    events::with_note(&target.client, "large", "FailedScheduling", REASON).await?;
    let map = json!({"metadata": {"name": "large", "namespace": NAMESPACE}, "data": {"pool": "a".repeat(DATA)}});
    let maps = api(target, "v1", "ConfigMap", Some(NAMESPACE));
    create(&maps, map).await?;
    let node = session.journal.until_pod_placed("large").await?;
    ensure!(node == "large", "the pod is on {node}");
    session.create(&pod("small", "10m")).await?;
    session.journal.until_pod_placed("small").await?;
    maps.delete("large", &DeleteParams::default()).await?;
    session.end().await
}
