//! Plugins that read pods beyond the typed facts: fields by their path, and pending pods.

use anyhow::{Result, ensure};
use berth_tests::objects::{nodes, pod, with};
use berth_tests::{Session, Target, crafted, directory, events};
use serde_json::json;

crate::case::cases!(Both: a_field_by_its_path_decides, a_plugin_reads_pending_pods);

/// The reason that the plugin gives for each node.
const REASON: &str = "told so";

/// A plugin that is added to a running scheduler rejects pods without `spec.subdomain`. The pods from before, and pods
/// with the field, are not affected.
async fn a_field_by_its_path_decides(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 8)).await?;
    session.create(&pod("before", "10m")).await?;
    session.journal.until_placed("before", 1).await?;
    let plugin = crafted::rejecting_without_fields("Fields", &["spec.subdomain"]);
    directory::install(&target.plugins_dir(), "crafted.wasm", &plugin)?;
    session.until_loaded("crafted.wasm").await?;

    session.create(&pod("without", "10m")).await?;
    events::with_note(&target.client, "without", "FailedScheduling", REASON).await?;
    session.create(&with(pod("having", "10m"), &json!({"spec": {"subdomain": "web"}}))).await?;
    session.journal.until_placed("having", 1).await?;
    let seen = session.probe_pod("other").await?;
    ensure!(seen.node.is_none(), "a pod without the field was placed on {:?}", seen.node);
    session.end().await
}

/// A plugin rejects a pod that is the only pending one. A second pending pod brings the first one back.
async fn a_plugin_reads_pending_pods(target: &Target) -> Result<()> {
    directory::install(&target.plugins_dir(), "crafted.wasm", &crafted::rejecting_single_pending_pods("Pairs"))?;
    let session = Session::with_nodes(target, nodes("n", 2, 8)).await?;
    session.until_loaded("crafted.wasm").await?;
    session.create(&pod("pair-1", "10m")).await?;
    events::with_note(&target.client, "pair-1", "FailedScheduling", REASON).await?;
    session.create(&pod("pair-2", "10m")).await?;
    session.journal.until_placed("pair-", 1).await?;
    session.end().await
}
