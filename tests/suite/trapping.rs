//! A plugin that fails for some pods fails the cycles of these pods only.

use anyhow::{Result, ensure};
use berth_tests::crafted;
use berth_tests::directory;
use berth_tests::objects::{nodes, pod, pods, with};
use berth_tests::{Session, Target, events};
use serde_json::{Value, json};

crate::case::cases!(Both: traps_for_some_pods, traps_until_it_is_exchanged);

/// Returns a pod for which the plugin below traps.
fn cursed(name: &str) -> Value {
    with(pod(name, "10m"), &json!({"metadata": {"labels": {"app": "web", "tier": "front", "cursed": "yes"}}}))
}

async fn trapping(target: &Target) -> Result<Session<'_>> {
    let plugin = crafted::trapping_for_three_labels("Touchy");
    directory::install(&target.plugins_dir(), "touchy.wasm", &plugin)?;
    let session = Session::with_nodes(target, nodes("n", 4, 8)).await?;
    session.until_loaded("touchy.wasm").await?;
    Ok(session)
}

/// The events of these pods name the plugin. Other pods, about which the plugin is asked too, are placed.
async fn traps_for_some_pods(target: &Target) -> Result<()> {
    let session = trapping(target).await?;
    session.create(&cursed("cursed")).await?;
    session.create_all(pods("well", 50, "10m")).await?;
    events::with_note(&target.client, "cursed", "FailedScheduling", "plugin Touchy: ").await?;
    session.journal.placed("well-", 50).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("cursed").cloned()).unwrap_or_default();
    ensure!(seen.node.is_none(), "the plugin has no answer about this pod, and it was placed: {seen:?}");
    let scheduled = seen.scheduled.clone().unwrap_or_default();
    ensure!(scheduled.1 == "SchedulerError", "the condition of the pod without an answer is {scheduled:?}");
    session.end().await
}

async fn traps_until_it_is_exchanged(target: &Target) -> Result<()> {
    let session = trapping(target).await?;
    session.create_all((0..5).map(|n| cursed(&format!("cursed-{n}")))).await?;
    for n in 0..5 {
        events::with_note(&target.client, &format!("cursed-{n}"), "FailedScheduling", "plugin Touchy: ").await?;
    }
    directory::install(&target.plugins_dir(), "touchy.wasm", &crafted::accepting("Touchy"))?;
    session.journal.placed("cursed-", 5).await?;
    session.end().await
}
