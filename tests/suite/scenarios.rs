//! `berth scenario run`: the scenarios of the repository, mistakes, and runs on other API servers.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use berth_tests::programs::{self, Output};
use berth_tests::{Target, crafted, directory};
use k8s_openapi::api::core::v1::Node;
use kube::Api;
use kube::api::ListParams;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::case::Case;
use crate::harness::standalone_trial;

/// The folder of the scenarios.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");

/// Returns the tests of this module.
pub fn cases() -> Vec<Case> {
    both::cases().into_iter().map(|case| Case { module: "scenarios", ..case }).collect()
}

mod both {
    use super::a_scenario_runs_on_another_api_server;

    crate::case::cases!(Both: a_scenario_runs_on_another_api_server);
}

/// Returns the tests that need no API server.
pub fn trials() -> Vec<Trial> {
    vec![
        standalone_trial("scenarios::the_scenarios_of_the_repository_pass_twice_alike", || {
            Box::pin(the_scenarios_of_the_repository_pass_twice_alike())
        }),
        standalone_trial("scenarios::a_failure_is_explained", || Box::pin(a_failure_is_explained())),
        standalone_trial("scenarios::a_trapping_plugin_is_exchanged", || Box::pin(a_trapping_plugin_is_exchanged())),
        standalone_trial("scenarios::mistakes_are_named", || Box::pin(mistakes_are_named())),
        standalone_trial("scenarios::steps_of_simulated_time_are_refused", || {
            Box::pin(steps_of_simulated_time_are_refused())
        }),
    ]
}

/// Runs `berth scenario run` with these arguments, and returns the report.
async fn run(arguments: &[&str]) -> Result<(Output, Value)> {
    let output = programs::run_berth(&[&["scenario", "run", "-o", "json"], arguments].concat()).await?;
    let report = serde_json::from_str(&output.stdout)
        .with_context(|| format!("scenario run {arguments:?}: {}{}", output.stdout, output.stderr))?;
    Ok((output, report))
}

/// Writes a scenario with these steps into a directory, and returns its path.
fn write(directory: &TempDir, steps: &Value) -> Result<String> {
    let path = directory.path().join("scenario.yaml");
    let scenario = json!({ "apiVersion": "berth.dev/v1alpha1", "kind": "Scenario", "steps": steps });
    fs::write(&path, scenario.to_string())?;
    Ok(path.to_str().context("the path is not UTF-8")?.to_owned())
}

fn node(name: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": name },
        "status": { "capacity": { "cpu": cpu, "memory": "8Gi", "pods": "110" } },
    })
}

fn pod(name: &str, cpu: &str) -> Value {
    let container = json!({ "name": "main", "image": "example/main:1", "resources": { "requests": { "cpu": cpu } } });
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "labels": { "app": "web" } },
        "spec": { "containers": [container] },
    })
}

fn create(objects: &[Value]) -> Value {
    json!({ "create": { "objects": objects } })
}

/// Every scenario passes. A second run places every pod on the same node at the same time.
async fn the_scenarios_of_the_repository_pass_twice_alike() -> Result<()> {
    let (first, mut report) = run(&[FOLDER]).await?;
    ensure!(first.success, "{}", first.stdout);
    let count = report["passed"].as_u64().unwrap_or_default();
    let files = fs::read_dir(FOLDER)?.flatten().filter(|file| file.path().extension().is_some_and(|end| end == "yaml"));
    let files = files.count() as u64;
    ensure!(files >= 12 && count == files, "{count} of the {files} scenarios passed");
    let (_, mut second) = run(&[FOLDER]).await?;
    [&mut report, &mut second].into_iter().for_each(without_real_time);
    for (first, second) in rows(&report).iter().zip(rows(&second)) {
        ensure!(*first == second, "two runs differ:\n{first:#}\n{second:#}");
        ensure!(!rows_of_history(first).is_empty(), "{first}");
    }
    Ok(())
}

fn rows(report: &Value) -> Vec<Value> {
    report["scenarios"].as_array().cloned().unwrap_or_default()
}

fn rows_of_history(scenario: &Value) -> &[Value] {
    scenario["history"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn without_real_time(report: &mut Value) {
    report["seconds"] = Value::Null;
    for scenario in report["scenarios"].as_array_mut().into_iter().flatten() {
        scenario["seconds"] = Value::Null;
    }
}

/// A failed condition names the step, says what was found, and explains the pod. JUnit has the same.
async fn a_failure_is_explained() -> Result<()> {
    let directory = TempDir::new()?;
    let steps = json!([
        create(&[node("n-0", "1"), pod("big", "2")]),
        { "name": "it fits", "expect": [{ "placed": { "pods": "app=web" } }] },
    ]);
    let file = write(&directory, &steps)?;
    let junit = directory.path().join("junit.xml");
    let (output, report) = run(&[&file, "--junit", junit.to_str().context("the path is not UTF-8")?]).await?;
    ensure!(output.status == Some(1), "{output:?}");
    let failure = &report["scenarios"][0]["failure"];
    let expected = json!({ "step": "steps[1]", "name": "it fits" });
    for field in ["step", "name"] {
        ensure!(failure[field] == expected[field], "{failure:#}");
    }
    let problem = failure["problems"][0].as_str().unwrap_or_default();
    ensure!(problem.contains("default/big") && problem.contains("Insufficient cpu"), "{problem}");
    let explanation = failure["explanations"][0].as_str().unwrap_or_default();
    ensure!(explanation.contains("Insufficient cpu") && explanation.contains("NodeResourcesFit"), "{explanation}");
    let xml = fs::read_to_string(junit)?;
    for part in ["failures=\"1\"", "Insufficient cpu", "NodeResourcesFit"] {
        ensure!(xml.contains(part), "the JUnit file lacks {part:?}: {xml}");
    }
    Ok(())
}

/// A plugin that traps leaves its pods pending. Another version of it places them.
async fn a_trapping_plugin_is_exchanged() -> Result<()> {
    let folder = TempDir::new()?;
    directory::install(folder.path(), "traps.wasm", &crafted::trapping_for_three_labels("Touchy"))?;
    directory::install(folder.path(), "accepts.wasm", &crafted::accepting("Touchy"))?;
    let mut trapped = pod("trapped", "1");
    trapped["metadata"]["labels"] = json!({ "app": "web", "tier": "front", "trapped": "yes" });
    let steps = json!([
        { "scheduler": { "plugins": ["traps.wasm"] } },
        create(&[node("n-0", "4"), trapped, pod("well", "1")]),
        { "expect": [
            { "running": { "pods": { "name": "well" } } },
            { "pending": { "pods": { "name": "trapped" }, "reason": "Touchy" } },
        ] },
        { "advance": "1h" },
        { "scheduler": { "plugins": ["accepts.wasm"] } },
        { "wait": { "within": "10m", "until": [{ "running": { "pods": "app=web", "count": 2 } }] } },
    ]);
    let (output, _) = run(&[&write(&folder, &steps)?]).await?;
    ensure!(output.success, "{}", output.stdout);
    Ok(())
}

/// A mistake in a file is an error that names the field, and no other scenario is lost.
async fn mistakes_are_named() -> Result<()> {
    for (steps, expected) in [
        (json!([{ "creat": {} }]), "steps[0]"),
        (json!([{ "expect": [{ "placd": {} }] }]), "steps[0].expect[0]"),
        (json!([{ "advance": "soon" }]), "steps[0].advance"),
        (json!([{ "advance": "${hours}h" }]), "hours"),
        (json!([{ "create": { "files": ["missing.yaml"] } }]), "missing.yaml"),
        (json!([{ "create": { "objects": [{ "kind": "Pod" }] } }]), "apiVersion"),
        (json!([create(&[json!({ "apiVersion": "v1", "kind": "Pud", "metadata": { "name": "a" } })])]), "Pud"),
        (json!([{ "scheduler": { "plugins": ["missing.wasm"] } }]), "missing.wasm"),
        (json!([{ "scheduler": { "config": "missing.yaml" } }]), "missing.yaml"),
        (json!([{ "drain": { "name": "nowhere" } }]), "nowhere"),
    ] {
        let directory = TempDir::new()?;
        let file = write(&directory, &steps)?;
        let well = directory.path().join("well.yaml");
        fs::write(&well, "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nsteps: [{advance: 1s}]\n")?;
        let (output, report) = run(&[&file, well.to_str().context("the path is not UTF-8")?]).await?;
        let scenario = &report["scenarios"][0];
        ensure!(output.status == Some(1) && scenario.to_string().contains(expected), "{steps}: {scenario:#}");
        ensure!(report["passed"] == 1, "{steps}: {report:#}");
    }
    let output = programs::run_berth(&["scenario", "run", "nowhere"]).await?;
    ensure!(output.status == Some(1) && output.stderr.contains("nowhere does not exist"), "{output:?}");
    let empty = TempDir::new()?;
    let output = programs::run_berth(&["scenario", "run", empty.path().to_str().unwrap_or_default()]).await?;
    ensure!(output.status == Some(1) && output.stderr.contains("has no scenario"), "{output:?}");
    Ok(())
}

/// The steps that need a simulated cluster are refused before anything is created.
async fn steps_of_simulated_time_are_refused() -> Result<()> {
    let target = Target::embedded().await?;
    let kubeconfig = target.kubeconfig.clone();
    for step in [
        json!({ "advance": "1s" }),
        json!({ "fail": { "name": "n-0" } }),
        json!({ "recover": { "name": "n-0" } }),
        json!({ "scheduler": { "plugins": [] } }),
    ] {
        let directory = TempDir::new()?;
        let name = step.as_object().and_then(|step| step.keys().next()).cloned().unwrap_or_default();
        let file = write(&directory, &json!([create(&[node("never", "1")]), step]))?;
        let (output, report) = run(&[&file, "--kubeconfig", path(&kubeconfig)?]).await?;
        let error = report["scenarios"][0]["error"].as_str().unwrap_or_default();
        ensure!(output.status == Some(1), "{output:?}");
        ensure!(
            error.contains(&format!("`{name}` needs a simulated cluster")) && error.contains("steps[1]"),
            "{error}"
        );
    }
    ensure!(has_no_nodes(&target).await?, "a refused scenario created a node");
    Ok(())
}

/// The same file runs on another API server with a scheduler, in real time. Its objects are deleted at the end.
async fn a_scenario_runs_on_another_api_server(target: &Target) -> Result<()> {
    let session = berth_tests::Session::start(target).await?;
    let directory = TempDir::new()?;
    let steps = json!([
        create(&[node("n-0", "2"), node("n-1", "2")]),
        // Without a kubelet, allocatable does not follow the capacity.
        { "for": { "i": 2 }, "patch": { "kind": "Node", "name": "n-${i}", "subresource": "status",
            "patch": { "status": { "allocatable": { "cpu": "2", "memory": "8Gi", "pods": "110" } } } } },
        { "for": { "i": 3 }, "create": { "objects": [pod("web-${i}", "1500m")] } },
        { "wait": { "until": [
            { "pending": { "pods": "app=web", "count": 1, "reason": "Insufficient cpu" } },
            { "nodesUsed": { "pods": "app=web", "count": 2 } },
        ] } },
    ]);
    let file = write(&directory, &steps)?;
    let kubeconfig = target.kubeconfig.clone();
    let (output, report) = run(&[&file, "--kubeconfig", path(&kubeconfig)?]).await?;
    ensure!(output.success, "{report:#}");
    ensure!(has_no_nodes(target).await?, "the scenario's nodes are still there");
    session.end().await
}

async fn has_no_nodes(target: &Target) -> Result<bool> {
    let nodes: Api<Node> = Api::all(target.client.clone());
    Ok(nodes.list(&ListParams::default()).await?.items.is_empty())
}

fn path(path: &Path) -> Result<&str> {
    path.to_str().context("the path is not UTF-8")
}
