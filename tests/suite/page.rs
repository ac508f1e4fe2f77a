//! The web page of `berth sim`, and what it reads of the cluster.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::http::Request;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, pod};
use berth_tests::{Process, api, programs};
use futures::{AsyncBufReadExt, Stream, StreamExt};
use k8s_openapi::api::core::v1::Node;
use kube::Api;
use kube::api::DeleteParams;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::harness::standalone_trial;

/// Returns the trials that need no API server.
pub fn trials() -> Vec<Trial> {
    vec![standalone_trial("page::a_browser_follows_the_cluster", || Box::pin(a_browser_follows_the_cluster()))]
}

/// Reads events of a watch until one has a listing as expected.
async fn until(
    lines: &mut (impl Stream<Item = std::io::Result<String>> + Unpin),
    expected: impl Fn(&Value) -> bool,
) -> Result<()> {
    let mut listings = Vec::new();
    loop {
        let line = tokio::time::timeout(PATIENCE, lines.next()).await;
        let line = line.with_context(|| format!("not seen: {listings:#?}"))?.context("the watch has ended")??;
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let listing: Value = serde_json::from_str(data)?;
        if expected(&listing) {
            return Ok(());
        }
        listings.push(listing);
    }
}

/// The longest time until a change is in the watch.
const PATIENCE: Duration = Duration::from_secs(30);

async fn a_browser_follows_the_cluster() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut command = Command::new(programs::berth()?);
    command.args(["sim", "--empty", "--kubeconfig"]).arg(&kubeconfig);
    let mut sim = Process::spawn(command)?;
    eventually("the simulator is ready", || async { Ok(Look::at(kubeconfig.exists(), || sim.log())) }).await?;
    let client = berth_kube::connect_to(&std::fs::read_to_string(&kubeconfig)?).await?;
    let text = |path: &str| client.request_text(Request::get(path).body(Vec::new()).unwrap_or_default());
    let page = text("/ui/").await?;
    ensure!(page.contains("<title>Berth</title>"), "{page}");

    let request = Request::get("/berth/v1/cluster?watch=true").body(Vec::new())?;
    let mut lines = Box::pin(client.request_stream(request).await?.lines());
    let named = |listing: &Value, name: &str| {
        let mut nodes = listing["nodes"].as_array().into_iter().flatten();
        nodes.find(|node| node["name"] == name).cloned().unwrap_or_default()
    };
    until(&mut lines, |listing| listing["complete"] == true && listing["nodes"] == json!([])).await?;
    api::create(&client, &node("n", 4)).await?;
    until(&mut lines, |listing| listing["complete"] == false && named(listing, "n")["ready"] == true).await?;
    api::create(&client, &pod("small", "1")).await?;
    until(&mut lines, |listing| named(listing, "n")["requested"]["cpu"] == 1000 && listing["pods"] == 1).await?;
    api::create(&client, &pod("large", "9")).await?;
    until(&mut lines, |listing| listing["pending"]["unschedulable"] == 1).await?;
    let pods: Value = serde_json::from_str(&text("/berth/v1/nodes/n/pods").await?)?;
    ensure!(pods["pods"][0]["pod"]["name"] == "small" && pods["pods"][0]["requested"]["cpu"] == 1000, "{pods}");
    let plugins: Value = serde_json::from_str(&text("/berth/v1/plugins").await?)?;
    let mut listed = plugins["plugins"].as_array().into_iter().flatten();
    let fit = listed.find(|plugin| plugin["name"] == "NodeResourcesFit").context("NodeResourcesFit is not listed")?;
    let uses = json!([{"schedulerName": "default-scheduler", "extensionPoints": ["filter", "score"], "weight": 1}]);
    ensure!(fit["state"] == "loaded" && fit["uses"] == uses && fit["cost"]["calls"].as_u64() > Some(0), "{fit}");
    Api::<Node>::all(client.clone()).delete("n", &DeleteParams::default()).await?;
    until(&mut lines, |listing| listing["removed"] == json!(["n"])).await?;
    // An open page does not keep the process.
    sim.stop().await
}
