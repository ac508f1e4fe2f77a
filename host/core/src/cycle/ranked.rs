//! Finds the best nodes for a pod in the candidate index, which is shared by all pods of the same signatures.

use super::by_class::passed;
use super::filtering::{Feasible, Nodes};
use super::followed::declarations;
use super::{Failure, Placing, ProfilePlugin, normalize};
use crate::answers::{Best, InCommon, Parts, Position};
use crate::cache::NodeId;
use crate::plugins::{ClassId, Normalization, PluginError, PluginId};
use crate::profile::{FailurePolicy, Profile};

/// A score plugin with its weight.
pub(super) type Weighed<'p> = &'p (ProfilePlugin, i64);

/// The plugins whose answers determine a ranking, with its cache key.
pub(super) struct Lineup<'p> {
    /// The cache key of the nodes that pass the filters that answer node by node.
    fitting: Parts,
    /// The filters that answer node by node.
    filters: Vec<&'p ProfilePlugin>,
    /// The plugins that score node by node.
    scoring: Vec<Weighed<'p>>,
    /// The plugins that answer by class. Plugins that filter come first.
    by_class: Vec<ByClassIn<'p>>,
    /// The cache key of the ranking.
    parts: Parts,
}

/// A plugin that answers by class.
struct ByClassIn<'p> {
    plugin: &'p ProfilePlugin,
    filters: bool,
    /// 0 if the plugin does not score.
    weight: i64,
}

impl<'p> Lineup<'p> {
    /// Returns the inputs of a ranking by filters alone. It groups the nodes by their classes.
    pub fn of_filters(
        fitting: &Parts,
        filters: Vec<&'p ProfilePlugin>,
        by_class: Vec<&'p ProfilePlugin>,
        placing: &mut Placing<'_>,
    ) -> Self {
        let by_class = by_class.into_iter().map(|plugin| ByClassIn { plugin, filters: true, weight: 0 }).collect();
        let mut lineup = Self { fitting: fitting.clone(), filters, scoring: Vec::new(), by_class, parts: Vec::new() };
        lineup.find_parts(placing);
        lineup
    }

    fn find_parts(&mut self, placing: &mut Placing<'_>) {
        self.parts.clone_from(&self.fitting);
        for of in &self.by_class {
            self.parts.push((of.plugin.id, placing.template(of.plugin), of.weight));
        }
        for (plugin, weight) in &self.scoring {
            self.parts.push((plugin.id, placing.template(plugin), *weight));
        }
    }

    /// Returns the number of plugins whose scores the host normalizes. Their scores come before the classes in a
    /// group's key.
    fn normalized(&self) -> usize {
        self.scoring.iter().filter(|(plugin, _)| plugin.is_normalized_by_host()).count()
    }
}

impl Placing<'_> {
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
        let Some(lineup) = self.lineup(profile, &followed.fitting, feasible, skipped)? else { return Ok(None) };
        let Some(groups) = self.groups(&lineup)? else { return Ok(None) };
        let worth = self.worth(&lineup, &groups)?;
        Ok(self.answers.rankings.of(lineup.parts, self.cycle).best(&worth).as_ref().and_then(read))
    }

    /// Returns the filters and score plugins, or `None` if the scores of a plugin depend neither on the node's facts
    /// alone nor on its class.
    fn lineup<'p>(
        &mut self,
        profile: &'p Profile,
        fitting: &Parts,
        feasible: &Feasible<'p>,
        skipped: &[PluginId],
    ) -> Result<Option<Lineup<'p>>, PluginError> {
        let Some((filters, by_class)) = self.ways(&feasible.filters)? else { return Ok(None) };
        let mut lineup = Lineup::of_filters(fitting, filters, by_class, self);
        for weighed in profile.score.iter().filter(|(of, _)| !skipped.contains(&of.id)) {
            let (plugin, weight) = weighed;
            if self.ranks(plugin) {
                lineup.scoring.push(weighed);
            } else if self.by_class(plugin)?.is_none() {
                return Ok(None);
            } else if let Some(filter) = lineup.by_class.iter_mut().find(|of| of.plugin.id == plugin.id) {
                filter.weight = *weight;
            } else {
                lineup.by_class.push(ByClassIn { plugin, filters: false, weight: *weight });
            }
        }
        lineup.find_parts(self);
        Ok(Some(lineup))
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
    pub(super) fn passing(&mut self, lineup: &Lineup<'_>) -> Result<Option<usize>, PluginError> {
        let Some(groups) = self.groups(lineup)? else { return Ok(None) };
        let passes = self.passes(lineup, &groups)?;
        Ok(Some(groups.iter().zip(passes).filter(|(_, passes)| *passes).map(|(group, _)| group.nodes).sum()))
    }

    /// Updates the ranking and returns its groups, or `None` if there are too many groups or not enough memory for a
    /// new ranking.
    fn groups(&mut self, lineup: &Lineup<'_>) -> Result<Option<Vec<InCommon>>, PluginError> {
        let (cache, cycle) = (self.cache, self.cycle);
        let begins = self.answers.rankings.of(lineup.parts.clone(), cycle).begins(cache);
        if begins && !self.answers.have_room_for_ranking(cache.node_count(), cycle) {
            return Ok(None);
        }
        self.rank(lineup)?;
        let ranking = self.answers.rankings.of(lineup.parts.clone(), self.cycle);
        Ok((!ranking.is_too_varied()).then(|| ranking.groups()))
    }

    fn rank(&mut self, lineup: &Lineup<'_>) -> Result<(), PluginError> {
        let (cache, cycle) = (self.cache, self.cycle);
        let mut read = declarations(&lineup.filters);
        read.extend(lineup.scoring.iter().map(|(plugin, _)| &*plugin.declaration));
        let before = self.answers.rankings.of(lineup.parts.clone(), cycle).positions().to_vec();
        let (moved, positions) = self.moved(lineup, &before);
        let stale = self.answers.rankings.of(lineup.parts.clone(), cycle).stale(cache, &read, moved);
        let fitting = self.answers.fitting.of(lineup.fitting.clone(), cycle);
        let (fit, unfit): (Vec<NodeId>, Vec<NodeId>) = match stale {
            None => (fitting.iter().collect(), Vec::new()),
            Some(stale) => stale.into_iter().partition(|node| fitting.contains(*node)),
        };
        let mut scores = Vec::with_capacity(lineup.scoring.len());
        for (plugin, _) in &lineup.scoring {
            scores.push(if fit.is_empty() { Vec::new() } else { self.score(plugin, &fit)? });
        }
        let mut classes = Vec::with_capacity(lineup.by_class.len());
        for of in &lineup.by_class {
            classes.push(self.classes_of(of.plugin, &fit)?);
        }
        let ranking = self.answers.rankings.of(lineup.parts.clone(), cycle);
        ranking.read_ahead(&unfit);
        ranking.read_ahead(&fit);
        unfit.iter().for_each(|node| ranking.remove(*node));
        let mut key = Vec::with_capacity(lineup.parts.len());
        for (at, node) in fit.iter().enumerate() {
            key.clear();
            let mut sum = 0;
            for ((plugin, weight), scores) in lineup.scoring.iter().zip(&scores) {
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
    fn moved(&mut self, lineup: &Lineup<'_>, before: &[Position]) -> (Option<Vec<NodeId>>, Vec<Position>) {
        let (mut moved, mut positions) = (Some(Vec::new()), Vec::new());
        for (at, of) in lineup.by_class.iter().enumerate() {
            let template = self.template(of.plugin);
            let classes = &self.answers.of(of.plugin.id, template, self.cycle).classes;
            positions.push(classes.position());
            match (&mut moved, before.get(at).and_then(|before| classes.since(*before))) {
                (Some(moved), Some(since)) => moved.extend(since),
                _ => moved = None,
            }
        }
        (moved, positions)
    }

    /// Returns for each group whether its nodes pass the filters that answer by class.
    fn passes(&mut self, lineup: &Lineup<'_>, groups: &[InCommon]) -> Result<Vec<bool>, PluginError> {
        let mut passes = vec![true; groups.len()];
        for (at, of) in (lineup.normalized()..).zip(&lineup.by_class).filter(|(_, of)| of.filters) {
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
    fn worth(&mut self, lineup: &Lineup<'_>, groups: &[InCommon]) -> Result<Vec<Option<i64>>, PluginError> {
        let passes = self.passes(lineup, groups)?;
        let those: Vec<&InCommon> =
            groups.iter().zip(&passes).filter(|(_, passes)| **passes).map(|(group, _)| group).collect();
        let mut sums = vec![0; those.len()];
        let normalized = lineup.scoring.iter().filter(|(plugin, _)| plugin.is_normalized_by_host());
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
        for (at, of) in (lineup.normalized()..).zip(&lineup.by_class).filter(|(_, of)| of.weight > 0) {
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
