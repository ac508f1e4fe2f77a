//! Scores the nodes that the pod fits on.

use std::ops::ControlFlow;

use super::by_class::NodeScores;
use super::feasible::Feasible;
use super::recorded_best::ScoredNodes;
use super::{Failure, PluginAnswer, SchedulingCycle, normalize, select};
use crate::cache::NodeId;
use crate::plugins::{ExtensionPoints, Normalization, PluginError, PreScoreResult};
use crate::profile::{FailurePolicy, ProfilePlugin};

impl<'a> SchedulingCycle<'a> {
    /// Returns one of the nodes with the highest total: the weighted sum of all plugins' normalized scores, plus the
    /// extenders' scores.
    pub(super) fn best_node(
        &mut self,
        feasible: &mut Feasible<'a>,
        rng: &mut fastrand::Rng,
    ) -> Result<NodeId, Failure> {
        self.ask_pre_score(feasible)?;
        let scored = self.at(ExtensionPoints::SCORE, |cycle| {
            if let Some(best) = cycle.best_indexed(feasible, rng)? {
                return Ok(ControlFlow::Break(best));
            }
            let totals = cycle.summed_scores(feasible)?;
            if cycle.verify && !cycle.concerns_extenders() {
                cycle.check_index(feasible, &totals)?;
            }
            Ok(ControlFlow::Continue(totals))
        })?;
        let mut totals = match scored {
            ControlFlow::Break(best) => return Ok(best),
            ControlFlow::Continue(totals) => totals,
        };
        let nodes = self.listed(&feasible.nodes)?;
        self.add_extenders_scores(nodes, &mut totals);
        let node = select::one_of_the_best(nodes, &totals, self.cache.node_id_end(), rng).ok_or(Failure::NoNodes)?;
        self.record_summed(&feasible.nodes, nodes, &totals, node);
        Ok(node)
    }

    /// Returns the total of each feasible node, in order.
    pub(super) fn total_scores(&mut self, feasible: &mut Feasible<'_>) -> Result<Vec<i64>, Failure> {
        self.ask_pre_score(feasible)?;
        let mut totals = self.at(ExtensionPoints::SCORE, |cycle| cycle.summed_scores(feasible))?;
        let nodes = self.listed(&feasible.nodes)?;
        self.add_extenders_scores(nodes, &mut totals);
        Ok(totals)
    }

    /// Asks for pre-score, and adds the plugins that do not score the pod to `feasible`.
    fn ask_pre_score(&mut self, feasible: &mut Feasible<'_>) -> Result<(), Failure> {
        self.at(ExtensionPoints::PRE_SCORE, |cycle| {
            for plugin in &cycle.profile.pre_score {
                match cycle.pre_score(plugin, feasible) {
                    Ok(result) => {
                        cycle.observe(plugin, PluginAnswer::PreScore(result));
                        if result == PreScoreResult::Skip {
                            feasible.skipped.push(plugin.id);
                        }
                    }
                    Err(_) if plugin.failure_policy == FailurePolicy::IgnoreScores => feasible.skipped.push(plugin.id),
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(())
        })
    }

    /// Returns the weighted sum of the plugins' scores for each feasible node, in order.
    fn summed_scores(&mut self, feasible: &Feasible<'_>) -> Result<Vec<i64>, Failure> {
        let nodes = self.listed(&feasible.nodes)?;
        let mut totals = vec![0i64; nodes.len()];
        for (plugin, weight) in self.profile.score.iter().filter(|(plugin, _)| !feasible.skipped.contains(&plugin.id)) {
            match self.normalized_scores(plugin, nodes) {
                Ok(NodeScores { raw, normalized }) => {
                    for (total, score) in totals.iter_mut().zip(&normalized) {
                        *total += score * weight;
                    }
                    if let Some(recording) = &mut self.recording {
                        recording.found().scored.push(ScoredNodes::new(plugin, *weight, raw, normalized));
                    }
                }
                Err(_) if plugin.failure_policy == FailurePolicy::IgnoreScores => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(totals)
    }

    fn normalized_scores(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<NodeScores, PluginError> {
        if self.by_class(plugin)?.is_none() {
            return self.scores_by_node(plugin, nodes);
        }
        let by_class = self.scores_by_class(plugin, nodes)?;
        if !self.verify {
            let NodeScores { raw, normalized } = &by_class;
            self.observe(plugin, PluginAnswer::Scores { nodes, raw, normalized });
            return Ok(by_class);
        }
        let fresh = self.scores_by_node(plugin, nodes)?;
        let of = |scores: &NodeScores, at: usize| (scores.normalized[at], scores.raw[at]);
        self.distrust(plugin, nodes, "score", |at| of(&by_class, *at) != of(&fresh, *at));
        Ok(fresh)
    }

    fn scores_by_node(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<NodeScores, PluginError> {
        let raw = self.score(plugin, nodes)?;
        let mut scores = raw.clone();
        match plugin.declaration.normalization {
            Normalization::Custom if plugin.normalizes_itself() => scores = self.normalize(plugin, nodes, &scores)?,
            normalization => normalize::normalize_by_host(normalization, &mut scores),
        }
        self.observe(plugin, PluginAnswer::Scores { nodes, raw: &raw, normalized: &scores });
        scores.iter().try_for_each(|score| plugin.check_score(*score))?;
        Ok(NodeScores { raw, normalized: scores })
    }
}

impl ProfilePlugin {
    /// Returns whether the plugin normalizes its scores to 0 to 100 itself.
    pub(super) fn normalizes_itself(&self) -> bool {
        let declaration = &self.declaration;
        declaration.normalization == Normalization::Custom && declaration.points.contains(ExtensionPoints::NORMALIZE)
    }

    /// Checks that a normalized score is in the range 0 to 100.
    pub(super) fn check_score(&self, score: i64) -> Result<(), PluginError> {
        if (0..=normalize::MAX_NODE_SCORE).contains(&score) {
            return Ok(());
        }
        Err(self.failed(format!("gave the score {score}; after normalizing it has to be 0 to 100")))
    }
}
