//! Profiles: which plugins place the pods of one scheduler name, in which order and with which weight.

use std::sync::Arc;

use crate::plugins::{Declaration, PluginId};

/// What a plugin's failure does to the pod's cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// The cycle fails, with the plugin's name in its event. The default.
    #[default]
    Fail,
    /// A score that fails adds nothing. Filters always fail the cycle.
    IgnoreScores,
}

/// A plugin as a profile uses it.
#[derive(Clone, Debug)]
pub struct ProfilePlugin {
    /// The instance; profiles with the same digest and arguments share one.
    pub id: PluginId,
    /// What it declared.
    pub declaration: Arc<Declaration>,
    /// What its failure does.
    pub failure_policy: FailurePolicy,
}

/// `profiles[]` of a KubeSchedulerConfiguration, resolved to instances. The lists hold the enabled plugins in order.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// `schedulerName`: it places pods whose `spec.schedulerName` is this.
    pub scheduler_name: Box<str>,
    /// Enabled at pre-enqueue.
    pub pre_enqueue: Vec<ProfilePlugin>,
    /// Enabled at queue-sort. Without one, pods go by priority, then by time.
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
    /// Enabled at bind before DefaultBinder, which is the core itself: none that stands after it is ever asked.
    pub bind: Vec<ProfilePlugin>,
    /// DefaultBinder is disabled: a pod that none of these binds is not bound.
    pub without_default_binder: bool,
    /// Enabled at post-bind.
    pub post_bind: Vec<ProfilePlugin>,
    /// `percentageOfNodesToScore`: so many feasible nodes, of all, are enough. All are looked at where it is absent, 0 or 100.
    pub percentage_of_nodes_to_score: Option<u8>,
}

impl Profile {
    /// Every plugin that it uses, some of them several times.
    pub fn plugins(&self) -> impl Iterator<Item = &ProfilePlugin> {
        let queueing = self.pre_enqueue.iter().chain(&self.queue_sort);
        let unweighted =
            queueing.chain(&self.pre_filter).chain(&self.filter).chain(&self.post_filter).chain(&self.pre_score);
        let lists = [&self.reserve, &self.permit, &self.pre_bind, &self.bind, &self.post_bind];
        let unweighted = unweighted.chain(lists.into_iter().flatten());
        unweighted.chain(self.score.iter().map(|(plugin, _)| plugin))
    }

    /// Every instance that it uses, some of them several times.
    pub fn plugin_ids(&self) -> impl Iterator<Item = PluginId> {
        self.plugins().map(|plugin| plugin.id)
    }
}
