//! `berth plugin list`: prints the plugins of a configuration and their states.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Table, presets::NOTHING};

use super::or_dash;
use crate::cli::out;
use berth_config::Configuration;
use berth_plugin_host::{LoaderOptions, PluginState, PluginStatus};

/// Arguments of `berth plugin list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory of further plugins (*.wasm) [default: pluginDirectory of --config].
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// KubeSchedulerConfiguration file [default: the default profile].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Prints the plugins. The exit status tells whether all are accepted.
pub(super) fn list(args: Args) -> Result<ExitCode> {
    let configuration = match &args.config {
        Some(file) => berth_config::load(file)?,
        None => Configuration::default(),
    };
    let plugins_dir = args.plugins.or_else(|| configuration.berth.plugin_directory.clone());
    let limits = configuration.berth.limits().into();
    let options =
        LoaderOptions { plugins_dir, limits, built_in: crate::default_plugins().to_vec(), ..LoaderOptions::default() };
    let (plugins, error) = berth_plugin_host::survey(&options, configuration.profiles)?;
    out::line(table(&plugins))?;
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
