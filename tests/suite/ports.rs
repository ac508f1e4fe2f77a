//! The examples that are ports of plugins of kube-scheduler: Coscheduling with PodGroups, and CapacityScheduling with
//! ElasticQuotas. The kinds and the configurations are those of the examples. `tests/ports` compares the decisions.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::Look;
use berth_tests::objects::{NAMESPACE, node, nodes, pod, priority_class, with};
use berth_tests::{Session, Target, api, directory, events, programs};
use serde_json::{Value, json};

crate::case::cases!(Both:
    a_group_starts_together,
    a_group_that_does_not_fit_releases_its_nodes,
    a_quota_limits_its_namespace,
    a_quota_is_kept_by_preemption,
);

/// Returns the path of a manifest of the examples.
fn manifest(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/examples/manifests").join(name)
}

/// Starts a scheduler with the plugin of an example, and serves the kind that the plugin reads.
async fn start<'a>(
    target: &'a Target,
    (example, kind): (&str, &str),
    objects: &[Value],
    nodes: Vec<Value>,
) -> Result<Session<'a>> {
    api::serve_kind_of(&target.client, &manifest(&format!("{kind}.yaml"))).await?;
    for object in objects {
        api::create(&target.client, object).await?;
    }
    let configuration = manifest(&format!("{example}.yaml"));
    let text = std::fs::read_to_string(&configuration).with_context(|| configuration.display().to_string())?;
    target.configure(&text)?;
    let (_, file) = example_module(example);
    directory::install(&target.plugins_dir(), &file, &programs::example(&example_module(example).0)?)?;
    let session = Session::with_nodes(target, nodes).await?;
    session.until_loaded(&file).await?;
    Ok(session)
}

/// Returns where `scripts/guests` puts the example, and the file's name.
fn example_module(example: &str) -> (String, String) {
    let folder = if example == "coscheduling" { "rust/" } else { "" };
    (format!("{folder}{example}"), format!("{example}.wasm"))
}

/// Waits until the condition of a pod whose name starts with `prefix` contains the message.
async fn until_message(session: &Session<'_>, prefix: &str, message: &str) -> Result<()> {
    let condition = format!("a pod {prefix}* has the message {message:?}");
    let look = |pods: &berth_tests::Pods| {
        let mut messages = pods.named(prefix).filter_map(|(_, seen)| Some(seen.scheduled.as_ref()?.2.clone()));
        let seen: Vec<String> = messages.by_ref().map(|message| message.to_string()).collect();
        Look::at(seen.iter().any(|seen| seen.contains(message)), || format!("{seen:?}"))
    };
    session.journal.until(&condition, look).await
}

fn pod_group(name: &str, min_member: u32) -> Value {
    json!({
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"minMember": min_member, "scheduleTimeoutSeconds": 600},
    })
}

fn member(group: &str, name: &str, cpu: &str) -> Value {
    with(pod(name, cpu), &json!({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": group}}}))
}

fn quota(min: &str, max: &str) -> Value {
    json!({
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": "quota", "namespace": NAMESPACE},
        "spec": {"min": {"cpu": min, "memory": "1Ti"}, "max": {"cpu": max, "memory": "1Ti"}},
    })
}

/// The pods of a group get no attempt until the group is complete. Then all of them start.
async fn a_group_starts_together(target: &Target) -> Result<()> {
    let group = pod_group("training", 3);
    let session = start(target, ("coscheduling", "podgroup"), std::slice::from_ref(&group), nodes("n", 2, 4)).await?;
    session.create_all([member("training", "worker-0", "2"), member("training", "worker-1", "2")]).await?;
    // A pod without a group, created later, is placed meanwhile.
    session.create(&pod("alone", "1")).await?;
    session.journal.until_placed("alone", 1).await?;
    let attempts = events::of(&target.client, "worker-0").await?;
    ensure!(attempts.is_empty(), "a pod of an incomplete group was tried: {attempts:?}");
    session.create(&member("training", "worker-2", "2")).await?;
    session.journal.until_placed("worker-", 3).await?;
    api::delete(&target.client, &group).await?;
    session.end().await
}

/// One pod of the group fits no node. The group's other pods wait in permit, and give their nodes back.
async fn a_group_that_does_not_fit_releases_its_nodes(target: &Target) -> Result<()> {
    let group = pod_group("training", 3);
    let session = start(target, ("coscheduling", "podgroup"), std::slice::from_ref(&group), nodes("n", 2, 4)).await?;
    session.create_all((0..3).map(|n| member("training", &format!("worker-{n}"), "3"))).await?;
    let rejected = format!("PodGroup {NAMESPACE}/training gets rejected");
    until_message(&session, "worker-", &rejected).await?;
    // The group does not fit, so it must not hold CPU that others can use.
    session.create_all([pod("filling-0", "4"), pod("filling-1", "4")]).await?;
    session.journal.until_placed("filling-", 2).await?;
    let placed = session.journal.now(|pods| pods.placed_count("worker-"));
    ensure!(placed == 0, "{placed} pods of a group that does not fit have a node");
    api::delete(&target.client, &group).await?;
    session.end().await
}

/// The second pod waits until the first one is deleted.
async fn a_quota_limits_its_namespace(target: &Target) -> Result<()> {
    let quota = quota("8", "3");
    let session =
        start(target, ("capacity-scheduling", "elasticquota"), std::slice::from_ref(&quota), nodes("n", 2, 4)).await?;
    let first = pod("first", "2");
    session.create(&first).await?;
    session.journal.until_placed("first", 1).await?;
    session.create(&pod("second", "2")).await?;
    let reason = format!("is rejected in PreFilter because ElasticQuota {NAMESPACE} is more than Max");
    until_message(&session, "second", &reason).await?;
    api::delete(&target.client, &first).await?;
    session.journal.until_placed("second", 1).await?;
    api::delete(&target.client, &quota).await?;
    session.end().await
}

/// A pod of high priority replaces one of low priority in its namespace, although the node has free CPU for both.
async fn a_quota_is_kept_by_preemption(target: &Target) -> Result<()> {
    let objects = [quota("2", "3"), priority_class("low", -10), priority_class("high", 1000)];
    let session = start(target, ("capacity-scheduling", "elasticquota"), &objects, vec![node("n", 8)]).await?;
    let class = |name: &str| json!({"spec": {"priorityClassName": name, "terminationGracePeriodSeconds": 0}});
    session.create(&with(pod("low", "2"), &class("low"))).await?;
    session.journal.until_placed("low", 1).await?;
    session.create(&with(pod("high", "2"), &class("high"))).await?;
    session.journal.until_placed("high", 1).await?;
    session.journal.until_gone("low").await?;
    api::delete(&target.client, &objects[0]).await?;
    session.end().await
}
