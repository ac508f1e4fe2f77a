//! The plugins and profiles of a scenario's scheduler.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use berth_core::profile_spec::ProfileSpec;
use berth_core::queue::Backoff;
use berth_plugin_host::ComponentSet;

use crate::error::ScenarioError;

/// Plugins and profiles that can serve.
#[derive(Clone)]
pub struct Policy {
    /// The components.
    pub components: Arc<ComponentSet>,
    /// The profiles.
    pub specs: Vec<ProfileSpec>,
    /// The backoff of pods. A policy that follows another one does not change the backoff.
    pub backoff: Backoff,
}

/// What a policy is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicySource {
    /// The configuration: a file, or the text of a KubeSchedulerConfiguration. `None` for that of the caller.
    pub config: Option<Result<PathBuf, String>>,
    /// Components and directories of components. `None` for those of the caller.
    pub plugins: Option<Vec<PathBuf>>,
}

impl PolicySource {
    /// Returns the files and directories on which the policy depends.
    pub fn paths(&self) -> BTreeSet<PathBuf> {
        let config = self.config.iter().filter_map(|config| config.as_ref().ok());
        config.chain(self.plugins.iter().flatten()).cloned().collect()
    }
}

/// Loads policies. The caller compiles components once for all scenarios.
pub trait Policies: Sync {
    /// Returns the policy.
    ///
    /// # Errors
    /// The configuration is wrong, or a component can't be used.
    fn load(&self, source: &PolicySource) -> Result<Policy, ScenarioError>;
}
