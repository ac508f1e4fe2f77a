//! One scheduling cycle: a pod, the profile's plugins in their order, a node or the reasons why none.
//!
//! pre-filter → filter → extenders (→ post-filter, where no node is left) → pre-score → score → normalize → weighted sum → extenders → a random one of the best, as kube-scheduler's
//! `schedule_one.go`, but over all nodes and each plugin asked once about all of them.

mod asking;
mod by_class;
mod diagnosis;
mod extending;
mod filtering;
mod followed;
mod normalize;
mod post_filter;
mod ranked;
mod sampling;
mod scoring;
mod select;
mod verifying;
mod what_if;
mod witness;

use std::sync::Arc;

pub(crate) use self::asking::mix;
pub(crate) use self::by_class::ByClass;
pub use self::diagnosis::Diagnosis;
pub use self::post_filter::{Aftermath, Nomination};
pub use self::witness::{Said, Witness};
use crate::answers::Answers;
use crate::cache::{Cache, NodeId};
use crate::extenders::Extenders;
use crate::facts::PodFacts;
use crate::model::Pod;
use crate::nominations::Nominations;
use crate::plugins::{ExtensionPoints, PluginError, PluginId, Plugins, PointOutcome, TemplateId};
use crate::profile::{Profile, ProfilePlugin};
use crate::template::Templates;
use crate::time::Timestamp;

/// Why a pod was not placed. Displays as the message of the FailedScheduling event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is not a single node.
    #[error("no nodes available to schedule pods")]
    NoNodes,
    /// No node fits.
    #[error("{0}")]
    Unschedulable(Diagnosis, Box<Aftermath>),
    /// A plugin did not answer as it must.
    #[error("{0}")]
    Plugin(PluginError),
    /// A plugin did not answer as it must when it was asked to make room, or while it asked others.
    #[error("{0}")]
    PostFilter(PluginError),
    /// An extender that may not be ignored did not.
    #[error("{0}")]
    Extender(String),
}

impl From<PluginError> for Failure {
    fn from(error: PluginError) -> Self {
        Self::Plugin(error)
    }
}

/// What a cycle needs: the state that it reads, the answers that it keeps, and whom it asks.
pub(crate) struct Placing<'a> {
    pub cycle: u64,
    pub time: Timestamp,
    pub seed: u64,
    pub pod: &'a Arc<Pod>,
    pub cache: &'a Cache,
    pub templates: &'a mut Templates,
    /// Those of this pod, as far as they were looked up.
    pub pods_templates: Vec<(PodFacts, TemplateId)>,
    pub answers: &'a mut Answers,
    /// Which plugins answer by class in this cycle, as far as they were asked, and what they said.
    pub classified: Vec<(PluginId, Option<Arc<ByClass>>)>,
    /// Pods that count on nodes where they are not yet.
    pub nominations: &'a Nominations,
    /// Where to begin, where not all nodes are looked at.
    pub next_start: &'a mut usize,
    pub plugins: &'a mut dyn Plugins,
    /// Asked after the plugins.
    pub extenders: &'a mut dyn Extenders,
    /// Check kept answers against fresh ones in this cycle.
    pub verify: bool,
    /// Plugins whose kept answers turned out wrong: asked for every pod.
    pub distrusted: &'a mut Vec<Distrusted>,
    /// No evictions are under way for this pod: it may ask for some.
    pub may_make_room: bool,
    /// Told of every answer.
    pub witness: Option<&'a mut dyn Witness>,
}

/// A plugin that declared its scope wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distrusted {
    /// `None` for what the core made of answers itself.
    pub plugin: Option<PluginId>,
    pub name: Arc<str>,
    pub what: String,
}

impl Placing<'_> {
    /// The node for the pod.
    pub fn place(&mut self, profile: &Profile, rng: &mut fastrand::Rng) -> Result<NodeId, Failure> {
        if self.cache.node_count() == 0 {
            return Err(Failure::NoNodes);
        }
        let feasible = match self.feasible_nodes(profile) {
            Err(Failure::Unschedulable(diagnosis, _)) => return Err(self.make_room(profile, diagnosis)),
            other => other?,
        };
        if feasible.nodes.len() == 1
            && let [only] = self.listed(&feasible.nodes, &feasible.filters)?
        {
            return Ok(*only);
        }
        self.best_node(profile, &feasible, rng)
    }

    /// The nodes that the pod fits on, at least one, with their total scores. Also the only one is scored.
    pub fn weigh(&mut self, profile: &Profile) -> Result<Vec<(NodeId, i64)>, Failure> {
        if self.cache.node_count() == 0 {
            return Err(Failure::NoNodes);
        }
        let feasible = self.feasible_nodes(profile)?;
        let totals = self.total_scores(profile, &feasible)?;
        let nodes = self.listed(&feasible.nodes, &feasible.filters)?;
        Ok(nodes.iter().copied().zip(totals).collect())
    }

    fn tell(&mut self, plugin: &ProfilePlugin, answer: Said<'_>) {
        if let Some(witness) = &mut self.witness {
            witness.said(plugin, answer);
        }
    }

    /// Runs an extension point, and tells when it begins and ends.
    fn at<R>(
        &mut self,
        point: ExtensionPoints,
        run: impl FnOnce(&mut Self) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        self.at_with(point, run, |_| PointOutcome::Success)
    }

    /// The same; `outcome` says what comes of it where nothing failed.
    fn at_with<R>(
        &mut self,
        point: ExtensionPoints,
        run: impl FnOnce(&mut Self) -> Result<R, Failure>,
        outcome: impl FnOnce(&R) -> PointOutcome,
    ) -> Result<R, Failure> {
        self.plugins.point_begins(point, &self.pod.spec.scheduler_name);
        let result = run(self);
        self.plugins.point_ends(match &result {
            Ok(answer) => outcome(answer),
            Err(Failure::Plugin(_) | Failure::PostFilter(_) | Failure::Extender(_)) => PointOutcome::Error,
            Err(Failure::NoNodes | Failure::Unschedulable(..)) => PointOutcome::Unschedulable,
        });
        result
    }
}

#[cfg(test)]
#[path = "cycle_test.rs"]
mod tests;

#[cfg(test)]
#[path = "by_class_test.rs"]
mod by_class_tests;
