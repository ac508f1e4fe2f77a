//! The way of a pod whose like came before: what follows from the kept answers is kept too, so that only nodes that changed
//! are looked at.

use super::filtering::{Candidates, Feasible, Nodes};
use super::sampling::Sample;
use super::{Distrusted, Failure, Placing, normalize};
use crate::answers::{Best, Parts};
use crate::cache::NodeId;
use crate::plugins::{Declaration, Normalization, PluginError, PluginId};
use crate::profile::{FailurePolicy, Profile, ProfilePlugin};

/// A plugin that scores, and its weight.
type Weighed<'p> = &'p (ProfilePlugin, i64);

impl Placing<'_> {
    /// The nodes that the filters leave, by what is followed for all pods of the same templates; `None` where this pod has to
    /// be looked at by itself.
    pub(super) fn followed(
        &mut self,
        profile: &Profile,
        candidates: &Candidates<'_>,
    ) -> Result<Option<Nodes>, PluginError> {
        let filters = &candidates.filters;
        let follows = candidates.are_all()
            && !self.verify
            && self.witness.is_none()
            && Sample::of(self.cache.node_count(), profile.percentage_of_nodes_to_score, 0).is_none()
            && filters.iter().all(|plugin| self.keeps(plugin, plugin.declaration.filter_scope))
            && self.promised().is_empty();
        if !follows {
            return Ok(None);
        }
        let parts: Parts = filters.iter().map(|plugin| (plugin.id, self.template(plugin), 0)).collect();
        let (cache, cycle) = (self.cache, self.cycle);
        let fitting = self.answers.fitting.of(parts.clone(), cycle);
        let stale = fitting.stale(cache, &declarations(filters));
        let mut fit = stale.clone();
        for plugin in filters {
            if fit.is_empty() {
                break;
            }
            let verdicts = self.filter(plugin, &fit)?;
            self.check_no_error(plugin, &verdicts)?;
            let mut answers = verdicts.nodes.iter();
            fit.retain(|_| answers.next() == Some(&0));
        }
        let fitting = self.answers.fitting.of(parts.clone(), cycle);
        fitting.set(&stale, &fit, cache);
        Ok(Some(Nodes::Followed(fitting.nodes(), parts)))
    }

    /// One of the best nodes, by a ranking that is followed for all pods of the same templates; `None` where the scores
    /// have to be summed up for this pod.
    pub(super) fn best_followed(
        &mut self,
        profile: &Profile,
        feasible: &Feasible<'_>,
        skipped: &[PluginId],
        rng: &mut fastrand::Rng,
    ) -> Result<Option<NodeId>, Failure> {
        self.with_best(profile, feasible, skipped, |best| best.nth(rng.usize(..best.len())))
    }

    fn with_best<R>(
        &mut self,
        profile: &Profile,
        feasible: &Feasible<'_>,
        skipped: &[PluginId],
        read: impl FnOnce(&Best<'_>) -> Option<R>,
    ) -> Result<Option<R>, Failure> {
        let Nodes::Followed(_, filtering) = &feasible.nodes else { return Ok(None) };
        let plugins: Vec<Weighed<'_>> = profile.score.iter().filter(|(of, _)| !skipped.contains(&of.id)).collect();
        if !plugins.iter().all(|(plugin, _)| self.ranks(plugin)) {
            return Ok(None);
        }
        let weighed = plugins.iter().map(|(plugin, weight)| (plugin.id, self.template(plugin), *weight));
        let parts: Parts = filtering.iter().copied().chain(weighed).collect();
        self.rank(feasible, filtering, &plugins, &parts)?;
        let ranking = self.answers.rankings.of(parts, self.cycle);
        if ranking.is_too_varied() {
            return Ok(None);
        }
        let groups: Vec<&[i64]> = ranking.groups().collect();
        let worth = worth(&groups, &plugins)?;
        Ok(ranking.best(&worth).as_ref().and_then(read))
    }

    /// Whether the plugin's scores follow from the node's facts, and those of the other nodes by a rule of ours.
    fn ranks(&self, plugin: &ProfilePlugin) -> bool {
        self.keeps(plugin, plugin.declaration.score_scope)
            && !plugin.normalizes_itself()
            && plugin.failure_policy == FailurePolicy::Fail
    }

    /// Brings the ranking up to date.
    fn rank(
        &mut self,
        feasible: &Feasible<'_>,
        filtering: &Parts,
        plugins: &[Weighed<'_>],
        parts: &Parts,
    ) -> Result<(), PluginError> {
        let (cache, cycle) = (self.cache, self.cycle);
        let mut read = declarations(&feasible.filters);
        read.extend(plugins.iter().map(|(plugin, _)| &*plugin.declaration));
        let stale = self.answers.rankings.of(parts.clone(), cycle).stale(cache, &read);
        let fitting = self.answers.fitting.of(filtering.clone(), cycle);
        let (fit, unfit): (Vec<NodeId>, Vec<NodeId>) = match stale {
            None => (feasible.nodes.to_vec(), Vec::new()),
            Some(stale) => stale.into_iter().partition(|node| fitting.contains(*node)),
        };
        let mut scores = Vec::with_capacity(plugins.len());
        for (plugin, _) in plugins {
            scores.push(if fit.is_empty() { Vec::new() } else { self.score(plugin, &fit)? });
        }
        let ranking = self.answers.rankings.of(parts.clone(), cycle);
        unfit.iter().for_each(|node| ranking.remove(*node));
        let mut raw = Vec::with_capacity(plugins.len());
        for (at, node) in fit.iter().enumerate() {
            raw.clear();
            let mut sum = 0;
            for ((plugin, weight), scores) in plugins.iter().zip(&scores) {
                match plugin.declaration.normalization {
                    Normalization::Default | Normalization::DefaultReversed => raw.push(scores[at]),
                    Normalization::None | Normalization::Custom => {
                        plugin.check_score(scores[at])?;
                        sum += scores[at] * weight;
                    }
                }
            }
            ranking.put(*node, &raw, sum);
        }
        ranking.caught_up(cache);
        Ok(())
    }

    /// Compares what is followed with what was found out for this pod alone, and begins anew where they differ.
    pub(super) fn check_followed(
        &mut self,
        profile: &Profile,
        found: &Feasible<'_>,
        skipped: &[PluginId],
        totals: &[i64],
    ) -> Result<(), Failure> {
        self.verify = false;
        let candidates = Candidates::all(found.filters.clone());
        let nodes = self.followed(profile, &candidates)?;
        let differs = match nodes {
            None => None,
            Some(nodes) if *nodes != *found.nodes => Some("the nodes that fit"),
            Some(nodes) => {
                let feasible = Feasible { nodes, filters: candidates.filters };
                let best = self.with_best(profile, &feasible, skipped, |best| Some((best.total, best.len())))?;
                let highest = totals.iter().copied().max().unwrap_or_default();
                let expected = (highest, totals.iter().filter(|total| **total == highest).count());
                best.filter(|best| *best != expected).map(|_| "the best nodes")
            }
        };
        self.verify = true;
        if let Some(what) = differs {
            self.answers.forget_followed();
            let what =
                format!("{what} for pod {} are others than when asked anew; what is kept begins anew", self.pod.key);
            self.distrusted.push(Distrusted { plugin: None, name: "berth".into(), what });
        }
        Ok(())
    }
}

fn declarations<'p>(plugins: &[&'p ProfilePlugin]) -> Vec<&'p Declaration> {
    plugins.iter().map(|plugin| &*plugin.declaration).collect()
}

/// What the scores that are normalized add to the nodes of each group.
fn worth(groups: &[&[i64]], plugins: &[Weighed<'_>]) -> Result<Vec<i64>, PluginError> {
    let mut worth = vec![0; groups.len()];
    let normalized = |(plugin, _): &Weighed<'_>| plugin.declaration.normalization;
    let of = plugins
        .iter()
        .filter(|plugin| matches!(normalized(plugin), Normalization::Default | Normalization::DefaultReversed));
    for (at, (plugin, weight)) in of.enumerate() {
        let mut scores: Vec<i64> = groups.iter().map(|raw| raw[at]).collect();
        match plugin.declaration.normalization {
            Normalization::DefaultReversed => normalize::default_reversed(&mut scores),
            _ => normalize::default(&mut scores),
        }
        for (worth, score) in worth.iter_mut().zip(scores) {
            plugin.check_score(score)?;
            *worth += score * weight;
        }
    }
    Ok(worth)
}
