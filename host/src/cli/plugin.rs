//! `berth plugin list` and `berth plugin check`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use comfy_table::{Table, presets::NOTHING};

use crate::config::{self, Configuration};
use crate::wasm::{self, CHECK_NODES, CheckReport, Limits, LoaderOptions, PluginState, PluginStatus};

/// What to do about plugins.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// The plugins that a scheduler would have, and how each fares.
    List(ListArgs),
    /// Whether a component can be a plugin: what it exports and reads, a trial, and what it costs.
    Check(CheckArgs),
}

/// Arguments of `berth plugin list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// A directory of plugins (`*.wasm`) beside the built-in ones.
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// A KubeSchedulerConfiguration [default: the default profile].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Arguments of `berth plugin check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The component.
    file: PathBuf,
    /// Its arguments, as `pluginConfig[].args` would have them.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,
}

/// Does it. The exit status says whether all plugins are good.
///
/// # Errors
/// What can't be read, or is no plugin.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::List(args) => list(args),
        Command::Check(args) => check(&args),
    }
}

fn list(args: ListArgs) -> Result<ExitCode> {
    let configuration = match &args.config {
        Some(file) => config::load(file)?,
        None => Configuration::default(),
    };
    let options = LoaderOptions { plugins_dir: args.plugins, ..LoaderOptions::default() };
    let (plugins, error) = wasm::survey(&options, configuration.profiles)?;
    println!("{}", table(&plugins));
    if let Some(error) = error {
        return Err(error.into());
    }
    let refused = plugins.iter().any(|plugin| plugin.state == PluginState::Refused);
    Ok(if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn table(plugins: &[PluginStatus]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["NAME", "VERSION", "STATE", "PROFILES", "DIGEST", "SOURCE", "LAST ERROR"]);
    for plugin in plugins {
        let digest = plugin.digest.map_or_else(|| "-".into(), |digest| digest.short());
        table.add_row([
            or_dash(&plugin.name),
            or_dash(&plugin.version),
            state(plugin.state).to_owned(),
            or_dash(&plugin.profiles.join(",")),
            digest,
            plugin.source.to_string(),
            plugin.last_error.clone().unwrap_or_else(|| "-".into()),
        ]);
    }
    table
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".into() } else { text.into() }
}

fn state(state: PluginState) -> &'static str {
    match state {
        PluginState::Loaded => "loaded",
        PluginState::LastGood => "last good",
        PluginState::Restarting => "restarting",
        PluginState::BackingOff(_) => "backing off",
        PluginState::Refused => "refused",
        PluginState::Unused => "unused",
    }
}

fn check(args: &CheckArgs) -> Result<ExitCode> {
    let parsed: serde_json::Value = serde_json::from_str(&args.args).context("--args is not JSON")?;
    ensure!(parsed.is_object(), "--args has to be a JSON object, such as {{\"resource\": \"nvidia.com/gpu\"}}");
    let report = wasm::check(&args.file, &args.args, Limits::default())?;
    println!("{}", described(&report));
    Ok(ExitCode::SUCCESS)
}

fn described(report: &CheckReport) -> Table {
    let declaration = &report.declaration;
    let mut table = Table::new();
    table.load_style(NOTHING);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    row("plugin", format!("{} {}", declaration.name, declaration.version));
    row("digest", format!("sha256:{}", report.digest));
    row("size", kibibytes(report.size));
    row("extension points", report.exports.clone());
    row("reads of the pod", facts(declaration.pod_facts.iter_names().map(|(name, _)| name)));
    row("reads of nodes", facts(declaration.node_facts.iter_names().map(|(name, _)| name)));
    row("reads of the cluster", facts(declaration.cluster_facts.iter_names().map(|(name, _)| name)));
    row("scope", format!("filter {:?}, score {:?}", declaration.filter_scope, declaration.score_scope).to_lowercase());
    row("compiling", milliseconds(report.compile));
    row(&format!("telling it of {CHECK_NODES} nodes"), milliseconds(report.first_sync));
    for (export, time) in &report.calls {
        row(&format!("{export}, {CHECK_NODES} nodes"), milliseconds(*time));
    }
    row("memory", kibibytes(report.memory));
    row("trial", "passed".into());
    table
}

fn facts<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| name.to_lowercase().replace('_', "-")).collect();
    or_dash(&names.join(", "))
}

fn kibibytes(bytes: usize) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}
