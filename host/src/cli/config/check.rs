//! `berth config check`: prints what a configuration file would run, and its problems.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use super::screen;
use crate::cli::out;
use berth_config::{Loaded, Named, Place};
use berth_plugin_host::{Absent, LineUp, LoaderOptions};

/// Arguments of `berth config check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// KubeSchedulerConfiguration file, with or without a BerthConfiguration.
    file: PathBuf,
    /// Directory of further plugins (*.wasm) [default: pluginDirectory of the file].
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
}

/// Prints the configuration that would run, and its problems.
pub(super) fn check(args: Args) -> Result<ExitCode> {
    let file = args.file.display().to_string();
    let loaded = match berth_config::load_noted(&args.file) {
        Ok(loaded) => loaded,
        Err(error) => {
            out::line(&error)?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let berth = &loaded.configuration.berth;
    let plugins_dir = args.plugins.or_else(|| berth.plugin_directory.clone());
    let options = LoaderOptions {
        cache_dir: berth.cache_directory.clone(),
        limits: berth.limits().into(),
        plugins_dir: plugins_dir.clone(),
        built_in: crate::default_plugins().to_vec(),
        ..LoaderOptions::default()
    };
    let (lines, error) = berth_plugin_host::line_up(&options, loaded.configuration.profiles.clone())?;
    let mut wrong = absent(&file, &lines, &loaded, plugins_dir.is_some());
    wrong.extend(error.map(|error| format!("{file}: {error}")));
    out::text(screen::render(&file, &loaded, &lines))?;
    if wrong.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    out::line(format_args!("\nThis does not run:\n{}", wrong.join("\n")))?;
    Ok(ExitCode::FAILURE)
}

/// Returns a line for each place that names a missing plugin.
fn absent(file: &str, lines: &[LineUp], loaded: &Loaded, has_directory: bool) -> Vec<String> {
    let mut said: Vec<(Place, String)> = Vec::new();
    for line in lines {
        for absent in &line.absent {
            let places = loaded.named.iter().filter(|named| is_of(named, line, absent));
            let remedy = match (absent.point, berth_config::removed_plugin(&absent.plugin)) {
                (None, Some(instead)) => format!("; Kubernetes has removed it: {instead}"),
                (None, None) if !has_directory && absent.near.is_none() => {
                    "; if it is in a directory of yours, name that with --plugins".to_owned()
                }
                _ => String::new(),
            };
            said.extend(places.map(|Named { place, path, .. }| {
                (*place, format!("{file}:{}:{}: {path}: {}{remedy}", place.line, place.column, absent.message))
            }));
        }
    }
    said.sort();
    said.into_iter().map(|(_, line)| line).collect()
}

fn is_of(named: &Named, line: &LineUp, absent: &Absent) -> bool {
    let is_there = absent.point.is_none_or(|point| point == named.point);
    named.scheduler_name == *line.scheduler_name && named.plugin == *absent.plugin && is_there
}
