//! `berth plugin list` and `berth plugin check`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;

use anyhow::{Context, Result};
use berth_core::Timestamp;
use berth_core::cache::Cache;
use comfy_table::{Table, presets::NOTHING};

use crate::wasm::{Guests, Limits, Loader, LoaderOptions, Outbox, PluginState, PluginStatus, ProfileSpec};

/// What to do about plugins.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// The plugins that a scheduler would have, and how each fares.
    List(ListArgs),
}

/// Arguments of `berth plugin list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// A directory of plugins (`*.wasm`) beside the built-in ones.
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
}

/// Does it.
///
/// # Errors
/// The plugins can't be loaded at all.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::List(args) => list(args),
    }
}

fn list(args: ListArgs) -> Result<ExitCode> {
    let plugins = load(args)?;
    println!("{}", table(&plugins));
    let refused = plugins.iter().any(|plugin| plugin.state == PluginState::Refused);
    Ok(if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Loads them as `berth run` would, over an empty cluster.
fn load(args: ListArgs) -> Result<Vec<PluginStatus>> {
    let limits = Arc::new(Limits::default());
    let (deliveries, delivered) = channel();
    let outbox: Outbox = Arc::new(move |delivery| deliveries.send(delivery).is_ok());
    let mut guests = Guests::new(Arc::clone(&limits), Arc::clone(&outbox)).context("starting the plugins' threads")?;
    let options = LoaderOptions { plugins_dir: args.plugins, limits, ..LoaderOptions::default() };
    let loader = Loader::start(options, vec![ProfileSpec::default_profile("default-scheduler")], outbox)?;
    std::thread::Builder::new().name("plugins".into()).spawn(move || {
        let cache = Cache::default();
        while let Ok(delivery) = delivered.recv() {
            guests.accept(delivery, Timestamp(0), &cache);
        }
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(loader.ready())?;
    Ok(loader.status())
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
