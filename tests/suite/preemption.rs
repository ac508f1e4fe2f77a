//! Preemption of pods with lower priority.

use anyhow::{Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{NAMESPACE, node, pod, priority_class, with};
use berth_tests::{Session, Target, api, events};
use serde_json::{Value, json};

crate::case::cases!(Both:
    the_pod_with_the_lowest_priority_is_evicted,
    a_disruption_budget_is_respected,
    a_pod_that_may_not_preempt_waits,
    a_pod_of_equal_priority_is_not_evicted,
);

/// A finalizer that keeps a deleted pod for some time, as a kubelet would.
const KEPT: &str = "example.com/kept";

fn classes() -> [Value; 4] {
    let never = with(priority_class("patient", 1000), &json!({"preemptionPolicy": "Never"}));
    [priority_class("low", 0), priority_class("middle", 100), priority_class("high", 1000), never]
}

/// Returns a running pod that requests three of a node's four cores.
fn on(node: &str, class: &str) -> Value {
    let spec = json!({"nodeName": node, "priorityClassName": class, "terminationGracePeriodSeconds": 0});
    with(pod(class, "3"), &json!({"metadata": {"labels": {"app": class}}, "spec": spec}))
}

fn pending(name: &str, class: &str) -> Value {
    with(pod(name, "3"), &json!({"spec": {"priorityClassName": class}}))
}

/// Starts a scheduler with the nodes `a`, which has the pod `low`, and `b`, which has the pod `middle`.
async fn start<'a>(target: &'a Target, more_objects: &[Value]) -> Result<Session<'a>> {
    let there = [node("a", 4), node("b", 4), on("a", "low"), on("b", "middle")];
    for object in classes().iter().chain(&there).chain(more_objects) {
        api::create(&target.client, object).await?;
    }
    Session::start(target).await
}

/// The victim terminates slowly. The victim's condition gives the reason, the victim's node is nominated for the
/// preempting pod, and no other pod is evicted until the victim is gone.
async fn the_pod_with_the_lowest_priority_is_evicted(target: &Target) -> Result<()> {
    let session = start(target, &[]).await?;
    let low = on("a", "low");
    api::patch(&target.client, &low, json!({"metadata": {"finalizers": [KEPT]}})).await?;
    session.create(&pending("preempting", "high")).await?;
    session.journal.until_rejected("preempting", "0/2 nodes are available: 2 Insufficient cpu.").await?;
    let uid = session
        .journal
        .until("node a is nominated for the pod", |pods| {
            let seen = pods.by_name.get("preempting").cloned().unwrap_or_default();
            if seen.nominated.as_deref() == Some("a") { Look::Yes(seen.uid) } else { Look::NotYet(format!("{seen:?}")) }
        })
        .await?;
    check_victim(target, &low).await?;
    let note = format!("Preempted by pod {uid} on node a");
    let event = events::with_note(&target.client, "low", "Preempted", &note).await?;
    ensure!(event.action.as_deref() == Some("Preempting"), "the event is {event:?}");

    check_not_evicted(target, &on("b", "middle")).await?;

    api::patch(&target.client, &low, json!({"metadata": {"finalizers": null}})).await?;
    let placed = session.journal.until_pod_placed("preempting").await?;
    ensure!(placed == "a", "the pod is on node {placed}");
    session.end().await
}

async fn a_disruption_budget_is_respected(target: &Target) -> Result<()> {
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "low", "namespace": NAMESPACE},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "low"}}},
    });
    let session = start(target, &[budget]).await?;
    session.create(&pending("preempting", "high")).await?;
    let placed = session.journal.until_pod_placed("preempting").await?;
    ensure!(placed == "b", "the pod is on node {placed}");
    check_not_evicted(target, &on("a", "low")).await?;
    session.end().await
}

async fn a_pod_that_may_not_preempt_waits(target: &Target) -> Result<()> {
    let session = start(target, &[]).await?;
    session.create(&pending("preempting", "patient")).await?;
    let never = "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to \
                 preemptionPolicy=Never.";
    until_fully_rejected(&session, "preempting", never).await?;
    for there in [on("a", "low"), on("b", "middle")] {
        check_not_evicted(target, &there).await?;
    }
    session.end().await
}

async fn a_pod_of_equal_priority_is_not_evicted(target: &Target) -> Result<()> {
    let session = start(target, &[node("small", 1)]).await?;
    session.create(&pending("preempting", "low")).await?;
    let no_victims = "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: \
                      0/3 nodes are available: 1 Preemption is not helpful for scheduling, \
                      2 No preemption victims found for incoming pod.";
    until_fully_rejected(&session, "preempting", no_victims).await?;
    session.end().await
}

/// Waits until `message` is the complete message of the pod's condition `PodScheduled`.
async fn until_fully_rejected(session: &Session<'_>, name: &str, message: &str) -> Result<()> {
    session
        .journal
        .until(&format!("pod {name} has the message {message:?}"), |pods| {
            let seen = pods.by_name.get(name).cloned().unwrap_or_default();
            Look::at(seen.full_rejection() == Some(message), || format!("{seen:?}"))
        })
        .await
}

async fn check_victim(target: &Target, victim: &Value) -> Result<()> {
    let condition = eventually("the victim is being deleted", || async {
        let there = api::get(&target.client, victim).await?.unwrap_or_default();
        let conditions = there["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let condition = conditions.into_iter().find(|condition| condition["type"] == "DisruptionTarget");
        Ok(match condition.filter(|_| there["metadata"]["deletionTimestamp"].is_string()) {
            Some(condition) => Look::Yes(condition),
            None => Look::NotYet(there.to_string()),
        })
    })
    .await?;
    let fields = ["status", "reason", "message"].map(|field| condition[field].as_str().unwrap_or_default());
    let expected =
        ["True", "PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod"];
    ensure!(fields == expected, "the condition of the victim is {fields:?}");
    Ok(())
}

async fn check_not_evicted(target: &Target, pod: &Value) -> Result<()> {
    let there = api::get(&target.client, pod).await?.unwrap_or_default();
    let stays = there.is_object() && there["metadata"]["deletionTimestamp"].is_null();
    ensure!(stays, "the pod should not be evicted: {there}");
    Ok(())
}
