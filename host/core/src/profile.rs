//! Profiles: the plugins that schedule the pods of one scheduler name, in order and with their weights.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::decision::PolicyPlugin;
use crate::plugins::{Declaration, PluginError, PluginId};

/// The effect of a plugin's failure on the pod's cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FailurePolicy {
    /// The cycle fails. The pod's event names the plugin. The default.
    #[default]
    Fail,
    /// A failed score adds nothing. A failed filter still fails the cycle.
    IgnoreScores,
}

/// A plugin in a profile.
#[derive(Clone, Debug)]
pub struct ProfilePlugin {
    /// The plugin instance. Profiles that use the same component with the same arguments share the instance.
    pub id: PluginId,
    /// The plugin's declaration.
    pub declaration: Arc<Declaration>,
    /// The effect of a failure of this plugin.
    pub failure_policy: FailurePolicy,
}

impl ProfilePlugin {
    /// Returns a failure of this plugin.
    pub(crate) fn failed(&self, message: impl Into<String>) -> PluginError {
        PluginError::failed(Arc::clone(&self.declaration.name), message.into())
    }
}

/// An entry of `profiles[]` of a KubeSchedulerConfiguration, resolved to plugin instances. Each list holds the
/// enabled plugins in order.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// `schedulerName`: the profile schedules the pods with this `spec.schedulerName`.
    pub scheduler_name: Box<str>,
    /// Enabled at pre-enqueue.
    pub pre_enqueue: Vec<ProfilePlugin>,
    /// Enabled at queue-sort. Without a plugin, pods are ordered by priority, then by time.
    pub queue_sort: Option<ProfilePlugin>,
    /// Enabled at pre-filter.
    pub pre_filter: Vec<ProfilePlugin>,
    /// Enabled at filter.
    pub filter: Vec<ProfilePlugin>,
    /// Enabled at post-filter.
    pub post_filter: Vec<ProfilePlugin>,
    /// Enabled at pre-score.
    pub pre_score: Vec<ProfilePlugin>,
    /// Enabled at score, with weights of at least 1.
    pub score: Vec<(ProfilePlugin, i64)>,
    /// Enabled at reserve.
    pub reserve: Vec<ProfilePlugin>,
    /// Enabled at permit.
    pub permit: Vec<ProfilePlugin>,
    /// Enabled at pre-bind.
    pub pre_bind: Vec<ProfilePlugin>,
    /// Enabled at bind before DefaultBinder, which is the core itself. Plugins after DefaultBinder are never asked.
    pub bind: Vec<ProfilePlugin>,
    /// DefaultBinder is disabled. The attempt fails for a pod that neither an extender nor a plugin in `bind` binds.
    pub without_default_binder: bool,
    /// Enabled at post-bind.
    pub post_bind: Vec<ProfilePlugin>,
    /// `percentageOfNodesToScore`: the percentage of all nodes that is enough as feasible nodes. All nodes are looked
    /// at if it is absent, 0 or 100.
    pub percentage_of_nodes_to_score: Option<u8>,
    /// A hash of the profile's plugins, weights and arguments, for decision records. Empty if it is not known.
    pub revision: Arc<str>,
    /// The profile's plugins with the digests of their components, for decision records.
    pub components: Vec<PolicyPlugin>,
}

impl Profile {
    /// Returns the plugins at each extension point, with the name of the point in a configuration. Only plugins at score
    /// have a weight.
    pub fn points(&self) -> impl Iterator<Item = (&'static str, &ProfilePlugin, Option<i64>)> {
        let lists = [
            ("preEnqueue", &self.pre_enqueue),
            ("preFilter", &self.pre_filter),
            ("filter", &self.filter),
            ("postFilter", &self.post_filter),
            ("preScore", &self.pre_score),
            ("reserve", &self.reserve),
            ("permit", &self.permit),
            ("preBind", &self.pre_bind),
            ("bind", &self.bind),
            ("postBind", &self.post_bind),
        ];
        let sort = self.queue_sort.iter().map(|plugin| ("queueSort", plugin, None));
        let others = lists.into_iter().flat_map(|(point, list)| list.iter().map(move |plugin| (point, plugin, None)));
        let scores = self.score.iter().map(|(plugin, weight)| ("score", plugin, Some(*weight)));
        sort.chain(others).chain(scores)
    }

    /// Returns every plugin that the profile uses. A plugin can occur several times.
    pub fn plugins(&self) -> impl Iterator<Item = &ProfilePlugin> {
        self.points().map(|(_, plugin, _)| plugin)
    }

    /// Returns every plugin instance that the profile uses. An instance can occur several times.
    pub fn plugin_ids(&self) -> impl Iterator<Item = PluginId> {
        self.plugins().map(|plugin| plugin.id)
    }
}
