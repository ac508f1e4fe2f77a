//! `--plugins` and `--config`: the policies that are compared.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use berth_config::Configuration;
use berth_core::queue::Backoff;
use berth_plugin_host::ComponentSet;
use berth_replay::{Decider, History, Policy, patient};

use super::configuration;
use super::input;
use crate::cli::components;
use crate::cli::hint::{Hint, quoted};

/// The flags of the policies.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Policies to compare")]
pub(super) struct PolicyFlags {
    /// Compare with the plugins (*.wasm) in this directory; can be repeated.
    ///
    /// The default plugins serve, too. Without --config, the profiles are those of the capture. Several --plugins and
    /// several --config give all pairs.
    #[arg(long, value_name = "DIR")]
    plugins: Vec<PathBuf>,
    /// Compare with this KubeSchedulerConfiguration; can be repeated.
    ///
    /// Without --plugins, the plugins directory is that of the configuration, else the components that served.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

/// A policy that was loaded.
pub(super) struct LoadedPolicy {
    pub name: String,
    pub decider: Decider,
    /// What the comparison does not consider, one sentence each.
    pub notes: Vec<String>,
}

impl PolicyFlags {
    /// Returns whether a policy is given.
    pub fn is_given(&self) -> bool {
        !self.plugins.is_empty() || !self.config.is_empty()
    }

    /// Loads the policies: each configuration with each directory.
    ///
    /// # Errors
    /// A configuration is invalid, a directory can't be read, or the capture has no profiles.
    pub fn load(&self, history: &History, modules: Option<&Path>) -> Result<Vec<LoadedPolicy>> {
        let configs: Vec<Option<&Path>> = or_none(&self.config);
        let directories: Vec<Option<&Path>> = or_none(&self.plugins);
        let mut policies = Vec::new();
        for config in &configs {
            for plugins in &directories {
                policies.push(load(history, *config, *plugins, modules)?);
            }
        }
        Ok(policies)
    }
}

fn or_none(paths: &[PathBuf]) -> Vec<Option<&Path>> {
    if paths.is_empty() { vec![None] } else { paths.iter().map(|path| Some(path.as_path())).collect() }
}

fn load(
    history: &History,
    config: Option<&Path>,
    plugins: Option<&Path>,
    modules: Option<&Path>,
) -> Result<LoadedPolicy> {
    let parts: Vec<String> = [config, plugins].into_iter().flatten().map(|path| path.display().to_string()).collect();
    let name = parts.join(" + ");
    let (berth, specs, backoff, mut notes) = match config {
        Some(file) => {
            let read = berth_config::load(file);
            let Configuration { berth, profiles, extenders, pod_initial_backoff, pod_max_backoff, .. } =
                read.or_hint(|| format!("berth config check {}", quoted(file.display())))?;
            let asked = "extenders are not asked, so pods can be placed where an extender would not let them";
            let notes = if extenders.is_empty() { Vec::new() } else { vec![format!("{name}: {asked}.")] };
            let backoff = Backoff { initial: pod_initial_backoff, max: pod_max_backoff };
            (berth, profiles, Some(backoff), notes)
        }
        None => {
            let none = "the capture has no profiles; name a configuration with --config";
            let policy = history.policy().with_context(|| none)?;
            let specs = policy.profiles.iter().map(|profile| profile.spec.clone()).collect();
            (configuration(history.header())?, specs, None, Vec::new())
        }
    };
    if let Some(directory) = plugins {
        // A scheduler waits for its plugins directory. A comparison has nothing to wait for.
        ensure!(directory.is_dir(), "--plugins: {} is not a directory", directory.display());
    }
    let directory = plugins.map(Path::to_owned).or_else(|| berth.plugin_directory.clone());
    let directory = directory.or_else(|| modules.map(Path::to_owned));
    let limits = Arc::new(patient(&berth.limits()));
    let components = components::load(&crate::loader_options(&berth, directory, limits)?)?;
    notes.extend(refused(&components).map(|why| format!("{name}: a component is refused: {why}.")));
    let policy = Policy { components: Arc::new(components), specs, backoff };
    Ok(LoadedPolicy { name, decider: Decider::Policy(policy), notes })
}

fn refused(components: &ComponentSet) -> impl Iterator<Item = String> {
    components.refused().map(ToString::to_string)
}

/// Returns the directory of the components that served: the one of `--modules`, or the folder beside the capture.
pub(super) fn modules(path: &Path, given: Option<&Path>) -> Option<PathBuf> {
    given.map(Path::to_owned).or_else(|| input::modules(path))
}
