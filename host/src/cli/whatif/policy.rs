//! The plugins and profiles of a question.

use std::path::PathBuf;

use anyhow::Result;
use berth_analysis::whatif::{EXTENDERS_NOT_ASKED, Policy};
use berth_config::Configuration;
use berth_plugin_host::ComponentSet;

use crate::cli::components;
use crate::cli::hint::{Hint, quoted};

/// The flags of the policy.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Policy")]
pub(super) struct PolicyFlags {
    /// Directory of further plugins (*.wasm) [default: pluginDirectory of --config].
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// KubeSchedulerConfiguration file [default: the default profile].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Consider the pods with this spec.schedulerName [default: default-scheduler].
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    scheduler_name: Option<String>,
}

/// Loaded plugins with their configuration.
pub(super) struct Loaded {
    components: ComponentSet,
    configuration: Configuration,
}

impl Loaded {
    fn load(configuration: Configuration, plugins_dir: Option<PathBuf>) -> Result<Self> {
        let plugins_dir = plugins_dir.or_else(|| configuration.berth.plugin_directory.clone());
        let limits = configuration.berth.limits().into();
        let options = crate::loader_options(&configuration.berth, plugins_dir, limits)?;
        Ok(Self { components: components::load(&options)?, configuration })
    }

    /// Returns the policy.
    pub fn policy(&self) -> Policy<'_> {
        Policy { components: &self.components, specs: &self.configuration.profiles }
    }

    /// Returns what the answer does not consider of the policy, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let refused = self.components.refused().map(|error| format!("A component is refused: {error}."));
        let mut notes: Vec<String> = refused.collect();
        if !self.configuration.extenders.is_empty() {
            notes.push(EXTENDERS_NOT_ASKED.to_owned());
        }
        notes
    }
}

impl PolicyFlags {
    /// Returns whether the flags change the policy.
    pub fn is_given(&self) -> bool {
        self.plugins.is_some() || self.config.is_some()
    }

    /// Loads the policy that the flags name.
    ///
    /// # Errors
    /// The configuration is invalid, or the directory can't be read.
    pub fn changed(&self) -> Result<Loaded> {
        let configuration = match &self.config {
            Some(file) => {
                berth_config::load(file).or_hint(|| format!("berth config check {}", quoted(file.display())))?
            }
            None => Configuration::default_profile(self.scheduler_name.as_deref()),
        };
        Loaded::load(configuration, self.plugins.clone())
    }

    /// Loads the policy to compare with: the default plugins and the default profile.
    ///
    /// # Errors
    /// As [`Self::changed`].
    pub fn before(&self) -> Result<Loaded> {
        Loaded::load(Configuration::default_profile(self.scheduler_name.as_deref()), None)
    }
}
