//! The command line of the built `berth` binary: exit statuses, output formats, hints and colors.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_tests::programs::{self, Output};
use libtest_mimic::Trial;
use serde_json::Value;
use tokio::process::Command;

use crate::harness::standalone_trial;

/// Returns the trials.
pub fn trials() -> Vec<Trial> {
    vec![
        standalone_trial("command_line::exit_statuses", || Box::pin(exit_statuses())),
        standalone_trial("command_line::json_output_is_one_document", || Box::pin(json_output_is_one_document())),
        standalone_trial("command_line::a_tested_plugin_stays_compiled", || Box::pin(a_tested_plugin_stays_compiled())),
        standalone_trial("command_line::a_hint_follows_an_error", || Box::pin(a_hint_follows_an_error())),
        standalone_trial("command_line::colors", || Box::pin(colors())),
    ]
}

/// The input files of the commands, in a temporary folder.
struct Files {
    home: tempfile::TempDir,
}

impl Files {
    fn new() -> Result<Self> {
        let files = Self { home: tempfile::tempdir()? };
        let head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
        files.write("good.yaml", head)?;
        files.write("bad.yaml", &format!("{head}profles: []\n"))?;
        files.write("wrong.yaml", "nodes: [{metadata: {name: n}}]\ncases: [{name: a, filter: {n: {Pending: b}}}]\n")?;
        fs::create_dir(files.home.path().join("broken"))?;
        files.write("broken/garbage.wasm", "no WebAssembly")?;
        fs::write(files.home.path().join("core.wasm"), b"\0asm\x01\0\0\0")?;
        Ok(files)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        Ok(fs::write(self.home.path().join(name), text)?)
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).display().to_string()
    }
}

fn repository(path: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.join(path).display().to_string()
}

fn component() -> String {
    repository("target/plugins/rust/prefer-label.wasm")
}

fn cases() -> String {
    repository("plugins/examples/cases/prefer-label.yaml")
}

/// Each command has an exit status that the help of `berth` lists: 0 for success, 1 for a failure, and 2 for an invalid
/// command line.
async fn exit_statuses() -> Result<()> {
    let files = Files::new()?;
    let (good, bad, wrong) = (files.path("good.yaml"), files.path("bad.yaml"), files.path("wrong.yaml"));
    let (broken, core, none) = (files.path("broken"), files.path("core.wasm"), files.path("none"));
    let written = files.path("written.yaml");
    let (component, cases) = (component(), cases());
    for (status, arguments) in [
        (0, &["--help"][..]),
        (0, &["plugin", "list"]),
        (1, &["plugin", "list", "--plugins", &broken]),
        (1, &["plugin", "list", "--config", &bad]),
        (0, &["plugin", "check", &component, "--args", r#"{"label": "tier", "weights": {"gold": 100}}"#]),
        (1, &["plugin", "check", &core]),
        (0, &["plugin", "test", &cases, &component]),
        (1, &["plugin", "test", &wrong, &component]),
        (1, &["plugin", "test", &none, &component]),
        (0, &["config", "check", &good]),
        (1, &["config", "check", &bad]),
        (0, &["run", "--config", &good, "--write-config-to", &written]),
        (1, &["run", "--config", &bad]),
        (1, &["run", "--kubeconfig", &none]),
        (2, &["plugin", "check"]),
        (2, &["plugin", "list", "-o", "csv"]),
        (2, &["fly"]),
        (2, &["--log", "berth=loud", "plugin", "list"]),
    ] {
        let output = programs::run_berth(arguments).await?;
        let Output { stdout, stderr, .. } = &output;
        ensure!(output.status == Some(status), "{arguments:?}: {:?}, not {status}:\n{stdout}\n{stderr}", output.status);
    }
    Ok(())
}

/// With `-o json`, standard output is one JSON document, also if the command finds a problem.
async fn json_output_is_one_document() -> Result<()> {
    let files = Files::new()?;
    let (good, bad) = (files.path("good.yaml"), files.path("bad.yaml"));
    let (component, cases) = (component(), cases());
    let arguments = r#"{"label": "tier", "weights": {"gold": 100}}"#;
    for (command, pointer, expected) in [
        (&["plugin", "list"][..], "/plugins/0/builtIn", Value::from(true)),
        (&["plugin", "check", &component, "--args", arguments], "/conformance/held", true.into()),
        (&["plugin", "test", &cases, &component], "/failed", 0.into()),
        (&["config", "check", &good], "/valid", true.into()),
        (&["config", "check", &bad], "/errors/0/path", "profles".into()),
        (&["demo"], "/placed", 106.into()),
    ] {
        let output = programs::run_berth(&[command, &["-o", "json"]].concat()).await?;
        let context = || format!("{command:?}:\n{}\n{}", output.stdout, output.stderr);
        let document: Value = serde_json::from_str(&output.stdout).with_context(context)?;
        ensure!(document.pointer(pointer) == Some(&expected), "{pointer} is not {expected}: {}", context());
        let wide = programs::run_berth(&[command, &["-o", "wide"]].concat()).await?;
        ensure!(wide.status == output.status && !wide.stdout.starts_with('{'), "{command:?} -o wide:\n{}", wide.stdout);
    }
    let yaml = programs::run_berth(&["config", "check", &good, "-o", "yaml"]).await?.stdout;
    ensure!(yaml.contains("\nvalid: true\n"), "-o yaml:\n{yaml}");
    Ok(())
}

/// `berth plugin test` keeps the compiled component in the user's cache, where other commands find it.
async fn a_tested_plugin_stays_compiled() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new(programs::berth()?);
    command.args(["plugin", "test", &cases(), &component()]).env("XDG_CACHE_HOME", home.path());
    let output = programs::run(command).await?;
    ensure!(output.success, "{}", output.stderr);
    let files: Vec<_> = fs::read_dir(home.path().join("berth"))?.collect::<Result<_, _>>()?;
    let names: Vec<_> = files.iter().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    ensure!(names.len() == 1 && names[0].ends_with(".cwasm"), "the cache holds {names:?}");
    Ok(())
}

/// The last line of an error is `try: ` and the command to run next.
async fn a_hint_follows_an_error() -> Result<()> {
    let files = Files::new()?;
    let (bad, core, none) = (files.path("bad.yaml"), files.path("core.wasm"), files.path("none"));
    for (arguments, hint) in [
        (&["run", "--config", &bad][..], format!("berth config check {bad}")),
        (&["run", "--kubeconfig", &none], format!("kubectl config view --minify --kubeconfig {none}")),
        (&["plugin", "list", "--config", &bad], format!("berth config check {bad}")),
        (&["plugin", "check", &core], format!("berth plugin componentize {core} --output component.wasm")),
        (&["plugin", "new", "TeamNodes", "--lang", "c"], "berth plugin new team-nodes --lang c".to_owned()),
    ] {
        let output = programs::run_berth(arguments).await?;
        let hinted = output.stderr.lines().last() == Some(&format!("try: {hint}"));
        ensure!(hinted, "{arguments:?} does not end with the hint {hint:?}:\n{}", output.stderr);
    }
    Ok(())
}

/// Output to a pipe has no colors, unless `--color=always` is set.
async fn colors() -> Result<()> {
    for (arguments, colored) in
        [(&["--help"][..], false), (&["--color=always", "--help"], true), (&["--color=always", "fly"], true)]
    {
        let Output { stdout, stderr, .. } = programs::run_berth(arguments).await?;
        let is_colored = stdout.contains('\x1b') || stderr.contains('\x1b');
        ensure!(is_colored == colored, "{arguments:?}: colored is {is_colored}, not {colored}: {stdout:?} {stderr:?}");
    }
    Ok(())
}
