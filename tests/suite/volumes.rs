//! Claims with binding mode WaitForFirstConsumer: each claim gets a volume that the pod's node can access, or a volume
//! that is provisioned for the node.

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{NAMESPACE, nodes, pod, with};
use berth_tests::{Pods, Session, Target, api, events};
use serde_json::{Value, json};

crate::case::cases!(Both:
    an_existing_volume_is_bound_on_its_node,
    a_volume_is_bound_to_one_claim,
    a_volume_is_provisioned_for_the_pods_node,
    a_pod_is_tried_again_when_provisioning_fails,
);

const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";

async fn an_existing_volume_is_bound_on_its_node(target: &Target) -> Result<()> {
    let _controllers = target.controllers();
    // The volumes exist before the scheduler starts. Otherwise, the scheduler may know only some of them when the
    // pod is created.
    api::create(&target.client, &class("local", "kubernetes.io/no-provisioner")).await?;
    let volumes = [volume("larger", "2Gi", "n-1"), volume("right", "1Gi", "n-1"), volume("too-small", "1Mi", "n-2")];
    for volume in &volumes {
        create_available(target, volume).await?;
    }
    let session = Session::with_nodes(target, nodes("n", 3, 8)).await?;
    session.create(&claim("data", "local")).await?;
    session.create(&with_claim("web", "data")).await?;
    let node = session.journal.until_pod_placed("web").await?;
    ensure!(node == "n-1", "the volume is on n-1, the pod on {node}");
    let claim = read(target, &claim("data", "local")).await?;
    ensure!(claim["spec"]["volumeName"] == "right", "the claim is not bound to the volume right: {claim}");
    ensure!(is_bound(&claim), "the pod was placed before its claim was bound: {claim}");
    session.end().await
}

async fn a_volume_is_bound_to_one_claim(target: &Target) -> Result<()> {
    let _controllers = target.controllers();
    let session = Session::with_nodes(target, nodes("n", 2, 8)).await?;
    session.create(&class("local", "kubernetes.io/no-provisioner")).await?;
    create_available(target, &volume("only", "1Gi", "n-0")).await?;
    for name in ["one", "other"] {
        session.create(&claim(name, "local")).await?;
    }
    session.create_all([with_claim("web-0", "one"), with_claim("web-1", "other")]).await?;
    session.journal.until_placed("web", 1).await?;
    let none = "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.";
    let rejected = |pods: &Pods| pods.named("web").any(|(_, seen)| seen.rejection() == Some(none));
    let look = |pods: &Pods| Look::at(rejected(pods), || "no pod has the message".to_owned());
    session.journal.until("the later pod has the message that there is no volume", look).await?;
    // The claim of the rejected pod gets the volume `more`, so the pod is placed.
    create_available(target, &volume("more", "1Gi", "n-1")).await?;
    session.journal.until_placed("web", 2).await?;
    session.end().await
}

async fn a_volume_is_provisioned_for_the_pods_node(target: &Target) -> Result<()> {
    let _controllers = target.controllers();
    let session = Session::with_nodes(target, nodes("n", 2, 8)).await?;
    session.create(&class("made", "csi.example.com")).await?;
    session.create(&claim("data", "made")).await?;
    session.create(&with_claim("web", "data")).await?;
    let node = session.journal.until_pod_placed("web").await?;
    let claim = read(target, &claim("data", "made")).await?;
    ensure!(
        claim["metadata"]["annotations"][SELECTED_NODE] == node.as_str(),
        "the claim's selected node is not {node}: {claim}"
    );
    ensure!(is_bound(&claim), "the pod was placed before its claim was bound: {claim}");
    session.end().await
}

/// No controllers run. The test acts as the provisioner: it removes the selected node from the claim to report a
/// failure, and later creates the volume.
async fn a_pod_is_tried_again_when_provisioning_fails(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 8)).await?;
    session.create(&class("made", "csi.example.com")).await?;
    let claim = claim("data", "made");
    session.create(&claim).await?;
    session.create(&with_claim("web", "data")).await?;
    until_node_selected(target, &claim).await?;
    let failed = json!({"metadata": {"annotations": {SELECTED_NODE: null}}});
    api::patch(&target.client, &claim, failed).await?;
    events::with_note(&target.client, "web", "FailedScheduling", "provisioning failed for PVC \"data\"").await?;

    // The scheduler may have selected the node before the annotation was removed. Then it selects the same node
    // again.
    let node = until_node_selected(target, &claim).await?;
    ensure!(session.journal.now(|pods| pods.placed_count("web")) == 0, "the pod was placed without a volume");
    session.create(&volume("made", "1Gi", &node)).await?;
    let bound = json!({"metadata": {"annotations": {BIND_COMPLETED: "yes"}}, "spec": {"volumeName": "made"}});
    api::patch(&target.client, &claim, bound).await?;
    let placed = session.journal.until_pod_placed("web").await?;
    ensure!(placed == node, "the volume was provisioned for {node}, but the pod is on {placed}");
    session.end().await
}

/// Waits until the claim has a selected node. Returns the node's name.
async fn until_node_selected(target: &Target, claim: &Value) -> Result<String> {
    eventually("a node is selected for the claim", || async {
        let claim = read(target, claim).await?;
        let node = claim["metadata"]["annotations"][SELECTED_NODE].as_str().map(str::to_owned);
        Ok(node.map_or_else(|| Look::NotYet(claim.to_string()), Look::Yes))
    })
    .await
}

/// Creates a volume, and waits until the volume is available. When this function returns, a waiting claim may already
/// be bound to the volume.
async fn create_available(target: &Target, volume: &Value) -> Result<()> {
    api::create(&target.client, volume).await?;
    eventually("the volume is available", || async {
        let volume = read(target, volume).await?;
        let phase = &volume["status"]["phase"];
        Ok(Look::at(phase == "Available" || phase == "Bound", || format!("{volume}")))
    })
    .await
}

async fn read(target: &Target, object: &Value) -> Result<Value> {
    api::get(&target.client, object).await?.context("the object does not exist")
}

fn is_bound(claim: &Value) -> bool {
    claim["metadata"]["annotations"][BIND_COMPLETED].is_string()
}

fn class(name: &str, provisioner: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
        "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer",
    })
}

fn claim(name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": class, "resources": {"requests": {"storage": "1Gi"}},
        },
    })
}

/// Returns a volume of class `local` on this node.
fn volume(name: &str, size: &str, node: &str) -> Value {
    let on_node = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": [node]});
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}, "storageClassName": "local",
            "local": {"path": "/data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on_node]}]}},
        },
    })
}

fn with_claim(name: &str, claim: &str) -> Value {
    let volume = json!({"name": "data", "persistentVolumeClaim": {"claimName": claim}});
    with(pod(name, "100m"), &json!({"spec": {"volumes": [volume]}}))
}
