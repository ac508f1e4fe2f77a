//! A pod without a node is placed as soon as a change helps it.

use anyhow::{Result, ensure};
use berth_tests::objects::{node, pod, tainted, with};
use berth_tests::{Session, Target, api};
use serde_json::{Value, json};

crate::case::cases!(Both:
    a_node_is_added,
    a_taint_is_removed,
    a_label_is_added,
    allocatable_is_raised,
    a_node_is_uncordoned,
    a_pod_is_deleted,
    a_pod_ends,
    the_pod_tolerates_more,
);

async fn a_node_is_added(target: &Target) -> Result<()> {
    let small = node("small", 1);
    check_retry(target, vec![small], &pod("p", "2"), "1 Insufficient cpu", "large", async {
        api::create(&target.client, &node("large", 4)).await
    })
    .await
}

async fn a_taint_is_removed(target: &Target) -> Result<()> {
    let batch = tainted(node("n", 4), &["dedicated=batch:NoSchedule"]);
    check_retry(target, vec![batch.clone()], &pod("p", "1"), "1 node(s) had untolerated taint(s)", "n", async {
        api::patch(&target.client, &batch, json!({"spec": {"taints": null}})).await
    })
    .await
}

async fn a_label_is_added(target: &Target) -> Result<()> {
    let selecting = with(pod("p", "1"), &json!({"spec": {"nodeSelector": {"disk": "ssd"}}}));
    let unlabelled = node("n", 4);
    let message = "1 node(s) didn't match Pod's node affinity/selector";
    check_retry(target, vec![unlabelled.clone()], &selecting, message, "n", async {
        api::patch(&target.client, &unlabelled, json!({"metadata": {"labels": {"disk": "ssd"}}})).await
    })
    .await
}

async fn allocatable_is_raised(target: &Target) -> Result<()> {
    let small = node("n", 1);
    check_retry(target, vec![small.clone()], &pod("p", "2"), "1 Insufficient cpu", "n", async {
        let amounts = json!({"cpu": "4"});
        api::patch_status(&target.client, &small, json!({"capacity": amounts, "allocatable": amounts})).await
    })
    .await
}

async fn a_node_is_uncordoned(target: &Target) -> Result<()> {
    let cordoned = with(node("n", 4), &json!({"spec": {"unschedulable": true}}));
    check_retry(target, vec![cordoned.clone()], &pod("p", "1"), "1 node(s) were unschedulable", "n", async {
        api::patch(&target.client, &cordoned, json!({"spec": {"unschedulable": null}})).await
    })
    .await
}

async fn a_pod_is_deleted(target: &Target) -> Result<()> {
    let resident = with(pod("resident", "4"), &json!({"spec": {"nodeName": "n"}}));
    check_retry(target, vec![node("n", 4), resident.clone()], &pod("p", "1"), "1 Insufficient cpu", "n", async {
        api::delete(&target.client, &resident).await
    })
    .await
}

async fn a_pod_ends(target: &Target) -> Result<()> {
    let resident = with(pod("resident", "4"), &json!({"spec": {"nodeName": "n"}}));
    check_retry(target, vec![node("n", 4), resident.clone()], &pod("p", "1"), "1 Insufficient cpu", "n", async {
        api::patch_status(&target.client, &resident, json!({"phase": "Succeeded"})).await
    })
    .await
}

async fn the_pod_tolerates_more(target: &Target) -> Result<()> {
    let batch = tainted(node("n", 4), &["dedicated=batch:NoSchedule"]);
    let session = Session::with_nodes(target, [batch]).await?;
    session.create(&pod("p", "1")).await?;
    session.journal.until_rejected("p", "0/1 nodes are available: 1 node(s) had untolerated taint(s).").await?;
    // A pod's tolerations can only be extended, and admission has already added some.
    let pods: kube::Api<k8s_openapi::api::core::v1::Pod> = kube::Api::default_namespaced(target.client.clone());
    let added = json!([{"op": "add", "path": "/spec/tolerations/-",
        "value": {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}}]);
    let patch = kube::api::Patch::Json::<()>(serde_json::from_value(added)?);
    pods.patch("p", &kube::api::PatchParams::default(), &patch).await?;
    session.journal.until_pod_placed("p").await?;
    session.end().await
}

/// Creates a pod that no node fits. After the change `help`, the pod must be placed on `node`.
async fn check_retry(
    target: &Target,
    cluster: Vec<Value>,
    pod: &Value,
    reason: &str,
    node: &str,
    help: impl Future<Output = Result<()>>,
) -> Result<()> {
    let session = Session::with_nodes(target, cluster).await?;
    session.create(pod).await?;
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    session.journal.until_rejected(name, &format!("0/1 nodes are available: {reason}.")).await?;
    help.await?;
    let placed = session.journal.until_pod_placed(name).await?;
    ensure!(placed == node, "the pod is on {placed}, it should be on {node}");
    session.end().await
}
