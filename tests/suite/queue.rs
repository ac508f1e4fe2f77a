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
    promised_room_is_kept,
    other_schedulers_pods_are_left_alone,
    deleted_pods_are_forgotten,
    pods_bound_by_others_count,
    pods_being_deleted_are_not_placed,
);

/// Three pods want a node that has room for one. The scheduler finds all of them at its start.
async fn higher_priority_goes_first(target: &Target) -> Result<()> {
    let class = |name: &str| json!({"spec": {"priorityClassName": name}});
    let wanting = [
        priority_class("low", -10),
        priority_class("high", 1000),
        node("n", 1),
        with(pod("low", "1"), &class("low")),
        pod("middle", "1"),
        with(pod("high", "1"), &class("high")),
    ];
    // Objects are created one after the other, so that the last pod has the highest priority.
    for object in &wanting {
        api::create(&target.client, object).await?;
    }
    let session = Session::start(target).await?;
    session.journal.placed_pod("high").await?;
    for other in ["low", "middle"] {
        session.journal.rejected(other, "0/1 nodes are available: 1 Insufficient cpu.").await?;
    }
    api::delete(&target.client, &pod("high", "1")).await?;
    session.journal.placed_pod("middle").await?;
    session.end().await
}

async fn gated_pods_wait(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let gated = with(pod("gated", "1"), &json!({"spec": {"schedulingGates": [{"name": "example.com/quota"}]}}));
    session.create(&gated).await?;
    // These pods come after the gated pod, and would be scheduled after it.
    session.create_all(pods("later", 20, "10m")).await?;
    session.journal.placed("later-", 20).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("gated").cloned()).unwrap_or_default();
    ensure!(seen.node.is_none(), "a pod with a scheduling gate was placed: {seen:?}");
    let reason = seen.scheduled.as_ref().map(|(_, reason, _)| &**reason);
    ensure!(reason == Some("SchedulingGated"), "its condition is the API server's: {seen:?}");
    let events = events::of(&target.client, "gated").await?;
    ensure!(events.is_empty(), "a pod with a scheduling gate has events: {events:?}");
    api::patch(&target.client, &gated, json!({"spec": {"schedulingGates": null}})).await?;
    session.journal.placed_pod("gated").await?;
    session.end().await
}

/// A node has room for one pod, and is nominated for a gated pod. Pods with lower priority wait until the gated pod
/// is deleted.
async fn promised_room_is_kept(target: &Target) -> Result<()> {
    api::create(&target.client, &priority_class("urgent", 1000)).await?;
    let session = Session::with_nodes(target, [node("n", 1)]).await?;
    let gates = json!({"spec": {"schedulingGates": [{"name": "example.com/quota"}], "priorityClassName": "urgent"}});
    let promised = with(pod("promised", "1"), &gates);
    session.create(&promised).await?;
    api::patch_status(&target.client, &promised, json!({"nominatedNodeName": "n"})).await?;
    session.create(&pod("waits", "1")).await?;
    session.journal.rejected("waits", "0/1 nodes are available: 1 Insufficient cpu.").await?;
    api::delete(&target.client, &promised).await?;
    session.journal.placed_pod("waits").await?;
    session.end().await
}

async fn other_schedulers_pods_are_left_alone(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    session.create(&with(pod("other", "1"), &json!({"spec": {"schedulerName": "other"}}))).await?;
    session.create_all(pods("ours", 20, "10m")).await?;
    session.journal.placed("ours-", 20).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("other").cloned()).unwrap_or_default();
    ensure!(seen.node.is_none() && seen.scheduled.is_none(), "another scheduler's pod was touched: {seen:?}");
    let events = events::of(&target.client, "other").await?;
    ensure!(events.is_empty(), "another scheduler's pod has events: {events:?}");
    session.end().await
}

/// A pod that was deleted while it waited takes no room from a later pod.
async fn deleted_pods_are_forgotten(target: &Target) -> Result<()> {
    let session = Session::start(target).await?;
    session.create(&pod("early", "1")).await?;
    session.journal.rejected("early", "no nodes available to schedule pods").await?;
    api::delete(&target.client, &pod("early", "1")).await?;
    session.create(&pod("late", "1")).await?;
    session.journal.rejected("late", "no nodes available to schedule pods").await?;
    session.create(&node("n", 1)).await?;
    session.journal.placed_pod("late").await?;
    session.end().await
}

async fn pods_bound_by_others_count(target: &Target) -> Result<()> {
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
    session.journal.rejected("p", "0/1 nodes are available: 1 Insufficient cpu.").await?;
    session.create(&pod("small", "1")).await?;
    session.journal.placed_pod("small").await?;
    session.end().await
}

/// A pod that is being deleted and only kept by a finalizer must not be placed.
async fn pods_being_deleted_are_not_placed(target: &Target) -> Result<()> {
    let kept = with(pod("going", "1"), &json!({"metadata": {"finalizers": ["example.com/kept"]}}));
    api::create(&target.client, &kept).await?;
    api::delete(&target.client, &kept).await?;
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    session.create_all(pods("p", 20, "10m")).await?;
    session.journal.placed("p-", 20).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("going").cloned());
    api::patch(&target.client, &kept, json!({"metadata": {"finalizers": null}})).await?;
    let untouched = seen.as_ref().is_some_and(|seen| seen.node.is_none());
    ensure!(untouched, "a pod that is being deleted should be there without a node, and is {seen:?}");
    session.end().await
}
