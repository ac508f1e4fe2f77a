//! A plugin that fails for some pods fails the cycles of these pods only.

use anyhow::{Result, ensure};
use berth_tests::crafted;
use berth_tests::directory;
use berth_tests::objects::{nodes, pod, pods, with};
use berth_tests::{Session, Target, events};
use serde_json::{Value, json};

crate::case::cases!(Both: traps_for_some_pods, a_replaced_plugin_stops_trapping);

/// Returns a pod for which the plugin of [`start_with_trapping_plugin`] traps.
fn trapped_pod(name: &str) -> Value {
    with(pod(name, "10m"), &json!({"metadata": {"labels": {"app": "web", "tier": "front", "trapped": "yes"}}}))
}

async fn start_with_trapping_plugin(target: &Target) -> Result<Session<'_>> {
    let plugin = crafted::trapping_for_three_labels("Touchy");
    directory::install(&target.plugins_dir(), "touchy.wasm", &plugin)?;
    let session = Session::with_nodes(target, nodes("n", 4, 8)).await?;
    session.until_loaded("touchy.wasm").await?;
    Ok(session)
}

/// The events of the pods for which the plugin traps name the plugin. Other pods, for which the plugin is also called,
/// are placed.
async fn traps_for_some_pods(target: &Target) -> Result<()> {
    let session = start_with_trapping_plugin(target).await?;
    session.create(&trapped_pod("trapped")).await?;
    session.create_all(pods("well", 50, "10m")).await?;
    events::with_note(&target.client, "trapped", "FailedScheduling", "plugin Touchy: ").await?;
    session.journal.until_placed("well-", 50).await?;
    let seen = session.journal.now(|pods| pods.by_name.get("trapped").cloned()).unwrap_or_default();
    ensure!(seen.node.is_none(), "the plugin traps for this pod, but the pod was placed: {seen:?}");
    let scheduled = seen.scheduled.clone().unwrap_or_default();
    ensure!(scheduled.1 == "SchedulerError", "the condition of the pod for which the plugin traps is {scheduled:?}");
    session.end().await
}

async fn a_replaced_plugin_stops_trapping(target: &Target) -> Result<()> {
    let session = start_with_trapping_plugin(target).await?;
    session.create_all((0..5).map(|n| trapped_pod(&format!("trapped-{n}")))).await?;
    for n in 0..5 {
        events::with_note(&target.client, &format!("trapped-{n}"), "FailedScheduling", "plugin Touchy: ").await?;
    }
    directory::install(&target.plugins_dir(), "touchy.wasm", &crafted::accepting("Touchy"))?;
    session.journal.until_placed("trapped-", 5).await?;
    session.end().await
}
