//! Tests which pods are scheduled, and in which order.

use anyhow::{Result, ensure};
use berth_tests::objects::{node, nodes, pod, pods, priority_class, with};
use berth_tests::{Session, Target, api, events};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::PostParams;
use serde_json::json;

crate::case::cases!(Both:
    higher_priority_goes_first,
    gated_pods_wait,
    a_nominated_node_is_reserved,
    pods_of_other_schedulers_are_ignored,
    deleted_pods_are_forgotten,
    pods_bound_by_other_schedulers_take_capacity,
    pods_being_deleted_are_not_placed,
);

/// The only node fits one of three pods. All three pods exist before the scheduler starts.
async fn higher_priority_goes_first(target: &Target) -> Result<()> {
    let class = |name: &str| json!({"spec": {"priorityClassName": name}});
    let objects = [
        priority_class("low", -10),
        priority_class("high", 1000),
        node("n", 1),
        with(pod("low", "1"), &class("low")),
        pod("middle", "1"),
        with(pod("high", "1"), &class("high")),
    ];
    // Objects are created one after the other, so that the last pod has the highest priority.
    for object in &objects {
        api::create(&target.client, object).await?;
    }
    let session = Session::start(target).await?;
    session.journal.until_pod_placed("high").await?;
    for other in ["low", "middle"] {
        session.journal.until_rejected(other, "0/1 nodes are available: 1 Insufficient cpu.").await?;
    }
    api::delete(&target.client, &pod("high", "1")).await?;
    session.journal.until_pod_placed("middle").await?;
    session.end().await
}

async fn gated_pods_wait(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let gated = with(pod("gated", "1"), &json!({"spec": {"schedulingGates": [{"name": "example.com/quota"}]}}));
    session.create(&gated).await?;
    // Without the gate, the gated pod would be scheduled before these later pods.
    session.create_all(pods("later", 20, "10m")).await?;
    session.journal.until_placed("later-", 20).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("gated").cloned()).unwrap_or_default();
    ensure!(seen.node.is_none(), "a pod with a scheduling gate was placed: {seen:?}");
    let reason = seen.scheduled.as_ref().map(|(_, reason, _)| &**reason);
    ensure!(reason == Some("SchedulingGated"), "the condition should be the API server's: {seen:?}");
    let events = events::of(&target.client, "gated").await?;
    ensure!(events.is_empty(), "a pod with a scheduling gate has events: {events:?}");
    api::patch(&target.client, &gated, json!({"spec": {"schedulingGates": null}})).await?;
    session.journal.until_pod_placed("gated").await?;
    session.end().await
}

/// The only node fits one pod, and is nominated for a gated pod. A pod with lower priority waits until the gated pod
/// is deleted.
async fn a_nominated_node_is_reserved(target: &Target) -> Result<()> {
    api::create(&target.client, &priority_class("urgent", 1000)).await?;
    let session = Session::with_nodes(target, [node("n", 1)]).await?;
    let gates = json!({"spec": {"schedulingGates": [{"name": "example.com/quota"}], "priorityClassName": "urgent"}});
    let nominated = with(pod("nominated", "1"), &gates);
    session.create(&nominated).await?;
    api::patch_status(&target.client, &nominated, json!({"nominatedNodeName": "n"})).await?;
    session.create(&pod("waits", "1")).await?;
    session.journal.until_rejected("waits", "0/1 nodes are available: 1 Insufficient cpu.").await?;
    api::delete(&target.client, &nominated).await?;
    session.journal.until_pod_placed("waits").await?;
    session.end().await
}

async fn pods_of_other_schedulers_are_ignored(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    session.create(&with(pod("other", "1"), &json!({"spec": {"schedulerName": "other"}}))).await?;
    session.create_all(pods("ours", 20, "10m")).await?;
    session.journal.until_placed("ours-", 20).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("other").cloned()).unwrap_or_default();
    ensure!(seen.node.is_none() && seen.scheduled.is_none(), "another scheduler's pod was touched: {seen:?}");
    let events = events::of(&target.client, "other").await?;
    ensure!(events.is_empty(), "another scheduler's pod has events: {events:?}");
    session.end().await
}

/// A pod that was deleted while it waited takes no capacity from a later pod.
async fn deleted_pods_are_forgotten(target: &Target) -> Result<()> {
    let session = Session::start(target).await?;
    session.create(&pod("early", "1")).await?;
    session.journal.until_rejected("early", "no nodes available to schedule pods").await?;
    api::delete(&target.client, &pod("early", "1")).await?;
    session.create(&pod("late", "1")).await?;
    session.journal.until_rejected("late", "no nodes available to schedule pods").await?;
    session.create(&node("n", 1)).await?;
    session.journal.until_pod_placed("late").await?;
    session.end().await
}

async fn pods_bound_by_other_schedulers_take_capacity(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, [node("n", 4)]).await?;
    session.create(&with(pod("other", "3"), &json!({"spec": {"schedulerName": "other"}}))).await?;
    let api: Api<Pod> = Api::default_namespaced(target.client.clone());
    let binding = json!({
        "metadata": {"name": "other"}, "target": {"apiVersion": "v1", "kind": "Node", "name": "n"},
    });
    api.create_subresource::<serde_json::Value, serde_json::Value>(
        "binding",
        "other",
        &PostParams::default(),
        &binding,
    )
    .await?;
    session.create(&pod("p", "2")).await?;
    session.journal.until_rejected("p", "0/1 nodes are available: 1 Insufficient cpu.").await?;
    session.create(&pod("small", "1")).await?;
    session.journal.until_pod_placed("small").await?;
    session.end().await
}

/// A pod that is being deleted and only kept by a finalizer must not be placed.
async fn pods_being_deleted_are_not_placed(target: &Target) -> Result<()> {
    let kept = with(pod("going", "1"), &json!({"metadata": {"finalizers": ["example.com/kept"]}}));
    api::create(&target.client, &kept).await?;
    api::delete(&target.client, &kept).await?;
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    session.create_all(pods("p", 20, "10m")).await?;
    session.journal.until_placed("p-", 20).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("going").cloned());
    api::patch(&target.client, &kept, json!({"metadata": {"finalizers": null}})).await?;
    let untouched = seen.as_ref().is_some_and(|seen| seen.node.is_none());
    ensure!(untouched, "a pod that is being deleted should exist without a node: {seen:?}");
    session.end().await
}
