//! The requested profiles, with plugins by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::plugins::ExtensionPoints;
use crate::profile::FailurePolicy;

/// The reason why a plugin is enabled. It decides whether the plugin must exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NamedBy {
    /// Enabled by default. Left out if the component does not exist.
    Default,
    /// Enabled by the profile under `multiPoint`. Must exist. Left out at extension points that the component does
    /// not export.
    MultiPoint,
    /// Enabled by the profile at this extension point. Must exist and export the extension point.
    Point,
}

/// A plugin enabled at an extension point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enabled {
    /// The plugin's name.
    pub name: Arc<str>,
    /// The weight, at least 1. Only used at score.
    pub weight: i64,
    /// The reason why the plugin is enabled.
    pub named_by: NamedBy,
}

/// The plugins enabled at each extension point, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PointSpecs {
    /// `preEnqueue`
    pub pre_enqueue: Vec<Enabled>,
    /// `queueSort`
    pub queue_sort: Vec<Enabled>,
    /// `preFilter`
    pub pre_filter: Vec<Enabled>,
    /// `filter`
    pub filter: Vec<Enabled>,
    /// `postFilter`
    pub post_filter: Vec<Enabled>,
    /// `preScore`
    pub pre_score: Vec<Enabled>,
    /// `score`
    pub score: Vec<Enabled>,
    /// `reserve`
    pub reserve: Vec<Enabled>,
    /// `permit`
    pub permit: Vec<Enabled>,
    /// `preBind`
    pub pre_bind: Vec<Enabled>,
    /// `bind`
    pub bind: Vec<Enabled>,
    /// `postBind`
    pub post_bind: Vec<Enabled>,
}

impl PointSpecs {
    /// Returns each list, with its name in a configuration and the export that it needs.
    pub fn each(&self) -> [(&'static str, ExtensionPoints, &[Enabled]); 12] {
        [
            ("preEnqueue", ExtensionPoints::PRE_ENQUEUE, &self.pre_enqueue),
            ("queueSort", ExtensionPoints::QUEUE_SORT, &self.queue_sort),
            ("preFilter", ExtensionPoints::PRE_FILTER, &self.pre_filter),
            ("filter", ExtensionPoints::FILTER, &self.filter),
            ("postFilter", ExtensionPoints::POST_FILTER, &self.post_filter),
            ("preScore", ExtensionPoints::PRE_SCORE, &self.pre_score),
            ("score", ExtensionPoints::SCORE, &self.score),
            ("reserve", ExtensionPoints::RESERVE, &self.reserve),
            ("permit", ExtensionPoints::PERMIT, &self.permit),
            ("preBind", ExtensionPoints::PRE_BIND, &self.pre_bind),
            ("bind", ExtensionPoints::BIND, &self.bind),
            ("postBind", ExtensionPoints::POST_BIND, &self.post_bind),
        ]
    }

    /// Returns each list, for a change, with the export that it needs.
    pub fn each_mut(&mut self) -> [(ExtensionPoints, &mut Vec<Enabled>); 12] {
        [
            (ExtensionPoints::PRE_ENQUEUE, &mut self.pre_enqueue),
            (ExtensionPoints::QUEUE_SORT, &mut self.queue_sort),
            (ExtensionPoints::PRE_FILTER, &mut self.pre_filter),
            (ExtensionPoints::FILTER, &mut self.filter),
            (ExtensionPoints::POST_FILTER, &mut self.post_filter),
            (ExtensionPoints::PRE_SCORE, &mut self.pre_score),
            (ExtensionPoints::SCORE, &mut self.score),
            (ExtensionPoints::RESERVE, &mut self.reserve),
            (ExtensionPoints::PERMIT, &mut self.permit),
            (ExtensionPoints::PRE_BIND, &mut self.pre_bind),
            (ExtensionPoints::BIND, &mut self.bind),
            (ExtensionPoints::POST_BIND, &mut self.post_bind),
        ]
    }

    /// Returns a value with the same list at every extension point.
    #[must_use]
    pub fn everywhere(enabled: Vec<Enabled>) -> Self {
        Self {
            pre_enqueue: enabled.clone(),
            queue_sort: enabled.clone(),
            pre_filter: enabled.clone(),
            filter: enabled.clone(),
            post_filter: enabled.clone(),
            pre_score: enabled.clone(),
            score: enabled.clone(),
            reserve: enabled.clone(),
            permit: enabled.clone(),
            pre_bind: enabled.clone(),
            bind: enabled.clone(),
            post_bind: enabled,
        }
    }
}

/// A requested profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProfileSpec {
    /// `schedulerName`
    pub scheduler_name: Box<str>,
    /// The enabled plugins.
    pub points: PointSpecs,
    /// `pluginConfig[].args` by plugin name.
    pub arguments: BTreeMap<Box<str>, serde_json::Value>,
    /// Every other component in the plugins directory is enabled at the end, with weight 1.
    pub others: bool,
    /// DefaultBinder, which is the core itself, is disabled. An attempt fails if neither an extender nor a plugin at
    /// bind binds the pod.
    pub without_default_binder: bool,
    /// The effect of a failure of a plugin that `failure_policies` does not name.
    pub failure_policy: FailurePolicy,
    /// The effect of a failure of individual plugins, by name.
    pub failure_policies: BTreeMap<Box<str>, FailurePolicy>,
    /// `percentageOfNodesToScore`. All nodes are looked at if it is absent, 0 or 100.
    pub percentage_of_nodes_to_score: Option<u8>,
}

impl ProfileSpec {
    /// Returns a plugin's arguments as JSON, or `{}` if it has none. Equal arguments give equal texts.
    pub fn arguments_of(&self, name: &str) -> Arc<str> {
        self.arguments.get(name).map_or_else(|| "{}".into(), |value| value.to_string().into())
    }

    /// Returns the names of all enabled plugins, each once, in the order of the lists, with whether the profile
    /// itself enables the plugin.
    pub fn names(&self) -> Vec<(Arc<str>, bool)> {
        let mut names: Vec<(Arc<str>, bool)> = Vec::new();
        for enabled in self.points.each().into_iter().flat_map(|(_, _, enabled)| enabled) {
            let required = enabled.named_by != NamedBy::Default;
            match names.iter_mut().find(|(name, _)| *name == enabled.name) {
                Some((_, also)) => *also |= required,
                None => names.push((Arc::clone(&enabled.name), required)),
            }
        }
        names
    }
}
