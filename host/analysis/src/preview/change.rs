//! A change of a profile: which plugins it enables, and their weights and arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_apimachinery::nearest;
use berth_core::profile_spec::{Enabled, NamedBy, ProfileSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The largest weight. A total score stays far below the largest number that a page or a plugin can represent.
const MOST_WEIGHT: i64 = 10_000;

/// A change of the plugins of one profile. What it does not name stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyChange {
    /// `profiles[].schedulerName` of the profile to change.
    pub scheduler_name: String,
    /// The plugins to disable at all extension points.
    #[serde(default)]
    pub disable: BTreeSet<String>,
    /// The plugins to enable at the extension points that they export: after the others, and with weight 1 unless
    /// `weights` has another one.
    #[serde(default)]
    pub enable: BTreeSet<String>,
    /// The new weights at score, from 1 to 10000, by plugin.
    #[serde(default)]
    pub weights: BTreeMap<String, i64>,
    /// The new `pluginConfig[].args`, by plugin.
    #[serde(default)]
    pub arguments: BTreeMap<String, Value>,
}

/// The reason why a change does not apply to the profiles.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyChangeError {
    /// There is no such profile.
    #[error("no profile has schedulerName {name:?}; the profiles are {}", known.join(", "))]
    NoProfile {
        /// The name in the change.
        name: String,
        /// The names of the profiles.
        known: Vec<String>,
    },
    /// The profile does not enable the plugin.
    #[error(
        "the profile {profile} does not enable the plugin {plugin}{}{}",
        if *at_score { " at score" } else { "" },
        similar.as_ref().map_or_else(String::new, |name| format!("; did you mean {name}?"))
    )]
    NotEnabled {
        /// `schedulerName`
        profile: String,
        /// The name in the change.
        plugin: String,
        /// The change has a weight, which only plugins at score have.
        at_score: bool,
        /// The enabled plugin with the most similar name.
        similar: Option<String>,
    },
    /// The profile enables the plugin already.
    #[error("the profile {profile} enables the plugin {plugin} already")]
    Enabled {
        /// `schedulerName`
        profile: String,
        /// The name in the change.
        plugin: String,
    },
    /// The weight is outside of its range.
    #[error("the weight {weight} of {plugin} is not between 1 and {MOST_WEIGHT}")]
    Weight {
        /// The plugin.
        plugin: String,
        /// The weight in the change.
        weight: i64,
    },
    /// The arguments are not an object.
    #[error("the arguments of {0} must be an object, as under pluginConfig[].args")]
    Arguments(String),
}

impl PolicyChange {
    /// Returns the profiles with this change. `further` has the plugins that serve because they are in the plugins
    /// directory: a profile can enable them without their names.
    ///
    /// # Errors
    /// The change names an unknown profile or plugin, or has an invalid value.
    pub fn applied_to(
        &self,
        specs: &[ProfileSpec],
        further: &[Arc<str>],
    ) -> Result<Vec<ProfileSpec>, PolicyChangeError> {
        let mut specs = specs.to_vec();
        let known = || specs.iter().map(|spec| spec.scheduler_name.to_string()).collect();
        let Some(at) = specs.iter().position(|spec| *spec.scheduler_name == *self.scheduler_name) else {
            return Err(PolicyChangeError::NoProfile { name: self.scheduler_name.clone(), known: known() });
        };
        // A plugin that the profile does not name can only be disabled if the profile names the others.
        let disables_further = further.iter().any(|name| self.disable.contains(&**name));
        for plugin in further.iter().filter(|name| disables_further || self.names(name)) {
            name_further(&mut specs[at], plugin);
        }
        specs[at].others &= !disables_further;
        for plugin in &self.disable {
            disable(&mut specs[at], plugin)?;
        }
        for plugin in &self.enable {
            enable(&mut specs[at], plugin)?;
        }
        for (plugin, weight) in &self.weights {
            change_weight(&mut specs[at], plugin, *weight)?;
        }
        for (plugin, arguments) in &self.arguments {
            change_arguments(&mut specs[at], plugin, arguments)?;
        }
        Ok(specs)
    }

    fn names(&self, plugin: &str) -> bool {
        self.weights.contains_key(plugin) || self.arguments.contains_key(plugin)
    }
}

fn change_weight(spec: &mut ProfileSpec, plugin: &str, weight: i64) -> Result<(), PolicyChangeError> {
    if !(1..=MOST_WEIGHT).contains(&weight) {
        return Err(PolicyChangeError::Weight { plugin: plugin.to_owned(), weight });
    }
    match spec.points.score.iter_mut().find(|enabled| *enabled.name == *plugin) {
        Some(enabled) => enabled.weight = weight,
        None => {
            let names = spec.points.score.iter().map(|enabled| &*enabled.name);
            return Err(not_enabled(spec, plugin, true, names));
        }
    }
    Ok(())
}

/// Names a plugin of the plugins directory in the profile, if the profile enables it without a name.
fn name_further(spec: &mut ProfileSpec, plugin: &Arc<str>) {
    if spec.others && !is_named(spec, plugin) {
        name_everywhere(spec, Arc::clone(plugin));
    }
}

fn is_named(spec: &ProfileSpec, plugin: &str) -> bool {
    spec.names().iter().any(|(name, _)| **name == *plugin)
}

/// Names a plugin at all extension points that it exports.
fn name_everywhere(spec: &mut ProfileSpec, plugin: Arc<str>) {
    let enabled = Enabled { name: plugin, weight: 1, named_by: NamedBy::MultiPoint };
    spec.points.each_mut().into_iter().for_each(|(_, list)| list.push(enabled.clone()));
}

fn disable(spec: &mut ProfileSpec, plugin: &str) -> Result<(), PolicyChangeError> {
    if !is_named(spec, plugin) {
        let names = spec.names();
        return Err(not_enabled(spec, plugin, false, names.iter().map(|(name, _)| &**name)));
    }
    spec.points.each_mut().into_iter().for_each(|(_, list)| list.retain(|enabled| *enabled.name != *plugin));
    Ok(())
}

fn enable(spec: &mut ProfileSpec, plugin: &str) -> Result<(), PolicyChangeError> {
    if is_named(spec, plugin) {
        let profile = spec.scheduler_name.to_string();
        return Err(PolicyChangeError::Enabled { profile, plugin: plugin.to_owned() });
    }
    name_everywhere(spec, plugin.into());
    Ok(())
}

fn change_arguments(spec: &mut ProfileSpec, plugin: &str, arguments: &Value) -> Result<(), PolicyChangeError> {
    if !arguments.is_object() {
        return Err(PolicyChangeError::Arguments(plugin.to_owned()));
    }
    let names = spec.names();
    let mut names = names.iter().map(|(name, _)| &**name);
    if !names.clone().any(|name| name == plugin) {
        return Err(not_enabled(spec, plugin, false, &mut names));
    }
    spec.arguments.insert(plugin.into(), arguments.clone());
    Ok(())
}

fn not_enabled<'a>(
    spec: &ProfileSpec,
    plugin: &str,
    at_score: bool,
    names: impl Iterator<Item = &'a str>,
) -> PolicyChangeError {
    let similar = nearest(plugin, names).map(str::to_owned);
    PolicyChangeError::NotEnabled {
        profile: spec.scheduler_name.to_string(),
        plugin: plugin.to_owned(),
        at_score,
        similar,
    }
}

#[cfg(test)]
mod tests {
    use berth_core::profile::FailurePolicy;
    use berth_core::profile_spec::PointSpecs;
    use serde_json::json;

    use super::*;

    fn spec() -> ProfileSpec {
        let enabled = |name: &str| Enabled { name: name.into(), weight: 1, named_by: NamedBy::Default };
        ProfileSpec {
            scheduler_name: "default-scheduler".into(),
            points: PointSpecs {
                filter: vec![enabled("Taints"), enabled("Labels")],
                score: vec![enabled("Taints")],
                ..PointSpecs::default()
            },
            arguments: BTreeMap::new(),
            others: false,
            without_default_binder: false,
            failure_policy: FailurePolicy::default(),
            failure_policies: BTreeMap::new(),
            percentage_of_nodes_to_score: None,
        }
    }

    fn change(change: Value) -> PolicyChange {
        serde_json::from_value(change).expect("a change")
    }

    #[test]
    fn weights_and_arguments_are_changed() {
        let change = change(json!({
            "schedulerName": "default-scheduler", "weights": {"Taints": 7}, "arguments": {"Labels": {"a": 1}},
        }));
        let changed = change.applied_to(&[spec()], &[]).expect("a valid change");
        assert_eq!((changed[0].points.score[0].weight, changed[0].points.filter[0].weight), (7, 1));
        assert_eq!(&*changed[0].arguments_of("Labels"), r#"{"a":1}"#);
        let unchanged = PolicyChange { scheduler_name: "default-scheduler".into(), ..PolicyChange::default() };
        assert_eq!(unchanged.applied_to(&[spec()], &[]), Ok(vec![spec()]));
    }

    #[test]
    fn a_further_plugin_of_the_directory_gets_a_name() {
        let further = ProfileSpec { others: true, ..spec() };
        let change = change(json!({"schedulerName": "default-scheduler", "weights": {"Own": 3}}));
        let changed = &change.applied_to(std::slice::from_ref(&further), &["Own".into()]).expect("a valid change")[0];
        assert_eq!(changed.points.score[1].weight, 3);
        assert_eq!((&*changed.points.filter[2].name, &*changed.points.permit[0].name), ("Own", "Own"));
        assert!(change.applied_to(&[further], &[]).is_err(), "a plugin that does not serve stays out");
    }

    #[test]
    fn plugins_are_disabled_and_enabled() {
        let swap = change(json!({
            "schedulerName": "default-scheduler", "disable": ["Taints"], "enable": ["Other"], "weights": {"Other": 5},
        }));
        let changed = &swap.applied_to(&[spec()], &[]).expect("a valid change")[0];
        let names = |list: &[Enabled]| list.iter().map(|enabled| enabled.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&changed.points.filter), ["Labels", "Other"]);
        assert_eq!((names(&changed.points.score), changed.points.score[0].weight), (vec!["Other".to_owned()], 5));
        let back = change(json!({"schedulerName": "default-scheduler", "enable": ["Other"]}));
        assert!(back.applied_to(std::slice::from_ref(changed), &[]).is_err(), "it is enabled");
    }

    #[test]
    fn a_further_plugin_is_disabled_and_the_others_stay() {
        let further = ProfileSpec { others: true, ..spec() };
        let change = change(json!({"schedulerName": "default-scheduler", "disable": ["Own"]}));
        let directory = ["Own".into(), "Second".into()];
        let changed = &change.applied_to(&[further], &directory).expect("a valid change")[0];
        assert!(!changed.others && !is_named(changed, "Own") && is_named(changed, "Second"), "{changed:?}");
        // A default plugin needs no other names.
        let further = ProfileSpec { others: true, ..spec() };
        let change = PolicyChange { disable: ["Taints".to_owned()].into(), ..change };
        let changed = &change.applied_to(&[further], &directory).expect("a valid change")[0];
        assert!(changed.others && !is_named(changed, "Taints") && !is_named(changed, "Second"), "{changed:?}");
    }

    #[test]
    fn mistakes_are_named() {
        for (wrong, message) in [
            (json!({"schedulerName": "x"}), "no profile has schedulerName \"x\"; the profiles are default-scheduler"),
            (
                json!({"schedulerName": "default-scheduler", "weights": {"Taint": 2}}),
                "the profile default-scheduler does not enable the plugin Taint at score; did you mean Taints?",
            ),
            (
                json!({"schedulerName": "default-scheduler", "weights": {"Labels": 2}}),
                "the profile default-scheduler does not enable the plugin Labels at score",
            ),
            (
                json!({"schedulerName": "default-scheduler", "weights": {"Taints": 0}}),
                "the weight 0 of Taints is not between 1 and 10000",
            ),
            (
                json!({"schedulerName": "default-scheduler", "arguments": {"Other": {}}}),
                "the profile default-scheduler does not enable the plugin Other",
            ),
            (
                json!({"schedulerName": "default-scheduler", "disable": ["Label"]}),
                "the profile default-scheduler does not enable the plugin Label; did you mean Labels?",
            ),
            (
                json!({"schedulerName": "default-scheduler", "enable": ["Labels"]}),
                "the profile default-scheduler enables the plugin Labels already",
            ),
            (
                json!({"schedulerName": "default-scheduler", "arguments": {"Taints": 3}}),
                "the arguments of Taints must be an object, as under pluginConfig[].args",
            ),
        ] {
            let found = change(wrong.clone()).applied_to(&[spec()], &[]).expect_err("a wrong change");
            assert_eq!(found.to_string(), message, "{wrong}");
        }
    }
}
