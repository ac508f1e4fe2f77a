//! Pre-bind and bind: plugins change the cluster before a pod gets its node, and bind the pod themselves.

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, pod, with};
use berth_tests::{Session, Target, api, directory, events, programs};
use serde_json::{Value, json};

crate::case::cases!(Both:
    a_pod_is_bound_when_its_node_is_ready,
    a_failed_pre_bind_is_tried_again,
    a_plugin_binds_pods_itself,
    a_change_that_is_not_granted_is_not_made,
);

const AGENT: &str = "warm-up.example.com/agent";

async fn with_plugin<'a>(
    target: &'a Target,
    name: &str,
    nodes: impl IntoIterator<Item = Value>,
) -> Result<Session<'a>> {
    target.grant(name, programs::grants_of(name))?;
    start(target, name, nodes).await
}

async fn start<'a>(target: &'a Target, name: &str, nodes: impl IntoIterator<Item = Value>) -> Result<Session<'a>> {
    let file = format!("{name}.wasm");
    directory::install(&target.plugins_dir(), &file, &programs::example(name)?)?;
    let session = Session::with_nodes(target, nodes).await?;
    session.until_loaded(&file).await?;
    Ok(session)
}

fn warm_up_pod(name: &str) -> Value {
    let annotations = json!({"warm-up.example.com/dataset": "images"});
    with(pod(name, "1"), &json!({"metadata": {"annotations": annotations}}))
}

/// Sets the annotations that the node's agent would write.
async fn answer_as_agent(target: &Target, name: &str, answer: Value) -> Result<()> {
    api::patch(&target.client, &node(name, 4), json!({"metadata": {"annotations": answer}})).await
}

async fn until_warm_up_requested(target: &Target, name: &str) -> Result<()> {
    eventually(&format!("the plugin requests the warm-up of node {name}"), || async {
        let found = api::get(&target.client, &node(name, 4)).await?.context("the node is gone")?;
        let requested = found["metadata"]["annotations"]["warm-up.example.com/wanted"].clone();
        Ok(Look::at(requested == "images", || format!("{requested}")))
    })
    .await
}

/// The plugin rejects a node without an agent, and accepts the node once the node has an agent. The pod is bound when
/// the agent reports that the node is ready, and not earlier.
async fn a_pod_is_bound_when_its_node_is_ready(target: &Target) -> Result<()> {
    let session = with_plugin(target, "warm-up", [node("n", 4)]).await?;
    session.create(&warm_up_pod("p")).await?;
    let reason = "0/1 nodes are available: 1 node(s) had no agent to warm them up.";
    events::with_note(&target.client, "p", "FailedScheduling", reason).await?;
    api::patch(&target.client, &node("n", 4), json!({"metadata": {"labels": {AGENT: "1.0"}}})).await?;
    until_warm_up_requested(target, "n").await?;
    session.create(&pod("other", "1")).await?;
    session.journal.until_pod_placed("other").await?;
    let early = session.journal.now(|pods| pods.by_name.get("p").and_then(|seen| seen.node.clone()));
    ensure!(early.is_none(), "the pod was bound to {early:?} before the node was ready");
    answer_as_agent(target, "n", json!({"warm-up.example.com/ready": "images"})).await?;
    session.journal.until_pod_placed("p").await?;
    session.end().await
}

async fn a_failed_pre_bind_is_tried_again(target: &Target) -> Result<()> {
    let ready = with(node("n", 4), &json!({"metadata": {"labels": {AGENT: "1.0"}}}));
    let session = with_plugin(target, "warm-up", [ready]).await?;
    session.create(&warm_up_pod("p")).await?;
    until_warm_up_requested(target, "n").await?;
    answer_as_agent(target, "n", json!({"warm-up.example.com/failed": "no disk left"})).await?;
    let failed = events::with_note(&target.client, "p", "FailedScheduling", "no disk left").await?;
    let note = events::text(&failed);
    ensure!(
        note.contains("warm-up") && note.contains("Node n"),
        "the note does not name the plugin and the object: {note}"
    );
    let repaired = json!({"warm-up.example.com/failed": null, "warm-up.example.com/ready": "images"});
    answer_as_agent(target, "n", repaired).await?;
    session.journal.until_pod_placed("p").await?;
    session.end().await
}

async fn a_plugin_binds_pods_itself(target: &Target) -> Result<()> {
    let session = with_plugin(target, "binder", [node("n", 4)]).await?;
    let annotations = json!({"metadata": {"annotations": {"binder.example.com/bind": ""}}});
    session.create_all([with(pod("by-plugin", "1"), &annotations), pod("as-usual", "1")]).await?;
    for name in ["by-plugin", "as-usual"] {
        session.journal.until_pod_placed(name).await?;
        events::with_note(&target.client, name, "Scheduled", "to n").await?;
    }
    session.end().await
}

/// The pod's event contains the line that grants the change. With this line in the configuration, the pod is placed.
async fn a_change_that_is_not_granted_is_not_made(target: &Target) -> Result<()> {
    let ready = json!({"metadata": {"labels": {AGENT: "1.0"}, "annotations": {"warm-up.example.com/ready": "images"}}});
    let session = start(target, "warm-up", [with(node("n", 4), &ready)]).await?;
    session.create(&warm_up_pod("p")).await?;
    let refused = events::with_note(&target.client, "p", "FailedScheduling", "which is not granted to it").await?;
    let note = events::text(&refused).to_owned();
    let found = api::get(&target.client, &node("n", 4)).await?.context("the node is gone")?;
    let annotations = &found["metadata"]["annotations"];
    ensure!(annotations["warm-up.example.com/wanted"].is_null(), "the node was patched: {annotations}");
    session.end().await?;

    let (_, line) = note.split_once("of the BerthConfiguration: - {name: warm-up, grants: ").context("no remedy")?;
    let grants = line.strip_suffix('}').with_context(|| format!("the line has no end: {line}"))?;
    target.grant("warm-up", grants)?;
    let session = start(target, "warm-up", []).await?;
    session.journal.until_pod_placed("p").await?;
    session.end().await
}
