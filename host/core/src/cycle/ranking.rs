//! Finds the best nodes for a pod in the candidate index, which is shared by all pods of the same signatures.

use std::sync::Arc;

use super::by_class::passed;
use super::feasible::{Feasible, IndexInputs, Indexed, Nodes};
use super::recorded_best::{Choice, ScoredNodes};
use super::{Failure, ProfilePlugin, SchedulingCycle, normalize, select};
use crate::cache::NodeId;
use crate::decision::Details;
use crate::plugins::{ClassScores, Normalization, PluginError, PluginId};
use crate::profile::FailurePolicy;
use crate::results::{Best, GroupSummary};

impl IndexInputs<'_> {
    /// Returns the number of plugins whose scores the host normalizes. In a group's key, the scores of these plugins
    /// come before the classes.
    pub fn normalized(&self) -> usize {
        self.scores.iter().filter(|(plugin, _)| plugin.is_normalized_by_host()).count()
    }

    fn scores(&self, plugin: PluginId) -> bool {
        self.scores.iter().any(|(of, _)| of.id == plugin)
            || self.by_class.iter().any(|input| input.plugin.id == plugin && input.weight > 0)
    }
}

/// The scores of the groups of an entry of the candidate index.
pub(super) struct GroupScores {
    /// For each group, the part of the total score that its nodes share, or `None` if its nodes do not pass the filters
    /// that answer by class.
    pub shared: Vec<Option<i64>>,
    /// Details of the entry that the decision record can share.
    pub recent: Option<Arc<Details>>,
    /// The scores of each plugin for the groups that pass. Empty unless the decision record needs them.
    pub scored: Vec<ScoredNodes>,
}

impl SchedulingCycle<'_> {
    /// Returns one of the best nodes, or `None` if the scores have to be summed up for this pod.
    pub(super) fn best_indexed(
        &mut self,
        feasible: &Feasible<'_>,
        rng: &mut fastrand::Rng,
    ) -> Result<Option<NodeId>, Failure> {
        let Nodes::Indexed(indexed) = &feasible.nodes else { return Ok(None) };
        let Some(GroupScores { shared, recent, scored }) = self.group_scores(feasible)? else { return Ok(None) };
        let (end, is_recording) = (self.cache.node_id_end(), self.recording.is_some());
        let Some(best) = self.best_in_groups(indexed, &shared) else { return Ok(None) };
        let contains = |node| best.contains(node);
        let Some(node) = select::one_of(best.count(), end, rng, contains, || best.nodes().collect()) else {
            return Ok(None);
        };
        if is_recording {
            let choice = Choice::in_groups(&best, &shared, node, recent.is_none());
            self.record_indexed(&feasible.nodes, indexed, choice, recent, &scored);
        }
        Ok(Some(node))
    }

    /// Returns the best nodes of the candidate index for these scores of groups.
    pub(super) fn best_in_groups(&mut self, indexed: &Indexed<'_>, shared: &[Option<i64>]) -> Option<Best<'_>> {
        self.index_entry(&indexed.inputs).groups()?.best(shared)
    }

    /// Returns the scores of the groups of nodes in the candidate index, or `None` if the scores have to be summed up for
    /// this pod.
    pub(super) fn group_scores(&mut self, feasible: &Feasible<'_>) -> Result<Option<GroupScores>, PluginError> {
        let Nodes::Indexed(indexed) = &feasible.nodes else { return Ok(None) };
        let inputs = &indexed.inputs;
        if !self.are_inputs_as_expected(inputs, &feasible.skipped)? || !self.begin_groups(inputs) {
            return Ok(None);
        }
        self.group(inputs)?;
        let candidates = self.index_entry(inputs);
        let Some(groups) = candidates.groups().map(|groups| groups.summaries()) else { return Ok(None) };
        let recent = candidates.details.clone().filter(|details| self.is_recent(details, indexed.len));
        let needs_scored = self.recording.is_some() && recent.is_none();
        let mut scored = Vec::new();
        let shared = self.shared_scores(inputs, &groups, needs_scored.then_some(&mut scored))?;
        Ok(Some(GroupScores { shared, recent, scored }))
    }

    /// Returns whether the plugins that score the pod are the scoring plugins of `inputs`, and still answer in the same
    /// way.
    fn are_inputs_as_expected(&mut self, inputs: &IndexInputs<'_>, skipped: &[PluginId]) -> Result<bool, PluginError> {
        let is_expected = |(plugin, _): &(ProfilePlugin, i64)| inputs.scores(plugin.id) != skipped.contains(&plugin.id);
        if !inputs.are_scores_known || !self.profile.score.iter().all(is_expected) {
            return Ok(false);
        }
        for input in inputs.by_class.iter().filter(|input| input.weight > 0) {
            if self.by_class(input.plugin)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether the candidate index can use the plugin's scores: they are cached by node signature, the plugin
    /// does not normalize them itself, and its failure policy is `Fail`.
    pub(super) fn has_indexable_scores(&self, plugin: &ProfilePlugin) -> bool {
        self.keeps(plugin, plugin.declaration.score_scope)
            && !plugin.normalizes_itself()
            && plugin.failure_policy == FailurePolicy::Fail
    }

    /// Puts each node whose scores or classes may have changed into the right group.
    pub(super) fn group(&mut self, inputs: &IndexInputs<'_>) -> Result<(), PluginError> {
        let moved = self.moved(inputs, inputs.class_scores());
        let candidates = self.index_entry(inputs);
        candidates.ungroup(moved.as_deref());
        let nodes = candidates.ungrouped().to_vec();
        self.set_positions(inputs, inputs.class_scores());
        if nodes.is_empty() {
            return Ok(());
        }
        let mut scores = Vec::with_capacity(inputs.scores.len());
        for (plugin, _) in &inputs.scores {
            scores.push(self.score(plugin, &nodes)?);
        }
        let mut classes = Vec::with_capacity(inputs.by_class.len());
        for input in &inputs.by_class {
            classes.push(self.classes_of(input.plugin, &nodes)?);
        }
        self.index_entry(inputs).group(|at, key| {
            let mut sum = 0;
            for ((plugin, weight), scores) in inputs.scores.iter().zip(&scores) {
                if plugin.is_normalized_by_host() {
                    key.push(scores[at]);
                } else {
                    plugin.check_score(scores[at])?;
                    sum += scores[at] * weight;
                }
            }
            key.extend(classes.iter().map(|classes| i64::from(classes[at].0)));
            Ok(sum)
        })
    }

    /// Returns for each group whether its nodes pass the filters that answer by class.
    pub(super) fn passes(
        &mut self,
        inputs: &IndexInputs<'_>,
        groups: &[GroupSummary],
    ) -> Result<Vec<bool>, PluginError> {
        let mut passes = vec![true; groups.len()];
        for (at, input) in (inputs.normalized()..).zip(&inputs.by_class).filter(|(_, input)| input.filters) {
            let Some(answer) = self.by_class(input.plugin)? else { continue };
            for (group, passes) in groups.iter().zip(&mut passes).filter(|(_, passes)| **passes) {
                let rejection = answer.rejection(input.plugin, group.class(at))?;
                rejection.map_or(Ok(()), |status| input.plugin.check_not_error(status))?;
                *passes = rejection.is_none();
            }
        }
        Ok(passes)
    }

    /// Returns for each group the part of the total score that its nodes share, or `None` if the nodes do not pass the
    /// filters that answer by class. Adds the scores of each plugin for the groups that pass to `scored`.
    fn shared_scores(
        &mut self,
        inputs: &IndexInputs<'_>,
        groups: &[GroupSummary],
        mut scored: Option<&mut Vec<ScoredNodes>>,
    ) -> Result<Vec<Option<i64>>, PluginError> {
        let passes = self.passes(inputs, groups)?;
        let passing: Vec<&GroupSummary> =
            groups.iter().zip(&passes).filter(|(_, passes)| **passes).map(|(group, _)| group).collect();
        let mut sums = vec![0; passing.len()];
        let normalized = inputs.scores.iter().filter(|(plugin, _)| plugin.is_normalized_by_host());
        for (at, (plugin, weight)) in normalized.enumerate() {
            let mut scores: Vec<i64> = passing.iter().map(|group| group.key[at]).collect();
            normalize::normalize_by_host(plugin.declaration.normalization, &mut scores);
            for (sum, score) in sums.iter_mut().zip(&scores) {
                plugin.check_score(*score)?;
                *sum += score * weight;
            }
            if let Some(scored) = &mut scored {
                let raw = passing.iter().map(|group| group.key[at]).collect();
                scored.push(ScoredNodes::new(plugin, *weight, raw, scores));
            }
        }
        for (at, input) in (inputs.normalized()..).zip(&inputs.by_class).filter(|(_, input)| input.weight > 0) {
            let count = |group: &&GroupSummary| (group.class(at), u32::try_from(group.nodes).unwrap_or(u32::MAX));
            let passed = passed(passing.iter().map(count));
            let ClassScores { raw, normalized: scores } = self.class_scores(input.plugin, &passed)?;
            let found = |group: &&GroupSummary| passed.binary_search_by_key(&group.class(at), |passed| passed.class);
            for (group, sum) in passing.iter().zip(&mut sums) {
                if let Ok(found) = found(group) {
                    *sum += scores[found] * input.weight;
                }
            }
            if let Some(scored) = &mut scored {
                let found: Vec<usize> = passing.iter().map(|group| found(group).unwrap_or_default()).collect();
                let of = |scores: &[i64]| found.iter().map(|found| scores[*found]).collect();
                scored.push(ScoredNodes::new(input.plugin, input.weight, of(&raw), of(&scores)));
            }
        }
        let mut sums = sums.into_iter();
        Ok(passes.into_iter().map(|passes| if passes { sums.next() } else { None }).collect())
    }
}

impl ProfilePlugin {
    /// Returns whether the host normalizes the plugin's scores to 0 to 100.
    fn is_normalized_by_host(&self) -> bool {
        matches!(self.declaration.normalization, Normalization::Default | Normalization::DefaultReversed)
    }
}
