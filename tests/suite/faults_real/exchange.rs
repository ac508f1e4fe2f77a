//! A plugin is exchanged while pods wait at its permit or pre-bind. The pods must be neither lost nor bound too
//! early.

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, nodes, pod, with};
use berth_tests::{Session, Target, api, directory, events, programs};
use serde_json::{Value, json};

crate::case::cases!(Both: during_permit, during_pre_bind, removed_during_pre_bind);

const AGENT: &str = "warm-up.example.com/agent";

/// Returns the same component with different bytes: with an additional custom section, which has no effect.
fn with_other_bytes(component: &[u8], number: u8) -> Vec<u8> {
    // The section's id, its length, the length of its name, its name, and its content.
    [component, &[0, 3, 1, b'n', number]].concat()
}

async fn with_plugin<'a>(target: &'a Target, name: &str, nodes: Vec<Value>) -> Result<Session<'a>> {
    let file = format!("{name}.wasm");
    directory::install(&target.plugins_dir(), &file, &programs::example(name)?)?;
    target.grant(name, programs::grants_of(name))?;
    let session = Session::with_nodes(target, nodes).await?;
    session.until_loaded(&file).await?;
    Ok(session)
}

/// Exchanges the plugin, and waits until the new instance serves.
async fn exchange(session: &Session<'_>, name: &str, number: u8) -> Result<()> {
    let file = format!("{name}.wasm");
    let before = session.digest_of(&file)?;
    directory::install(&session.target.plugins_dir(), &file, &with_other_bytes(&programs::example(name)?, number))?;
    session.until_exchanged(&file, before).await
}

/// Creates the three members of each gang one after the other, and exchanges the plugin after each waiting member.
async fn during_permit(target: &Target) -> Result<()> {
    let session = with_plugin(target, "gang", nodes("n", 2, 8)).await?;
    let mut number = 0;
    for gang in 0..3 {
        let name = format!("gang-{gang}");
        let annotations = json!({
            "gang.example.com/name": name, "gang.example.com/size": "3", "gang.example.com/timeout-seconds": "600",
        });
        let member =
            |n: usize| with(pod(&format!("{name}-{n}"), "1"), &json!({"metadata": {"annotations": annotations}}));
        for n in 0..2 {
            session.create(&member(n)).await?;
            session.until_assumed(&format!("{name}-{n}")).await?;
            number += 1;
            exchange(&session, "gang", number).await?;
        }
        let early = session.journal.now(|pods| pods.placed_count(&name));
        ensure!(early == 0, "{early} pods of a gang have a node before the gang is complete");
        session.create(&member(2)).await?;
        session.journal.until_placed(&name, 3).await?;
    }
    session.end().await
}

/// Returns a pod whose node must be prepared first.
fn warm_up_pod(name: &str) -> Value {
    with(pod(name, "1"), &json!({"metadata": {"annotations": {"warm-up.example.com/dataset": "images"}}}))
}

async fn until_warm_up_requested(target: &Target) -> Result<()> {
    eventually("the plugin requests the node's warm-up", || async {
        let found = api::get(&target.client, &node("n", 4)).await?.context("the node is gone")?;
        let requested = &found["metadata"]["annotations"]["warm-up.example.com/wanted"];
        Ok(Look::at(requested == "images", || format!("{requested}")))
    })
    .await
}

/// Sets the annotations that the node's agent would write.
async fn answer_as_agent(target: &Target, answer: Value) -> Result<()> {
    api::patch(&target.client, &node("n", 4), json!({"metadata": {"annotations": answer}})).await
}

fn nodes_with_agent() -> Vec<Value> {
    vec![with(node("n", 4), &json!({"metadata": {"labels": {AGENT: "1.0"}}}))]
}

/// A wait that an earlier instance requested continues after the exchange: its failure is reported, and later its
/// success.
async fn during_pre_bind(target: &Target) -> Result<()> {
    let session = with_plugin(target, "warm-up", nodes_with_agent()).await?;
    session.create(&warm_up_pod("p")).await?;
    until_warm_up_requested(target).await?;
    exchange(&session, "warm-up", 1).await?;
    let early = session.journal.now(|pods| pods.placed_count("p"));
    ensure!(early == 0, "the pod was bound before the node was ready");
    answer_as_agent(target, json!({"warm-up.example.com/failed": "no disk left"})).await?;
    events::with_note(&target.client, "p", "FailedScheduling", "no disk left").await?;
    exchange(&session, "warm-up", 2).await?;
    answer_as_agent(target, json!({"warm-up.example.com/failed": null, "warm-up.example.com/ready": "images"})).await?;
    session.journal.until_pod_placed("p").await?;
    session.end().await
}

/// The plugin's file is removed while a pod waits for the plugin's condition.
async fn removed_during_pre_bind(target: &Target) -> Result<()> {
    let session = with_plugin(target, "warm-up", nodes_with_agent()).await?;
    session.create(&warm_up_pod("p")).await?;
    until_warm_up_requested(target).await?;
    directory::remove(&target.plugins_dir(), "warm-up.wasm")?;
    session.until_unloaded("warm-up.wasm").await?;
    answer_as_agent(target, json!({"warm-up.example.com/ready": "images"})).await?;
    session.journal.until_pod_placed("p").await?;
    // Pod `p` holds only the one CPU that it requests, so a pod that requests the node's other three CPUs fits.
    session.create(&pod("remaining", "3")).await?;
    session.journal.until_pod_placed("remaining").await?;
    session.end().await
}
