//! `berth sim --import` and `--export`: the objects of other clusters, from files, captures and live clusters.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use berth_tests::objects::{deployment, nodes, pod};
use berth_tests::programs::{self, Output};
use berth_tests::{Session, Target};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::harness::standalone_trial;

crate::case::cases!(Both: a_live_cluster_and_its_capture_are_imported);

/// Returns the trials that need no API server.
pub fn trials() -> Vec<Trial> {
    vec![
        standalone_trial("imports::files_are_imported_and_exported_again", || {
            Box::pin(files_are_imported_and_exported_again())
        }),
        standalone_trial("imports::mistakes_are_named", || Box::pin(mistakes_are_named())),
    ]
}

const DUMP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/what-if/cluster.yaml");

/// Imports with these flags, and exports to a file.
async fn convert(flags: &[&str], to: &Path) -> Result<Output> {
    let to = to.display().to_string();
    programs::run_berth(&[&["sim", "--export", &to, "--export-only"], flags].concat()).await
}

/// Returns the objects of a kind in a file, by name.
fn objects(file: &Path, kind: &str) -> Result<BTreeMap<String, Value>> {
    let list: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let items = list["items"].as_array().context("a list")?.iter().filter(|object| object["kind"] == kind);
    Ok(items
        .map(|object| (object["metadata"]["name"].as_str().unwrap_or_default().to_owned(), object.clone()))
        .collect())
}

async fn files_are_imported_and_exported_again() -> Result<()> {
    let home = tempfile::tempdir()?;
    let (first, second) = (home.path().join("first.json"), home.path().join("second.json"));
    let output = convert(&["--import", DUMP], &first).await?;
    for expected in [
        "6 Node, ",
        "16 Pod",
        "Created 1 namespaces, in which objects are: shop.",
        "to owners that were not imported",
        "Exported ",
    ] {
        ensure!(output.success && output.stdout.contains(expected), "{expected:?} is missing: {output:?}");
    }
    let pods = objects(&first, "Pod")?;
    ensure!(pods["web-1"]["spec"]["nodeName"] == "node-1" && pods["web-1"]["metadata"]["uid"] == "web-1", "{pods:#?}");
    let output = convert(&["--import", &first.display().to_string()], &second).await?;
    ensure!(output.success && !output.stdout.contains("Left out"), "{output:?}");
    ensure!(std::fs::read(&first)? == std::fs::read(&second)?, "an export of an export is the same file");

    // A snapshot, after a file with nodes.
    let snapshot = home.path().join("snapshot.json");
    let container = json!({"name": "c", "image": "i"});
    let pod =
        json!({"metadata": {"name": "p", "namespace": "b"}, "spec": {"nodeName": "node-1", "containers": [container]}});
    let content = json!({"pods": [pod], "nodes": null, "schedulerConfig": {"parallelism": 1}});
    std::fs::write(&snapshot, content.to_string())?;
    let output = convert(&["--import", DUMP, "--import", &snapshot.display().to_string()], &second).await?;
    ensure!(output.success && output.stdout.contains("schedulerConfig is left out"), "{output:?}");
    ensure!(objects(&second, "Pod")?.len() == 17 && objects(&second, "Node")?.len() == 6, "{output:?}");
    Ok(())
}

async fn mistakes_are_named() -> Result<()> {
    let home = tempfile::tempdir()?;
    let export = home.path().join("export.json");
    let write = |name: &str, content: &[u8]| -> Result<String> {
        let path = home.path().join(name);
        std::fs::write(&path, content)?;
        Ok(path.display().to_string())
    };
    let cut = std::fs::read_to_string(DUMP)?;
    let cut = write("cut.yaml", cut.trim_end().as_bytes().get(..1000).context("a long file")?)?;
    let foreign = write("foreign.json", b"{\"a\": 1}")?;
    let zipped = write("zipped.yaml.gz", b"\x1f\x8b\x08")?;
    let capture = write("capture.jsonl.zst", b"\x28\xb5\x2f\xfd")?;
    let absent = home.path().join("absent").display().to_string();
    for (flags, expected) in [
        (&["--import", &cut][..], "cut.yaml: the file is not valid YAML"),
        (&["--import", &foreign], "foreign.json: document 1 has no kind and no apiVersion"),
        (&["--import", &zipped], "compressed with gzip; decompress it first"),
        (&["--import", &capture], "capture.jsonl.zst"),
        (&["--import", &absent], "absent: opening the file"),
        (&["--import", DUMP, "--at", "+1m"], "--at: a file of objects has no times"),
        (&["--import", DUMP, "--empty"], "cannot be used with"),
        (&["--at", "+1m"], "--import <PATH>"),
        (&["--import-cluster=/absent", "--import-context", "c"], "/absent"),
    ] {
        let output = convert(flags, &export).await?;
        ensure!(!output.success && output.stderr.contains(expected), "{flags:?}: {output:?}");
        ensure!(!export.exists(), "{flags:?} wrote an export");
    }
    let nowhere = home.path().join("absent").join("export.json");
    let output = convert(&["--import", DUMP], &nowhere).await?;
    ensure!(!output.success && output.stderr.contains("writing --export"), "{output:?}");
    Ok(())
}

/// A cluster is read from the API server, and from the capture of its scheduler: the pods are on the same nodes.
async fn a_live_cluster_and_its_capture_are_imported(target: &Target) -> Result<()> {
    let _controllers = target.controllers();
    let session = Session::with_nodes(target, nodes("n", 3, 4)).await?;
    session.create(&deployment("web", 3, "100m")).await?;
    session.create(&pod("big", "9")).await?;
    session.journal.until_rejected("big", "0/3 nodes are available: 3 Insufficient cpu.").await?;
    session.journal.until_placed("web-", 3).await?;

    let (live, recorded) = (target.home().join("live.json"), target.home().join("recorded.json"));
    let flag = format!("--import-cluster={}", target.kubeconfig.display());
    let output = convert(&[&flag], &live).await?;
    ensure!(output.success && output.stdout.contains("Secrets, Leases and Events were not read."), "{output:?}");
    let deployments = objects(&live, "Deployment")?;
    ensure!(deployments["web"]["spec"]["replicas"] == 3, "{deployments:#?}");
    let pods = objects(&live, "Pod")?;
    ensure!(pods.len() == 4, "{pods:#?}");
    ensure!(pods.values().filter(|pod| pod["metadata"]["ownerReferences"].is_array()).count() == 3, "{pods:#?}");
    ensure!(objects(&live, "Secret")?.is_empty() && objects(&live, "Lease")?.is_empty(), "{output:?}");
    session.end().await?;

    let output = convert(&["--import", &target.captures().display().to_string()], &recorded).await?;
    ensure!(output.success && output.stdout.contains("The cluster is that of the capture at "), "{output:?}");
    ensure!(!output.stdout.contains(" Pod such as") && !output.stdout.contains("  Pod "), "{output:?}");
    let nodes_of = |pods: &BTreeMap<String, Value>| -> BTreeMap<String, (Value, Value)> {
        let place = |pod: &Value| (pod["metadata"]["uid"].clone(), pod["spec"]["nodeName"].clone());
        pods.iter().map(|(name, pod)| (name.clone(), place(pod))).collect()
    };
    let (was, is) = (nodes_of(&pods), nodes_of(&objects(&recorded, "Pod")?));
    ensure!(was == is, "{was:#?}\n{is:#?}");
    ensure!(objects(&recorded, "Node")?.len() == 3, "{output:?}");
    Ok(())
}
