//! `berth.dev/v1alpha1`: Berth's own settings, in a second document of the configuration file.

mod decisions;
mod grants;
mod limits;
mod memory;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::decisions::DecisionRecords;
pub use self::grants::{EvictablePods, GrantedVerb, PluginGrants, ReadableObjects, WritableObjects};
pub use self::limits::{PluginLimits, PluginSettings};
pub use self::memory::Memory;
use berth_core::grants::Grants;
use berth_core::limits::Limits;

/// The `apiVersion` of a BerthConfiguration.
pub const API_VERSION: &str = "berth.dev/v1alpha1";
/// The `kind` of a BerthConfiguration.
pub const KIND: &str = "BerthConfiguration";

/// BerthConfiguration has the settings that KubeSchedulerConfiguration has no fields for, such as the plugins directory
/// and the limits of plugins. Flags override it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BerthConfiguration {
    /// `berth.dev/v1alpha1`
    #[schemars(extend("const" = API_VERSION))]
    pub api_version: String,
    /// `BerthConfiguration`
    #[schemars(extend("const" = KIND))]
    pub kind: String,
    /// The scheduler name of the default profile, if the file has no other document. Default: default-scheduler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub scheduler_name: Option<String>,
    /// A directory of plugins (`*.wasm`), which is watched. Flag: --plugins. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_directory: Option<PathBuf>,
    /// The directory that keeps compiled plugins between runs. Flag: --cache-dir. Default: a folder of the user's
    /// cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_directory: Option<PathBuf>,
    /// The seed of all random choices, such as the choice among nodes with the same score. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The effect of a plugin's failure on the pod's scheduling cycle. Default: Fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicy>,
    /// The decision records that the scheduler keeps in memory for explanations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_records: Option<DecisionRecords>,
    /// The limits of every plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<PluginLimits>,
    /// Settings of individual plugins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginSettings>,
}

/// The effect of a plugin's failure: a trap, an exceeded limit, or an invalid answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FailurePolicy {
    /// The pod's scheduling cycle fails, and the event has the plugin's name. The pod gets another attempt.
    #[default]
    Fail,
    /// A score that fails adds nothing. A failure at another extension point still fails the cycle.
    IgnoreScores,
}

impl Default for BerthConfiguration {
    fn default() -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            scheduler_name: None,
            plugin_directory: None,
            cache_directory: None,
            seed: None,
            failure_policy: None,
            decision_records: None,
            limits: None,
            plugins: Vec::new(),
        }
    }
}

impl From<FailurePolicy> for berth_core::profile::FailurePolicy {
    fn from(policy: FailurePolicy) -> Self {
        match policy {
            FailurePolicy::Fail => Self::Fail,
            FailurePolicy::IgnoreScores => Self::IgnoreScores,
        }
    }
}

impl BerthConfiguration {
    /// Returns the limits of all plugins, with the limits of single plugins applied.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let mut all = Limits::default();
        if let Some(limits) = &self.limits {
            limits.apply_to(&mut all);
        }
        for settings in &self.plugins {
            if let Some(limits) = &settings.limits {
                let mut own = Limits { of_plugins: BTreeMap::new(), ..all.clone() };
                limits.apply_to(&mut own);
                all.of_plugins.insert(settings.name.as_str().into(), own.into());
            }
        }
        all
    }

    /// Returns the grants of each plugin that has some.
    #[must_use]
    pub fn grants(&self) -> BTreeMap<Box<str>, Grants> {
        let of = |settings: &PluginSettings| Some((settings.name.as_str().into(), settings.grants.as_ref()?.to_core()));
        self.plugins.iter().filter_map(of).collect()
    }

    /// Returns the failure policy of each plugin that has its own.
    pub fn failure_policies(&self) -> impl Iterator<Item = (&str, FailurePolicy)> {
        self.plugins.iter().filter_map(|settings| Some((settings.name.as_str(), settings.failure_policy?)))
    }
}
