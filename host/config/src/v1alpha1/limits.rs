//! Resource limits of plugins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FailurePolicy, Memory};
use crate::v1::Duration;
use berth_core::limits::Limits;

/// What a plugin may do and take, in place of what holds for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginSettings {
    /// The plugin's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What its failure does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicy>,
    /// What it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<PluginLimits>,
}

/// What every instance and every call may take. Times are CPU time of the calling thread, so that a busy machine trips nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginLimits {
    /// Memory of an instance, for each 50,000 nodes that there are. Default: 256Mi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// A call in a scheduling cycle, for each 50,000 nodes that there are. Default: 100ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_timeout: Option<Duration>,
    /// Taking in changes of the cluster, a batch. Default: 1s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply_timeout: Option<Duration>,
    /// Starting, describing itself and taking its arguments, each. Default: 2s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_timeout: Option<Duration>,
    /// Any call, by the clock on the wall: for what CPU time can't see. Default: 60s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_timeout: Option<Duration>,
    /// Lines that may be logged in a call. Default: 32.
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
