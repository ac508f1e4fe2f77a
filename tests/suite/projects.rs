//! From `berth plugin new` to a pod that the plugin placed, in each language.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use berth_tests::objects::{node, pod, with};
use berth_tests::programs::{self, Output};
use berth_tests::toolchains::{self, Environment, LANGUAGES};
use berth_tests::{Session, Target, directory};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::harness::standalone_trial;

/// The plugin's name. The name differs from the names in the template, so `berth plugin new` must replace each of them.
const NAME: &str = "red-and-blue";
/// The number of nodes. Only one node suits the pods, so that the pods can't all be on this node by chance.
const NODES: usize = 4;

/// Returns a trial for each language. Languages whose tools are missing are shown as ignored, with the reason.
pub fn trials() -> Vec<Trial> {
    let trial = |language: &'static str| {
        let name = format!("projects::{language}");
        match toolchains::environment(language) {
            Ok(environment) => standalone_trial(&name, move || Box::pin(a_project_places_pods(language, environment))),
            Err(reason) => {
                eprintln!("skipped: {name}: {reason}");
                Trial::test(name, || Ok(())).with_ignored_flag(true)
            }
        }
    };
    let mut trials =
        vec![standalone_trial("projects::invalid_arguments_are_refused", || Box::pin(invalid_arguments_are_refused()))];
    trials.extend(LANGUAGES.map(trial));
    trials
}

async fn a_project_places_pods(language: &str, environment: Environment) -> Result<()> {
    let target = Target::embedded().await?;
    let project = target.home().join("project");
    let dir = project.to_str().context("the path is not UTF-8")?;
    berth(&["plugin", "new", NAME, "--lang", language, "--dir", dir]).await?;
    build(&project, &["--test"], &environment).await?;
    build(&project, &[], &environment).await?;
    let (cases, module) = (format!("{dir}/cases.yaml"), format!("{dir}/{NAME}.wasm"));
    if language == "rust" {
        remove_built_crates(&project, &environment).await?;
    }
    berth(&["plugin", "test", &cases, &module]).await?;
    berth(&["scenario", "run", &format!("{dir}/scenario.yaml")]).await?;
    berth(&["plugin", "check", &module]).await?;
    check_placement(&target, &fs::read(&module)?).await
}

/// Runs a `berth` command that must succeed.
async fn berth(arguments: &[&str]) -> Result<()> {
    let output = programs::run_berth(arguments).await?;
    ensure!(output.success, "berth {arguments:?}: {}{}", output.stdout, output.stderr);
    Ok(())
}

/// Runs the project's build script.
async fn build(project: &Path, arguments: &[&str], environment: &Environment) -> Result<()> {
    run(&project.join("build"), arguments, project, environment).await
}

/// Removes this project's crates from the target directory that all runs of this test share. Later runs do not use
/// these crates.
async fn remove_built_crates(project: &Path, environment: &Environment) -> Result<()> {
    let wasm = ["--release", "--target", "wasm32-unknown-unknown"];
    for kind in [&[][..], &wasm] {
        let arguments = [&["clean", "--quiet", "--package", NAME, "--package", "berth-guest"], kind].concat();
        run(Path::new("cargo"), &arguments, project, environment).await?;
    }
    Ok(())
}

async fn run(program: &Path, arguments: &[&str], project: &Path, environment: &Environment) -> Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(project).env("BERTH", programs::berth()?);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let Output { success, stdout, stderr, .. } = programs::run(command).await?;
    ensure!(success, "{} {arguments:?}:\n{stdout}\n{stderr}", program.display());
    Ok(())
}

async fn check_placement(target: &Target, module: &[u8]) -> Result<()> {
    let file = format!("{NAME}.wasm");
    directory::install(&target.plugins_dir(), &file, module)?;
    let team = |team: &str| json!({"metadata": {"labels": {"team": team}}});
    let in_team = |n: usize| with(node(&format!("node-{n}"), 4), &team(if n == 0 { "red" } else { "blue" }));
    let nodes: Vec<Value> = (0..NODES).map(in_team).collect();
    let session = Session::with_nodes(target, nodes).await?;
    session.until_loaded(&file).await?;
    let pods: Vec<Value> = (0..NODES).map(|n| with(pod(&format!("red-{n}"), "1m"), &team("red"))).collect();
    session.create_all(pods).await?;
    let placed = session.journal.until_placed("red-", NODES).await?;
    ensure!(placed.values().all(|node| node == "node-0"), "the filter accepts only node-0: {placed:?}");
    session.create(&with(pod("pink", "1m"), &team("pink"))).await?;
    let reason = format!("0/{NODES} nodes are available: {NODES} node(s) belong to another team.");
    session.journal.until_rejected("pink", &reason).await?;
    session.end().await
}

/// `berth plugin new` names the cause of a refusal and, if possible, a solution. Existing files stay unchanged.
async fn invalid_arguments_are_refused() -> Result<()> {
    let home = tempfile::TempDir::new()?;
    let full = home.path().join("full");
    fs::create_dir(&full)?;
    fs::write(full.join("notes"), "precious")?;
    let full = full.to_str().context("the path is not UTF-8")?;
    let file = format!("{full}/notes");
    for (arguments, expected) in [
        (["my-plugin", "--lang", "go", "--dir", full], "is not empty: choose another directory"),
        (["my-plugin", "--lang", "go", "--dir", &file], "reading the directory"),
        (["my-plugin", "--lang", "cobol", "--dir", "unused"], "possible values: rust, go, typescript, python, c, zig"),
        (["My_Filter", "--lang", "c", "--dir", "unused"], "such as \"my-filter\""),
        (["fn", "--lang", "rust", "--dir", "unused"], "can't be the name of a plugin in this language"),
    ] {
        let output = programs::run_berth(&[&["plugin", "new"], &arguments[..]].concat()).await?;
        ensure!(
            !output.success && output.stderr.contains(expected),
            "{arguments:?}: {}{}",
            output.stdout,
            output.stderr
        );
    }
    let entries: Vec<_> = fs::read_dir(full)?.collect::<Result<_, _>>()?;
    ensure!(
        entries.len() == 1 && fs::read_to_string(file)? == "precious",
        "the directory's file has changed: {entries:?}"
    );
    Ok(())
}
