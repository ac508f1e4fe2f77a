//! `berth.dev/v1alpha1`: Berth's own settings, in a second document of the configuration file.

mod limits;
mod memory;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::limits::{PluginLimits, PluginSettings};
pub use self::memory::Memory;
use berth_core::limits::Limits;

/// The `apiVersion` of a BerthConfiguration.
pub const API_VERSION: &str = "berth.dev/v1alpha1";
/// The `kind` of a BerthConfiguration.
pub const KIND: &str = "BerthConfiguration";

/// BerthConfiguration says what kube-scheduler has no fields for: where plugins are, and what they may take. Flags come
/// before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BerthConfiguration {
    /// `berth.dev/v1alpha1`
    #[schemars(extend("const" = API_VERSION))]
    pub api_version: String,
    /// `BerthConfiguration`
    #[schemars(extend("const" = KIND))]
    pub kind: String,
    /// A directory of plugins (`*.wasm`), watched; the flag --plugins. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_directory: Option<PathBuf>,
    /// Where compiled plugins are kept between runs; the flag --cache-dir. Default: a folder of the user's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_directory: Option<PathBuf>,
    /// From which all random choices follow, such as the one among nodes that are equally good. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What a plugin's failure does to the pod's cycle. Default: Fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicy>,
    /// What every plugin may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<PluginLimits>,
    /// What single plugins may do and take instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginSettings>,
}

/// What a plugin's failure does: a trap, a deadline, an answer that is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FailurePolicy {
    /// The pod's cycle fails, with the plugin's name in its event, and is tried again.
    #[default]
    Fail,
    /// A score that fails adds nothing. What fails elsewhere fails the cycle all the same.
    IgnoreScores,
}

impl Default for BerthConfiguration {
    fn default() -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            plugin_directory: None,
            cache_directory: None,
            seed: None,
            failure_policy: None,
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

    /// Returns the failure policy of each plugin that has its own.
    pub fn failure_policies(&self) -> impl Iterator<Item = (&str, FailurePolicy)> {
        self.plugins.iter().filter_map(|settings| Some((settings.name.as_str(), settings.failure_policy?)))
    }
}
