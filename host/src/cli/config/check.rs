//! `berth config check`: prints what a configuration file would run, and its problems.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use super::report::{ConfigReport, Remark};
use crate::cli::exit_status;
use crate::cli::hint::quoted;
use crate::cli::output::{self, OutputFlag};
use crate::cli::print_hint;
use crate::cli::progress::Progress;
use berth_config::{Loaded, Named};
use berth_plugin_host::{Absent, LineUp, LoaderOptions};

/// Arguments of `berth config check`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// KubeSchedulerConfiguration file, with or without a BerthConfiguration.
    file: PathBuf,
    /// Directory of further plugins (*.wasm) [default: pluginDirectory of the file].
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlag,
}

const EXIT: &[(u8, &str)] = &[(0, "the file is valid"), (1, "the file has an error, or names a missing plugin")];

/// Prints the configuration that would run, and its problems.
pub(super) fn check(args: Args) -> Result<ExitCode> {
    let file = args.file.display().to_string();
    let loaded = match berth_config::load_noted(&args.file) {
        Ok(loaded) => loaded,
        Err(error) => {
            output::print(&ConfigReport::unreadable(&file, &error), args.output.format)?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let berth = &loaded.configuration.berth;
    let plugins_dir = args.plugins.or_else(|| berth.plugin_directory.clone());
    let options = LoaderOptions {
        cache_dir: berth.cache_directory.clone(),
        limits: berth.limits().into(),
        grants: crate::default_plugins::grant_policy(berth)?,
        plugins_dir: plugins_dir.clone(),
        built_in: crate::default_plugins().to_vec(),
        ..LoaderOptions::default()
    };
    let progress = Progress::counted("plugins compiled", options.built_in.len(), options.loaded.clone());
    let (lines, error) = berth_plugin_host::line_up(&options, loaded.configuration.profiles.clone())?;
    drop(progress);
    let mut errors = absent(&lines, &loaded, plugins_dir.is_some());
    errors.extend(error.map(|error| Remark::of_file(error.to_string())));
    let valid = errors.is_empty();
    output::print(&ConfigReport::new(&file, &loaded, &lines, errors), args.output.format)?;
    if valid {
        return Ok(ExitCode::SUCCESS);
    }
    let dir = plugins_dir.map_or_else(String::new, |dir| format!(" --plugins {}", quoted(dir.display())));
    print_hint(&format!("berth plugin list{dir}"));
    Ok(ExitCode::FAILURE)
}

/// Returns an error for each place that enables a missing plugin, or a plugin that lacks the extension point.
fn absent(lines: &[LineUp], loaded: &Loaded, has_directory: bool) -> Vec<Remark> {
    let mut errors = Vec::new();
    for line in lines {
        for absent in &line.absent {
            let places = loaded.named.iter().filter(|named| names_absent(named, line, absent));
            let remedy = match (absent.point, berth_config::removed_plugin(&absent.plugin)) {
                (None, Some(instead)) => format!("; Kubernetes has removed it: {instead}"),
                (None, None) if !has_directory && absent.near.is_none() => {
                    "; if the plugin is in a directory, give it with --plugins".to_owned()
                }
                _ => String::new(),
            };
            let message = format!("{}{remedy}", absent.message);
            errors.extend(places.map(|named| Remark::at(named.place, named.path.clone(), message.clone())));
        }
    }
    errors.sort();
    errors
}

fn names_absent(named: &Named, line: &LineUp, absent: &Absent) -> bool {
    let is_there = absent.point.is_none_or(|point| point == named.point);
    named.scheduler_name == *line.scheduler_name && named.plugin == *absent.plugin && is_there
}
