//! `berth plugin list`: prints the plugins of a configuration and their states.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::cli::exit_status;
use crate::cli::hint::{Hint, quoted};
use crate::cli::output::{self, Listing, OutputFlag, new_table, or_dash};
use crate::cli::progress::Progress;
use berth_config::Configuration;
use berth_plugin_host::{LoaderOptions, PluginState, PluginStatus};

/// Arguments of `berth plugin list`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// Directory of further plugins (*.wasm) [default: pluginDirectory of --config].
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// KubeSchedulerConfiguration file [default: the default profile].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlag,
}

const EXIT: &[(u8, &str)] =
    &[(0, "the profiles can run, and no plugin is refused"), (1, "a plugin is refused, or the profiles can't run")];

/// The output of `berth plugin list`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct PluginList {
    /// The plugins, ordered by name.
    plugins: Vec<Plugin>,
    /// The reason why the profiles can't run; null if they can.
    error: Option<String>,
}

/// A plugin.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Plugin {
    /// The name; null if the component could not return it.
    name: Option<String>,
    /// The version; null if the component could not return it.
    version: Option<String>,
    /// The state: loaded, last good, restarting, backing off, refused or unused.
    state: &'static str,
    /// The scheduler names of the profiles that use the plugin.
    profiles: Vec<String>,
    /// The SHA-256 of the component in hexadecimal digits; null if the component could not be read.
    digest: Option<String>,
    /// Whether the component is in the binary.
    built_in: bool,
    /// The path of the component, or its file name at build time if it is in the binary.
    file: String,
    /// The arguments, as JSON.
    arguments: String,
    /// The last error of the plugin; null if the plugin has no error.
    last_error: Option<String>,
}

/// Prints the plugins. The exit status tells whether no plugin is refused and the profiles can run.
pub(super) fn list(args: Args) -> Result<ExitCode> {
    let configuration = match &args.config {
        Some(file) => berth_config::load(file).or_hint(|| format!("berth config check {}", quoted(file.display())))?,
        None => Configuration::default(),
    };
    let plugins_dir = args.plugins.or_else(|| configuration.berth.plugin_directory.clone());
    let limits = configuration.berth.limits().into();
    let built_in = crate::default_plugins().to_vec();
    let total = built_in.len();
    let grants = crate::default_plugins::grant_policy(&configuration.berth)?;
    let options = LoaderOptions { plugins_dir, limits, grants, built_in, ..LoaderOptions::default() };
    let progress = Progress::counted("plugins compiled", total, options.loaded.clone());
    let (plugins, error) = berth_plugin_host::survey(&options, configuration.profiles)?;
    drop(progress);
    let refused = plugins.iter().any(|plugin| plugin.state == PluginState::Refused);
    let plugins = plugins.iter().map(Plugin::of).collect();
    output::print(&PluginList { plugins, error: error.as_ref().map(ToString::to_string) }, args.output.format)?;
    if let Some(error) = error {
        let file = args.config.map_or_else(|| "FILE".to_owned(), |file| quoted(file.display()));
        return Err(error).or_hint(|| format!("berth config check {file}"));
    }
    Ok(if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Plugin {
    fn of(status: &PluginStatus) -> Self {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            name: text(&status.name),
            version: text(&status.version),
            state: status.state.name(),
            profiles: status.profiles.iter().map(ToString::to_string).collect(),
            digest: status.digest.map(|digest| digest.to_string()),
            built_in: status.source.is_built_in(),
            file: status.source.name(),
            arguments: status.arguments.to_string(),
            last_error: status.last_error.clone(),
        }
    }

    fn row(&self, wide: bool) -> Vec<String> {
        let optional = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
        let short = |digest: &String| digest[..SHORT_DIGEST.min(digest.len())].to_owned();
        let digest = if wide { self.digest.clone() } else { self.digest.as_ref().map(short) };
        let mut row = vec![
            optional(&self.name),
            optional(&self.version),
            self.state.to_owned(),
            or_dash(&self.profiles.join(",")),
            optional(&digest),
            if self.built_in { format!("{} (built in)", self.file) } else { self.file.clone() },
        ];
        row.extend(wide.then(|| self.arguments.clone()));
        row.push(optional(&self.last_error));
        row
    }
}

/// The number of digits of a digest in the narrow table.
const SHORT_DIGEST: usize = 12;

impl Listing for PluginList {
    fn table(&self, wide: bool) -> String {
        let mut header = vec!["NAME", "VERSION", "STATE", "PROFILES", "DIGEST", "SOURCE"];
        header.extend(wide.then_some("ARGUMENTS"));
        header.push("LAST ERROR");
        let mut table = new_table();
        table.set_header(header);
        for plugin in &self.plugins {
            table.add_row(plugin.row(wide));
        }
        format!("{table}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_output_is_kept() {
        output::check_schema::<PluginList>("plugin list");
    }

    #[test]
    fn the_wide_table_has_whole_digests_and_arguments() {
        let plugin = Plugin {
            name: Some("A".into()),
            version: None,
            state: "unused",
            profiles: Vec::new(),
            digest: Some("0123456789abcdef".into()),
            built_in: true,
            file: "a.wasm".into(),
            arguments: r#"{"b":1}"#.into(),
            last_error: None,
        };
        let list = PluginList { plugins: vec![plugin], error: None };
        let words = |wide| {
            let text = list.table(wide);
            let row = text.lines().nth(1).expect("a row");
            row.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(false), "A - unused - 0123456789ab a.wasm (built in) -");
        assert_eq!(words(true), r#"A - unused - 0123456789abcdef a.wasm (built in) {"b":1} -"#);
    }
}
