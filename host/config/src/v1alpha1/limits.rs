//! Resource limits of plugins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FailurePolicy, Memory, PluginGrants};
use crate::v1::Duration;
use berth_core::limits::Limits;

/// The settings of one plugin, which override the settings for all plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginSettings {
    /// The plugin's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The effect of the plugin's failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicy>,
    /// The limits of the plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<PluginLimits>,
    /// What the plugin may read and change. Default: it reads nodes and pods, and changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<PluginGrants>,
}

/// The limits of every plugin instance and call. Times are CPU time of the calling thread, so a busy machine makes no
/// call fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginLimits {
    /// The memory of an instance, for each 50,000 nodes of the cluster. Default: 256Mi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// The time of a call in a scheduling cycle, for each 50,000 nodes of the cluster. Default: 100ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_timeout: Option<Duration>,
    /// The time to apply one batch of changes of the cluster. Default: 1s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply_timeout: Option<Duration>,
    /// The time of each of the start, `describe` and `configure`. Default: 2s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_timeout: Option<Duration>,
    /// The wall time of any call, which also limits calls that wait. Default: 60s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_timeout: Option<Duration>,
    /// The number of log lines of one call. Default: 32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_lines: Option<u32>,
}

impl PluginLimits {
    /// Overwrites the fields of `limits` that are set here.
    pub(super) fn apply_to(&self, limits: &mut Limits) {
        set(&mut limits.memory, self.memory.map(Memory::bytes));
        set(&mut limits.call, self.call_timeout.map(|timeout| timeout.0));
        set(&mut limits.apply, self.apply_timeout.map(|timeout| timeout.0));
        set(&mut limits.startup, self.startup_timeout.map(|timeout| timeout.0));
        set(&mut limits.wall, self.wall_timeout.map(|timeout| timeout.0));
        set(&mut limits.log_lines, self.log_lines);
    }

    /// Returns the timeouts that are set, with their field names.
    pub(crate) fn timeouts(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        let named = [
            ("callTimeout", self.call_timeout),
            ("applyTimeout", self.apply_timeout),
            ("startupTimeout", self.startup_timeout),
            ("wallTimeout", self.wall_timeout),
        ];
        named.into_iter().filter_map(|(name, timeout)| Some((name, timeout?)))
    }
}

fn set<T>(target: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *target = given;
    }
}
