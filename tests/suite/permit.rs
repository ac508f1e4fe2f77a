//! Permit: pods that wait, with a node reserved, for other pods of their group.

use anyhow::{Result, ensure};
use berth_tests::objects::{nodes, pod, with};
use berth_tests::{Session, Target, api, directory, events, programs};
use serde_json::{Value, json};

crate::case::cases!(Both: a_gang_starts_together, an_incomplete_gang_releases_its_nodes);

async fn with_gang(target: &Target) -> Result<Session<'_>> {
    directory::install(&target.plugins_dir(), "gang.wasm", &programs::example("gang")?)?;
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    session.until_loaded("gang.wasm").await?;
    Ok(session)
}

/// Returns a member of a gang of three.
fn member(name: &str, timeout: &str) -> Value {
    let annotations = json!({
        "gang.example.com/name": "training",
        "gang.example.com/size": "3",
        "gang.example.com/timeout-seconds": timeout,
    });
    with(pod(name, "2"), &json!({"metadata": {"annotations": annotations}}))
}

/// Waiting pods keep their nodes, and do not block other pods that fit on these nodes.
async fn a_gang_starts_together(target: &Target) -> Result<()> {
    let session = with_gang(target).await?;
    session.create_all([member("gang-0", "600"), member("gang-1", "600")]).await?;
    session.create_all((0..4).map(|n| pod(&format!("alone-{n}"), "1"))).await?;
    session.journal.until_placed("alone-", 4).await?;
    session.create(&pod("too-much", "1")).await?;
    let full = "0/2 nodes are available: 2 Insufficient cpu.";
    events::with_note(&target.client, "too-much", "FailedScheduling", full).await?;
    let early = session.journal.now(|pods| pods.placed_count("gang-"));
    ensure!(early == 0, "{early} pods of a gang have a node before the gang is complete");
    session.create(&with(member("gang-2", "600"), &without_requests())).await?;
    session.journal.until_placed("gang-", 3).await?;
    session.end().await
}

/// Returns a change that removes a pod's requests, so that the pod fits on nodes without free CPU.
fn without_requests() -> Value {
    json!({"spec": {"containers": [{"name": "main", "image": "registry.example/app:1"}]}})
}

async fn an_incomplete_gang_releases_its_nodes(target: &Target) -> Result<()> {
    let session = with_gang(target).await?;
    session.create_all([member("gang-0", "1"), member("gang-1", "1")]).await?;
    for name in ["gang-0", "gang-1"] {
        let note = "rejected due to timeout after waiting 1s at plugin gang";
        events::with_note(&target.client, name, "FailedScheduling", note).await?;
    }
    // When one of the two members releases its node, the other member gets an attempt and reserves the node again.
    // A single member causes no attempts.
    api::delete(&target.client, &member("gang-1", "1")).await?;
    // The filling pods request all CPU of the nodes, so the gang must not hold any CPU.
    session.create_all([pod("filling-0", "4"), pod("filling-1", "4")]).await?;
    session.journal.until_placed("filling-", 2).await?;
    let bound = session.journal.now(|pods| pods.placed_count("gang-"));
    ensure!(bound == 0, "{bound} pods of an incomplete gang have a node");
    session.end().await
}
