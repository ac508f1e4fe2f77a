//! Plugins are added, changed and removed while pods are being placed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_tests::crafted;
use berth_tests::directory::{self, ConfigMapMount};
use berth_tests::objects::{node, nodes, pod, pods, with};
use berth_tests::{Session, Target, events};
use serde_json::json;

crate::case::cases!(Both:
    a_filter_is_added_changed_and_removed,
    a_file_replaces_a_default_plugin,
    a_partial_file_is_refused,
    a_mounted_config_map_is_followed,
    the_examples_place_pods,
    plugins_are_replaced_under_load,
);

fn rejected(reason: &str) -> String {
    format!("0/2 nodes are available: 2 {reason}.")
}

async fn a_filter_is_added_changed_and_removed(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let first = session.probe_pod("first").await?;
    ensure!(first.node.is_some(), "without additional plugins every pod is placed, but not {first:?}");
    let directory = target.plugins_dir();

    directory::install(&directory, "crafted.wasm", &crafted::rejecting("node(s) were too small"))?;
    let waiting = session.until_rejecting("probe", &rejected("node(s) were too small")).await?;
    directory::install(&directory, "crafted.wasm", &crafted::rejecting("node(s) were too far"))?;
    session.journal.until_rejected(&waiting, &rejected("node(s) were too far")).await?;
    directory::remove(&directory, "crafted.wasm")?;
    session.journal.until_pod_placed(&waiting).await?;
    session.end().await
}

async fn a_file_replaces_a_default_plugin(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let own = crafted::rejecting_as("NodeName", "node(s) had no name");
    directory::install(&target.plugins_dir(), "node-name.wasm", &own)?;
    let waiting = session.until_rejecting("probe", &rejected("node(s) had no name")).await?;
    directory::remove(&target.plugins_dir(), "node-name.wasm")?;
    session.journal.until_pod_placed(&waiting).await?;
    session.end().await
}

/// A partial file is refused, and the earlier plugin continues to serve. The complete file takes effect.
async fn a_partial_file_is_refused(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let directory = target.plugins_dir();
    directory::overwrite(&directory, "crafted.wasm", &crafted::rejecting("node(s) were too small"))?;
    let waiting = session.until_rejecting("probe", &rejected("node(s) were too small")).await?;

    let complete = crafted::rejecting("node(s) were too far");
    for length in [0, 4, 100, complete.len() / 2, complete.len() - 1] {
        directory::overwrite(&directory, "crafted.wasm", &complete[..length])?;
        let cause = if length == 0 { "is empty".to_owned() } else { format!("is cut off after {length} bytes") };
        session.until_refused("crafted.wasm", &cause).await?;
        session.until_rejecting(&format!("during-{length}"), &rejected("node(s) were too small")).await?;
    }
    directory::overwrite(&directory, "crafted.wasm", &complete)?;
    session.journal.until_rejected(&waiting, &rejected("node(s) were too far")).await?;
    session.end().await
}

async fn a_mounted_config_map_is_followed(target: &Target) -> Result<()> {
    let mut mount = ConfigMapMount::new(&target.plugins_dir());
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    mount.set(&[("crafted.wasm", &crafted::rejecting("node(s) were too small"))])?;
    let waiting = session.until_rejecting("probe", &rejected("node(s) were too small")).await?;
    mount.set(&[("crafted.wasm", &crafted::rejecting("node(s) were too far"))])?;
    session.journal.until_rejected(&waiting, &rejected("node(s) were too far")).await?;
    mount.set(&[])?;
    session.journal.until_pod_placed(&waiting).await?;
    session.end().await
}

/// Places pods with the example plugins, as `make build` builds them.
async fn the_examples_place_pods(target: &Target) -> Result<()> {
    let gpus = |name: &str, free: &str| {
        let amounts = json!({"nvidia.com/gpu": free});
        with(node(name, 16), &json!({"status": {"capacity": amounts, "allocatable": amounts}}))
    };
    let session = Session::with_nodes(target, [gpus("gpu-8", "8"), gpus("gpu-2", "2"), node("plain-7", 16)]).await?;
    for example in ["gpu-packing", "node-number", "random"] {
        let file = format!("{example}.wasm");
        let component = fs::read(examples().join(&file));
        let component = component.with_context(|| format!("target/plugins/{file} can't be read: run `make guests`"))?;
        directory::install(&target.plugins_dir(), &file, &component)?;
        session.until_loaded(&file).await?;
    }
    let two = json!({"nvidia.com/gpu": "2"});
    let job = json!({"spec": {"containers": [{"name": "main", "image": "a", "resources": {"requests": two, "limits": two}}]}});
    session.create(&with(pod("job", "1"), &job)).await?;
    session.create_all(pods("plain", 20, "100m")).await?;
    session.journal.until_pod_placed("job").await?;
    session.journal.until_placed("plain-", 20).await?;
    session.end().await
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/plugins")
}

/// Forty exchanges while six hundred pods are placed. No cycle may fail.
async fn plugins_are_replaced_under_load(target: &Target) -> Result<()> {
    const EXCHANGES: usize = 40;
    const PODS_EACH: usize = 15;
    let session = Session::with_nodes(target, nodes("n", 30, 8)).await?;
    for exchange in 0..EXCHANGES {
        let creating = session.create_all(pods(&format!("p-{exchange}"), PODS_EACH, "10m"));
        let exchanging = async {
            let version = exchange.to_string();
            directory::install(&target.plugins_dir(), "crafted.wasm", &crafted::version(&version))?;
            session.until_serving("Crafted", &version).await
        };
        futures::future::try_join(creating, exchanging).await?;
    }
    session.journal.until_placed("p-", EXCHANGES * PODS_EACH).await?;
    let failures: Vec<String> = events::all(&target.client)
        .await?
        .iter()
        .filter(|event| event.reason.as_deref() == Some("FailedScheduling"))
        .map(|event| events::text(event).to_owned())
        .collect();
    ensure!(failures.is_empty(), "{} cycles failed, among them: {:?}", failures.len(), failures.first());
    session.end().await
}
