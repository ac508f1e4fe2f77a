//! How good the nodes are on which the pod fits.

use super::{Failure, Placing, Said, normalize};
use crate::cache::NodeId;
use crate::plugins::{ExtensionPoints, Normalization, PluginError, PluginId, PreScoreResult};
use crate::profile::{FailurePolicy, Profile, ProfilePlugin};

impl Placing<'_> {
    /// The weighted sum of all plugins' normalized scores, and of what extenders add, parallel to `nodes`.
    pub(super) fn total_scores(&mut self, profile: &Profile, nodes: &[NodeId]) -> Result<Vec<i64>, Failure> {
        let skipped = self.at(ExtensionPoints::PRE_SCORE, |placing| Ok(placing.skipped_scores(profile, nodes)?))?;
        let mut totals = self.at(ExtensionPoints::SCORE, |placing| placing.summed_scores(profile, nodes, &skipped))?;
        self.add_extenders_scores(nodes, &mut totals);
        Ok(totals)
    }

    fn summed_scores(
        &mut self,
        profile: &Profile,
        nodes: &[NodeId],
        skipped: &[PluginId],
    ) -> Result<Vec<i64>, Failure> {
        let mut totals = vec![0i64; nodes.len()];
        for (plugin, weight) in profile.score.iter().filter(|(plugin, _)| !skipped.contains(&plugin.id)) {
            match self.normalized_scores(plugin, nodes) {
                Ok(scores) => {
                    for (total, score) in totals.iter_mut().zip(scores) {
                        *total += score * weight;
                    }
                }
                Err(_) if plugin.failure_policy == FailurePolicy::IgnoreScores => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(totals)
    }

    fn skipped_scores(&mut self, profile: &Profile, nodes: &[NodeId]) -> Result<Vec<PluginId>, PluginError> {
        let mut skipped = Vec::new();
        for plugin in &profile.pre_score {
            match self.pre_score(plugin, nodes) {
                Ok(result) => {
                    self.tell(plugin, Said::PreScore(result));
                    if result == PreScoreResult::Skip {
                        skipped.push(plugin.id);
                    }
                }
                Err(_) if plugin.failure_policy == FailurePolicy::IgnoreScores => skipped.push(plugin.id),
                Err(error) => return Err(error),
            }
        }
        Ok(skipped)
    }

    fn normalized_scores(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        let mut scores = self.score(plugin, nodes)?;
        let raw = self.witness.as_ref().map(|_| scores.clone());
        match plugin.declaration.normalization {
            Normalization::None => {}
            Normalization::Default => normalize::default(&mut scores),
            Normalization::DefaultReversed => normalize::default_reversed(&mut scores),
            Normalization::Custom if plugin.declaration.points.contains(ExtensionPoints::NORMALIZE) => {
                scores = self.normalize(plugin, nodes, &scores)?;
            }
            Normalization::Custom => {}
        }
        if let Some(raw) = raw {
            self.tell(plugin, Said::Scores { nodes, raw: &raw, normalized: &scores });
        }
        match scores.iter().find(|score| !(0..=normalize::MAX_NODE_SCORE).contains(*score)) {
            None => Ok(scores),
            Some(score) => {
                let message = format!("gave the score {score}; after normalizing it has to be 0 to 100");
                Err(PluginError::failed(plugin.declaration.name.clone(), message))
            }
        }
    }
}
