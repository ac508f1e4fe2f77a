//! The plugins of a scheduler: what they are, where profiles use them, and what they cost.

use std::collections::BTreeMap;

use berth_core::{Core, Timestamp};
use berth_plugin_host::{PluginState, PluginStatus, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The plugins of a scheduler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginListing {
    /// The time of the listing, in milliseconds since 1970.
    pub at: u64,
    /// The plugins, ordered by name.
    pub plugins: Vec<ListedPlugin>,
    /// The reason why the requested profiles do not serve; null if they serve.
    pub refused_profiles: Option<String>,
}

/// A plugin with its arguments, or a component that no profile uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedPlugin {
    /// The name; null if the component could not return it.
    pub name: Option<String>,
    /// The version; null if the component could not return it.
    pub version: Option<String>,
    /// The state: loaded, last good, restarting, backing off, refused or unused.
    pub state: String,
    /// The time at which a plugin in the state "backing off" is rebuilt, in milliseconds since 1970.
    pub rebuilt_at: Option<u64>,
    /// The last error; null without an error.
    pub last_error: Option<String>,
    /// The SHA-256 of the component in hexadecimal digits; null if the component could not be read.
    pub digest: Option<String>,
    /// Whether the component is in the program.
    pub built_in: bool,
    /// The path of the component, or its file name at build time if it is in the program.
    pub file: String,
    /// `pluginConfig[].args`
    pub arguments: Value,
    /// The JSON Schema of the arguments; null if the plugin has none.
    pub arguments_schema: Value,
    /// What the plugin may read and change, beside reading nodes and pods: a line for each grant. Null if everything is
    /// granted, or the component could not be read.
    pub grants: Option<Vec<String>>,
    /// Where profiles use the plugin.
    pub uses: Vec<PluginUse>,
    /// The cost since the plugin serves.
    pub cost: PluginCost,
}

/// The use of a plugin by a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginUse {
    /// `profiles[].schedulerName`
    pub scheduler_name: String,
    /// The extension points, as in a configuration: `filter`, `score`, …
    pub extension_points: Vec<String>,
    /// The weight at score; null if the plugin is not enabled there.
    pub weight: Option<i64>,
}

/// The cost of a plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginCost {
    /// The number of calls, including the calls that send it the cluster. A call covers all nodes.
    pub calls: u64,
    /// The mean CPU time of a call in microseconds, estimated from one of 16 calls.
    pub mean_micros: f64,
    /// The CPU time in microseconds that 99 of 100 sampled calls do not exceed, rounded up by at most a quarter.
    pub p99_micros: f64,
    /// The number of calls that failed, or exceeded the limit of time or memory.
    pub failures: u64,
    /// How often the plugin was rebuilt, after a failure or to reduce its memory.
    pub rebuilds: u64,
    /// The linear memory in bytes.
    pub memory: u64,
}

/// Returns where the profiles of a core use plugins.
#[must_use]
pub fn enabled_plugins(core: &Core) -> BTreeMap<String, Vec<PluginUse>> {
    let mut uses = BTreeMap::<String, Vec<PluginUse>>::new();
    for profile in core.profiles() {
        for (point, plugin, weight) in profile.points() {
            let of_plugin = uses.entry(plugin.declaration.name.to_string()).or_default();
            let in_profile = of_plugin.iter().position(|found| *found.scheduler_name == *profile.scheduler_name);
            let at = in_profile.unwrap_or_else(|| {
                let scheduler_name = profile.scheduler_name.to_string();
                of_plugin.push(PluginUse { scheduler_name, ..PluginUse::default() });
                of_plugin.len() - 1
            });
            of_plugin[at].extension_points.push(point.to_owned());
            of_plugin[at].weight = of_plugin[at].weight.or(weight);
        }
    }
    uses
}

impl PluginListing {
    /// Lists these plugins at the time `at`. `uses` says where the profiles use them, see [`enabled_plugins`].
    #[must_use]
    pub fn of(plugins: &[PluginStatus], uses: &BTreeMap<String, Vec<PluginUse>>, at: Timestamp) -> Self {
        let plugins = plugins.iter().map(|status| ListedPlugin::of(status, uses)).collect();
        Self { at: at.0, plugins, refused_profiles: None }
    }
}

impl ListedPlugin {
    fn of(status: &PluginStatus, uses: &BTreeMap<String, Vec<PluginUse>>) -> Self {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        // Profiles with other arguments have an instance of their own.
        let of_instance = |found: &&PluginUse| status.profiles.iter().any(|profile| **profile == *found.scheduler_name);
        Self {
            name: text(&status.name),
            version: text(&status.version),
            state: status.state.name().to_owned(),
            rebuilt_at: match status.state {
                PluginState::BackingOff(until) => Some(until.0),
                _ => None,
            },
            last_error: status.last_error.clone(),
            digest: status.digest.map(|digest| digest.to_string()),
            built_in: status.source.is_built_in(),
            file: status.source.name(),
            arguments: serde_json::from_str(&status.arguments).unwrap_or_default(),
            arguments_schema: status
                .schema
                .as_deref()
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_default(),
            grants: status.grants.clone(),
            uses: uses.get(&*status.name).into_iter().flatten().filter(of_instance).cloned().collect(),
            cost: PluginCost::of(&status.usage),
        }
    }
}

impl PluginCost {
    fn of(usage: &Usage) -> Self {
        let micros = |seconds: f64| seconds * 1e6;
        Self {
            calls: usage.calls,
            mean_micros: if usage.calls == 0 { 0.0 } else { micros(usage.cpu.as_secs_f64()) / usage.calls as f64 },
            p99_micros: micros(usage.p99.as_secs_f64()),
            failures: usage.failures,
            rebuilds: usage.rebuilds,
            memory: usage.memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use berth_plugin_host::Source;

    use super::*;

    #[test]
    fn a_plugin_is_listed_with_the_uses_of_its_instance() {
        let status = PluginStatus {
            name: "Spread".into(),
            version: "1.0.0".into(),
            source: Source::BuiltIn("spread.wasm"),
            digest: None,
            arguments: r#"{"a":1}"#.into(),
            schema: Some(r#"{"type":"object"}"#.into()),
            grants: Some(vec!["read v1 Secret".to_owned()]),
            profiles: vec!["two".into()],
            state: PluginState::Loaded,
            last_error: None,
            usage: Usage { calls: 4, cpu: Duration::from_micros(10), ..Usage::default() },
        };
        let used = |name: &str| PluginUse {
            scheduler_name: name.to_owned(),
            extension_points: vec!["score".to_owned()],
            weight: Some(2),
        };
        let uses = BTreeMap::from([("Spread".to_owned(), vec![used("one"), used("two")])]);
        let listing = PluginListing::of(&[status], &uses, Timestamp(7));
        let plugin = &listing.plugins[0];
        assert_eq!((listing.at, &plugin.uses[..]), (7, &[used("two")][..]));
        assert_eq!((plugin.state.as_str(), plugin.file.as_str(), plugin.built_in), ("loaded", "spread.wasm", true));
        assert_eq!((&plugin.arguments["a"], &plugin.arguments_schema["type"]), (&1.into(), &"object".into()));
        assert_eq!(plugin.grants.as_deref(), Some(&["read v1 Secret".to_owned()][..]));
        assert!((plugin.cost.mean_micros - 2.5).abs() < 1e-9);
    }
}
