//! Configuration files, tested through the binaries: kube-scheduler still writes what `host/config/tests/config/cases/in-force/`
//! contains, and `berth`'s commands handle such files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_tests::programs;
use libtest_mimic::Trial;
use serde_json::Value;
use tokio::process::Command;

use crate::harness::standalone_trial;

/// Returns the trials. Tests that need kube-scheduler are shown as ignored if there is none.
pub fn trials() -> Vec<Trial> {
    let no_scheduler = kube_scheduler_path().is_none();
    vec![
        standalone_trial("configuration::in_force_files_match_kube_scheduler", || {
            Box::pin(in_force_files_match_kube_scheduler())
        })
        .with_ignored_flag(no_scheduler),
        standalone_trial("configuration::flags_override_the_written_file", || {
            Box::pin(flags_override_the_written_file())
        }),
        standalone_trial("configuration::invalid_files_are_refused", || Box::pin(invalid_files_are_refused())),
    ]
}

fn kube_scheduler_path() -> Option<PathBuf> {
    std::env::var_os("PARITY_SCHEDULER").map(PathBuf::from)
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/config/tests/config/cases").join(name)
}

fn read(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_saphyr::from_str(&text).with_context(|| path.display().to_string())
}

/// Checks that kube-scheduler's current output equals the files that the host's tests compare with.
async fn in_force_files_match_kube_scheduler() -> Result<()> {
    let program = kube_scheduler_path().context("PARITY_SCHEDULER is not set")?;
    let home = tempfile::tempdir()?;
    let mut files = std::fs::read_dir(folder("field"))?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(std::fs::DirEntry::path);
    ensure!(!files.is_empty(), "the folder field/ has no files");
    for file in files.into_iter().map(|entry| entry.path()) {
        let name = Path::new(file.file_stem().context("the file has no name")?).with_extension("yaml");
        let to = home.path().join(&name);
        let mut command = Command::new(&program);
        // kube-scheduler sends no request before it writes the file, but the flag `--master` must be set.
        command.arg("--config").arg(&file).args(["--master=http://127.0.0.1:1", "--secure-port=0"]);
        command.arg("--write-config-to").arg(&to);
        let output = programs::run(command).await?;
        ensure!(output.success, "kube-scheduler refuses {}:\n{}", file.display(), output.stderr);
        let (current, expected) = (read(&to)?, read(&folder("in-force").join(&name))?);
        ensure!(
            sort_plugin_config(current) == sort_plugin_config(expected),
            "kube-scheduler's output for {} differs from the file in in-force/",
            file.display()
        );
    }
    Ok(())
}

/// Sorts the plugins' arguments by name, because their order has no meaning.
fn sort_plugin_config(mut configuration: Value) -> Value {
    let profiles = configuration["profiles"].as_array_mut().into_iter().flatten();
    for configs in profiles.filter_map(|profile| profile["pluginConfig"].as_array_mut()) {
        configs.sort_by_key(|config| config["name"].to_string());
    }
    configuration
}

/// Flags override the configuration file, and the file that `--write-config-to` writes includes the flags' values.
async fn flags_override_the_written_file() -> Result<()> {
    let home = tempfile::tempdir()?;
    let to = home.path().join("written.yaml");
    let (to, file) = (to.display().to_string(), folder("field/everything.yaml").display().to_string());
    let flags = ["run", "--config", &file, "--write-config-to", &to, "--leader-elect-resource-name", "flagged"];
    let output = programs::run_berth(&[&flags[..], &["--plugins", "/plugins"]].concat()).await?;
    ensure!(output.success, "berth run --write-config-to failed:\n{}", output.stderr);
    let text = std::fs::read_to_string(&to)?;
    for expected in ["resourceName: flagged", "resourceNamespace: platform", "---", "pluginDirectory: /plugins"] {
        ensure!(text.contains(expected), "the written configuration does not contain {expected:?}:\n{text}");
    }
    Ok(())
}

/// `berth config check` accepts valid files and refuses invalid ones.
async fn invalid_files_are_refused() -> Result<()> {
    let good = folder("field/overrides.yaml").display().to_string();
    let output = programs::run_berth(&["config", "check", &good]).await?;
    ensure!(output.success, "a valid file is refused:\n{}\n{}", output.stdout, output.stderr);
    let printed = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "Profile default-scheduler",
        "queueSort PrioritySort",
        "score PodTopologySpread ×5, NodeAffinity, InterPodAffinity, TaintToleration, NodeResourcesFit",
        "bind DefaultBinder [the core]",
        "no limit of requests",
    ] {
        ensure!(printed.contains(expected), "the check does not print {expected:?}:\n{}", output.stdout);
    }
    let home = tempfile::tempdir()?;
    let head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    let nothing = home.path().join("nothing.yaml");
    std::fs::write(&nothing, format!("{head}profiles: [{{plugins: {{multiPoint: {{disabled: [{{name: '*'}}]}}}}}}]"))?;
    for (file, expected) in [
        (folder("older/limits-v1beta3.yaml"), "apiVersion: converted to kubescheduler.config.k8s.io/v1;"),
        (folder("policy/given/documented.json"), "apiVersion: converted to kubescheduler.config.k8s.io/v1;"),
        (nothing.clone(), "no plugin is enabled at queueSort, which kube-scheduler refuses"),
        (nothing, "no plugin is enabled at bind, which kube-scheduler refuses"),
    ] {
        let output = programs::run_berth(&["config", "check", &file.display().to_string()]).await?;
        ensure!(output.success, "a valid file is refused:\n{}\n{}", output.stdout, output.stderr);
        ensure!(output.stdout.contains(expected), "the check does not print {expected:?}:\n{}", output.stdout);
    }
    let bad = home.path().join("bad.yaml");
    let bad_name = bad.display().to_string();
    for (text, expected) in [
        ("profles: []", ":3:1: profles: unknown field; did you mean profiles?"),
        (
            "profiles: [{plugins: {score: {enabled: [{name: ImageLocalty}]}}}]",
            ":3:41: profiles[0].plugins.score.enabled[0]: no component has the name \"ImageLocalty\"; did you mean \
             ImageLocality?",
        ),
        (
            "profiles: [{plugins: {score: {enabled: [{name: NodeName}]}}}]",
            ":3:41: profiles[0].plugins.score.enabled[0]: NodeName can't be enabled at score; it can be enabled at filter",
        ),
    ] {
        std::fs::write(&bad, format!("{head}{text}"))?;
        let output = programs::run_berth(&["config", "check", &bad_name]).await?;
        ensure!(!output.success, "{text} is accepted:\n{}", output.stdout);
        let expected = format!("{bad_name}{expected}");
        ensure!(output.stdout.contains(&expected), "the check does not print {expected:?}:\n{}", output.stdout);
    }
    Ok(())
}
