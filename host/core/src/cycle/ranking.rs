//! Finds the best nodes for a pod in the candidate index, which is shared by all pods of the same signatures.

use super::by_class::passed;
use super::filtering::{Feasible, Nodes};
use super::indexed::declarations;
use super::{Failure, ProfilePlugin, SchedulingCycle, normalize};
use crate::cache::NodeId;
use crate::plugins::{ClassId, Normalization, PluginError, PluginId};
use crate::profile::{FailurePolicy, Profile};
use crate::results::{Best, CacheKey, InCommon, Position};

/// A score plugin with its weight.
pub(super) type Weighed<'p> = &'p (ProfilePlugin, i64);

/// The plugins whose answers determine a ranking, with its cache key.
pub(super) struct RankingInputs<'p> {
    /// The cache key of the nodes that pass the filters that answer node by node.
    fitting: CacheKey,
    /// The filters that answer node by node.
    filters: Vec<&'p ProfilePlugin>,
    /// The plugins that score node by node.
    scoring: Vec<Weighed<'p>>,
    /// The plugins that answer by class. Plugins that filter come first.
    by_class: Vec<ByClassIn<'p>>,
    /// The cache key of the ranking.
    key: CacheKey,
}

/// A plugin that answers by class.
struct ByClassIn<'p> {
    plugin: &'p ProfilePlugin,
    filters: bool,
    /// 0 if the plugin does not score.
    weight: i64,
}

impl<'p> RankingInputs<'p> {
    /// Returns the inputs of a ranking by filters alone. It groups the nodes by their classes.
    pub fn of_filters(
        fitting: &CacheKey,
        filters: Vec<&'p ProfilePlugin>,
        by_class: Vec<&'p ProfilePlugin>,
        cycle: &mut SchedulingCycle<'_>,
    ) -> Self {
        let by_class = by_class.into_iter().map(|plugin| ByClassIn { plugin, filters: true, weight: 0 }).collect();
        let mut inputs = Self { fitting: fitting.clone(), filters, scoring: Vec::new(), by_class, key: Vec::new() };
        inputs.set_key(cycle);
        inputs
    }

    fn set_key(&mut self, cycle: &mut SchedulingCycle<'_>) {
        self.key.clone_from(&self.fitting);
        for of in &self.by_class {
            self.key.push((of.plugin.id, cycle.signature(of.plugin), of.weight));
        }
        for (plugin, weight) in &self.scoring {
            self.key.push((plugin.id, cycle.signature(plugin), *weight));
        }
    }

    /// Returns the number of plugins whose scores the host normalizes. Their scores come before the classes in a
    /// group's key.
    fn normalized(&self) -> usize {
        self.scoring.iter().filter(|(plugin, _)| plugin.is_normalized_by_host()).count()
    }
}

impl SchedulingCycle<'_> {
    /// Returns one of the best nodes, or `None` if the scores have to be summed up for this pod.
    pub(super) fn best_followed(
        &mut self,
        profile: &Profile,
        feasible: &Feasible<'_>,
        skipped: &[PluginId],
        rng: &mut fastrand::Rng,
    ) -> Result<Option<NodeId>, Failure> {
        self.with_best(profile, feasible, skipped, |best| best.nth(rng.usize(..best.len())))
    }

    pub(super) fn with_best<R>(
        &mut self,
        profile: &Profile,
        feasible: &Feasible<'_>,
        skipped: &[PluginId],
        read: impl FnOnce(&Best<'_>) -> Option<R>,
    ) -> Result<Option<R>, Failure> {
        let Nodes::Followed(followed) = &feasible.nodes else { return Ok(None) };
        let Some(inputs) = self.inputs(profile, &followed.fitting, feasible, skipped)? else { return Ok(None) };
        let Some(groups) = self.groups(&inputs)? else { return Ok(None) };
        let worth = self.worth(&inputs, &groups)?;
        Ok(self.answers.rankings.of(inputs.key, self.cycle).best(&worth).as_ref().and_then(read))
    }

    /// Returns the filters and score plugins, or `None` if the scores of a plugin depend neither on the node's facts
    /// alone nor on its class.
    fn inputs<'p>(
        &mut self,
        profile: &'p Profile,
        fitting: &CacheKey,
        feasible: &Feasible<'p>,
        skipped: &[PluginId],
    ) -> Result<Option<RankingInputs<'p>>, PluginError> {
        let Some((filters, by_class)) = self.ways(&feasible.filters)? else { return Ok(None) };
        let mut inputs = RankingInputs::of_filters(fitting, filters, by_class, self);
        for weighed in profile.score.iter().filter(|(of, _)| !skipped.contains(&of.id)) {
            let (plugin, weight) = weighed;
            if self.ranks(plugin) {
                inputs.scoring.push(weighed);
            } else if self.by_class(plugin)?.is_none() {
                return Ok(None);
            } else if let Some(filter) = inputs.by_class.iter_mut().find(|of| of.plugin.id == plugin.id) {
                filter.weight = *weight;
            } else {
                inputs.by_class.push(ByClassIn { plugin, filters: false, weight: *weight });
            }
        }
        inputs.set_key(self);
        Ok(Some(inputs))
    }

    /// Returns whether a ranking can use the plugin's scores: they are cached by node signature, the plugin does not
    /// normalize them itself, and its failure policy is `Fail`.
    fn ranks(&self, plugin: &ProfilePlugin) -> bool {
        self.keeps(plugin, plugin.declaration.score_scope)
            && !plugin.normalizes_itself()
            && plugin.failure_policy == FailurePolicy::Fail
    }

    /// Returns the number of nodes that pass the filters that answer by class, or `None` if the ranking is not
    /// available.
    pub(super) fn passing(&mut self, inputs: &RankingInputs<'_>) -> Result<Option<usize>, PluginError> {
        let Some(groups) = self.groups(inputs)? else { return Ok(None) };
        let passes = self.passes(inputs, &groups)?;
        Ok(Some(groups.iter().zip(passes).filter(|(_, passes)| *passes).map(|(group, _)| group.nodes).sum()))
    }

    /// Updates the ranking and returns its groups, or `None` if there are too many groups or not enough memory for a
    /// new ranking.
    fn groups(&mut self, inputs: &RankingInputs<'_>) -> Result<Option<Vec<InCommon>>, PluginError> {
        let (cache, cycle) = (self.cache, self.cycle);
        let begins = self.answers.rankings.of(inputs.key.clone(), cycle).begins(cache);
        if begins && !self.answers.have_room_for_ranking(cache.node_count(), cycle) {
            return Ok(None);
        }
        self.rank(inputs)?;
        let ranking = self.answers.rankings.of(inputs.key.clone(), self.cycle);
        Ok((!ranking.is_too_varied()).then(|| ranking.groups()))
    }

    fn rank(&mut self, inputs: &RankingInputs<'_>) -> Result<(), PluginError> {
        let (cache, cycle) = (self.cache, self.cycle);
        let mut read = declarations(&inputs.filters);
        read.extend(inputs.scoring.iter().map(|(plugin, _)| &*plugin.declaration));
        let before = self.answers.rankings.of(inputs.key.clone(), cycle).positions().to_vec();
        let (moved, positions) = self.moved(inputs, &before);
        let stale = self.answers.rankings.of(inputs.key.clone(), cycle).stale(cache, &read, moved);
        let fitting = self.answers.fitting.of(inputs.fitting.clone(), cycle);
        let (fit, unfit): (Vec<NodeId>, Vec<NodeId>) = match stale {
            None => (fitting.iter().collect(), Vec::new()),
            Some(stale) => stale.into_iter().partition(|node| fitting.contains(*node)),
        };
        let mut scores = Vec::with_capacity(inputs.scoring.len());
        for (plugin, _) in &inputs.scoring {
            scores.push(if fit.is_empty() { Vec::new() } else { self.score(plugin, &fit)? });
        }
        let mut classes = Vec::with_capacity(inputs.by_class.len());
        for of in &inputs.by_class {
            classes.push(self.classes_of(of.plugin, &fit)?);
        }
        let ranking = self.answers.rankings.of(inputs.key.clone(), cycle);
        ranking.read_ahead(&unfit);
        ranking.read_ahead(&fit);
        unfit.iter().for_each(|node| ranking.remove(*node));
        let mut key = Vec::with_capacity(inputs.key.len());
        for (at, node) in fit.iter().enumerate() {
            key.clear();
            let mut sum = 0;
            for ((plugin, weight), scores) in inputs.scoring.iter().zip(&scores) {
                if plugin.is_normalized_by_host() {
                    key.push(scores[at]);
                } else {
                    plugin.check_score(scores[at])?;
                    sum += scores[at] * weight;
                }
            }
            key.extend(classes.iter().map(|classes| i64::from(classes[at].0)));
            ranking.put(*node, &key, sum);
        }
        ranking.caught_up(cache, positions);
        Ok(())
    }

    /// Returns the nodes whose class changed since these positions, or `None` for possibly all nodes; and the current
    /// positions.
    fn moved(&mut self, inputs: &RankingInputs<'_>, before: &[Position]) -> (Option<Vec<NodeId>>, Vec<Position>) {
        let (mut moved, mut positions) = (Some(Vec::new()), Vec::new());
        for (at, of) in inputs.by_class.iter().enumerate() {
            let signature = self.signature(of.plugin);
            let classes = &self.answers.of(of.plugin.id, signature, self.cycle).classes;
            positions.push(classes.position());
            match (&mut moved, before.get(at).and_then(|before| classes.since(*before))) {
                (Some(moved), Some(since)) => moved.extend(since),
                _ => moved = None,
            }
        }
        (moved, positions)
    }

    /// Returns for each group whether its nodes pass the filters that answer by class.
    fn passes(&mut self, inputs: &RankingInputs<'_>, groups: &[InCommon]) -> Result<Vec<bool>, PluginError> {
        let mut passes = vec![true; groups.len()];
        for (at, of) in (inputs.normalized()..).zip(&inputs.by_class).filter(|(_, of)| of.filters) {
            let Some(said) = self.by_class(of.plugin)? else { continue };
            for (group, passes) in groups.iter().zip(&mut passes).filter(|(_, passes)| **passes) {
                let verdict = said.verdict(of.plugin, class_in(group, at))?;
                self.check_outcome(of.plugin, &said, verdict)?;
                *passes = verdict == 0;
            }
        }
        Ok(passes)
    }

    /// Returns for each group the part of the total score that its nodes share, or `None` if they do not pass.
    fn worth(&mut self, inputs: &RankingInputs<'_>, groups: &[InCommon]) -> Result<Vec<Option<i64>>, PluginError> {
        let passes = self.passes(inputs, groups)?;
        let those: Vec<&InCommon> =
            groups.iter().zip(&passes).filter(|(_, passes)| **passes).map(|(group, _)| group).collect();
        let mut sums = vec![0; those.len()];
        let normalized = inputs.scoring.iter().filter(|(plugin, _)| plugin.is_normalized_by_host());
        for (at, (plugin, weight)) in normalized.enumerate() {
            let mut scores: Vec<i64> = those.iter().map(|group| group.key[at]).collect();
            match plugin.declaration.normalization {
                Normalization::DefaultReversed => normalize::default_reversed(&mut scores),
                _ => normalize::default(&mut scores),
            }
            for (sum, score) in sums.iter_mut().zip(scores) {
                plugin.check_score(score)?;
                *sum += score * weight;
            }
        }
        for (at, of) in (inputs.normalized()..).zip(&inputs.by_class).filter(|(_, of)| of.weight > 0) {
            let count = |group: &&InCommon| (class_in(group, at), u32::try_from(group.nodes).unwrap_or(u32::MAX));
            let passed = passed(those.iter().map(count));
            let scores = self.class_scores(of.plugin, &passed)?.normalized;
            for (group, sum) in those.iter().zip(&mut sums) {
                if let Ok(found) = passed.binary_search_by_key(&class_in(group, at), |passed| passed.class) {
                    *sum += scores[found] * of.weight;
                }
            }
        }
        let mut sums = sums.into_iter();
        Ok(passes.into_iter().map(|passes| if passes { sums.next() } else { None }).collect())
    }
}

/// Returns the class at this index of the group's key.
fn class_in(group: &InCommon, at: usize) -> ClassId {
    ClassId(u32::try_from(group.key[at]).unwrap_or(u32::MAX))
}

impl ProfilePlugin {
    /// Returns whether the host normalizes the plugin's scores to 0 to 100.
    fn is_normalized_by_host(&self) -> bool {
        matches!(self.declaration.normalization, Normalization::Default | Normalization::DefaultReversed)
    }
}
