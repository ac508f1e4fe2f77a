//! `profiles[]`: the plugins for the pods of one scheduler name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PluginConfig;

/// The plugins and settings for the pods of one scheduler name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Profile {
    /// The profile schedules pods with this `spec.schedulerName`. Several profiles need different names. Default:
    /// default-scheduler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler_name: Option<String>,
    /// Overrides percentageOfNodesToScore of the whole configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub percentage_of_nodes_to_score: Option<i32>,
    /// The plugins to enable in addition to the default plugins, and the default plugins to disable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugins: Option<Plugins>,
    /// Arguments of plugins. A plugin without an entry uses its defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugin_config: Vec<PluginConfig>,
}

/// The plugins to enable and disable, by extension point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plugins {
    /// Decides whether a pod may enter the active queue.
    #[serde(default)]
    pub pre_enqueue: PluginSet,
    /// Orders the active queue. Exactly one plugin, the same in all profiles.
    #[serde(default)]
    pub queue_sort: PluginSet,
    /// Runs once in each scheduling cycle, before nodes are filtered.
    #[serde(default)]
    pub pre_filter: PluginSet,
    /// Rejects nodes on which the pod cannot run.
    #[serde(default)]
    pub filter: PluginSet,
    /// Runs if no node fits, for example preemption.
    #[serde(default)]
    pub post_filter: PluginSet,
    /// Runs once in each scheduling cycle, before nodes are scored.
    #[serde(default)]
    pub pre_score: PluginSet,
    /// Scores the nodes that passed the filters.
    #[serde(default)]
    pub score: PluginSet,
    /// Reserves what the pod needs on the chosen node.
    #[serde(default)]
    pub reserve: PluginSet,
    /// Allows the binding, denies it, or lets the pod wait.
    #[serde(default)]
    pub permit: PluginSet,
    /// Changes objects before the binding.
    #[serde(default)]
    pub pre_bind: PluginSet,
    /// Binds the pod. The first plugin that does not skip the pod binds it.
    #[serde(default)]
    pub bind: PluginSet,
    /// Runs after the pod is bound.
    #[serde(default)]
    pub post_bind: PluginSet,
    /// Plugins to enable or disable at every extension point that they implement.
    #[serde(default)]
    pub multi_point: PluginSet,
    /// An alpha feature of Kubernetes for pod groups. No plugin can be enabled.
    #[serde(default)]
    pub placement_generate: PluginSet,
    /// An alpha feature of Kubernetes for pod groups. No plugin can be enabled.
    #[serde(default)]
    pub placement_score: PluginSet,
}

/// The plugins to enable and disable at one extension point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginSet {
    /// Plugins to enable, in order, after the default plugins that are not disabled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enabled: Vec<Plugin>,
    /// Default plugins to disable. `*` disables all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disabled: Vec<Plugin>,
}

/// A plugin to enable or disable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plugin {
    /// The plugin's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The factor for the plugin's scores. Used only at score and multiPoint. 0 means the default. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub weight: Option<i32>,
}

/// An extension point, named as in [`Plugins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExtensionPoint {
    /// `preEnqueue`.
    PreEnqueue,
    /// `queueSort`.
    QueueSort,
    /// `preFilter`.
    PreFilter,
    /// `filter`.
    Filter,
    /// `postFilter`.
    PostFilter,
    /// `preScore`.
    PreScore,
    /// `score`.
    Score,
    /// `reserve`.
    Reserve,
    /// `permit`.
    Permit,
    /// `preBind`.
    PreBind,
    /// `bind`.
    Bind,
    /// `postBind`.
    PostBind,
}

impl ExtensionPoint {
    /// All extension points, in the order in which a pod passes them.
    pub const ALL: [Self; 12] = [
        Self::PreEnqueue,
        Self::QueueSort,
        Self::PreFilter,
        Self::Filter,
        Self::PostFilter,
        Self::PreScore,
        Self::Score,
        Self::Reserve,
        Self::Permit,
        Self::PreBind,
        Self::Bind,
        Self::PostBind,
    ];

    /// Returns the name of the field in [`Plugins`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreEnqueue => "preEnqueue",
            Self::QueueSort => "queueSort",
            Self::PreFilter => "preFilter",
            Self::Filter => "filter",
            Self::PostFilter => "postFilter",
            Self::PreScore => "preScore",
            Self::Score => "score",
            Self::Reserve => "reserve",
            Self::Permit => "permit",
            Self::PreBind => "preBind",
            Self::Bind => "bind",
            Self::PostBind => "postBind",
        }
    }
}

impl Plugins {
    /// Returns the plugin set of this extension point, without `multiPoint`.
    #[must_use]
    pub fn at(&self, point: ExtensionPoint) -> &PluginSet {
        match point {
            ExtensionPoint::PreEnqueue => &self.pre_enqueue,
            ExtensionPoint::QueueSort => &self.queue_sort,
            ExtensionPoint::PreFilter => &self.pre_filter,
            ExtensionPoint::Filter => &self.filter,
            ExtensionPoint::PostFilter => &self.post_filter,
            ExtensionPoint::PreScore => &self.pre_score,
            ExtensionPoint::Score => &self.score,
            ExtensionPoint::Reserve => &self.reserve,
            ExtensionPoint::Permit => &self.permit,
            ExtensionPoint::PreBind => &self.pre_bind,
            ExtensionPoint::Bind => &self.bind,
            ExtensionPoint::PostBind => &self.post_bind,
        }
    }

    /// Returns plugin sets with their field names: the sets of the extension points, then `multiPoint`.
    pub fn sets(&self) -> impl Iterator<Item = (&'static str, &PluginSet)> {
        let points = ExtensionPoint::ALL.into_iter().map(|point| (point.name(), self.at(point)));
        points.chain([("multiPoint", &self.multi_point)])
    }

    /// Returns every plugin set with its field name, including `placementGenerate` and `placementScore`.
    pub fn named_mut(&mut self) -> [(&'static str, &mut PluginSet); 15] {
        [
            ("preEnqueue", &mut self.pre_enqueue),
            ("queueSort", &mut self.queue_sort),
            ("preFilter", &mut self.pre_filter),
            ("filter", &mut self.filter),
            ("postFilter", &mut self.post_filter),
            ("preScore", &mut self.pre_score),
            ("score", &mut self.score),
            ("reserve", &mut self.reserve),
            ("permit", &mut self.permit),
            ("preBind", &mut self.pre_bind),
            ("bind", &mut self.bind),
            ("postBind", &mut self.post_bind),
            ("multiPoint", &mut self.multi_point),
            ("placementGenerate", &mut self.placement_generate),
            ("placementScore", &mut self.placement_score),
        ]
    }
}

impl PluginSet {
    /// Returns whether the set disables the plugin, by name or with `*`.
    #[must_use]
    pub fn disables(&self, name: &str) -> bool {
        self.disabled.iter().any(|plugin| plugin.name == name || plugin.name == "*")
    }

    /// Returns whether the set enables the plugin.
    #[must_use]
    pub fn enables(&self, name: &str) -> bool {
        self.enabled.iter().any(|plugin| plugin.name == name)
    }
}
