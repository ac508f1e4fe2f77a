//! Asks the post-filters when no node fits, in order, until one nominates a node.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::diagnosis::Diagnosis;
use super::extending::candidates_left;
use super::{Failure, Lookups, SchedulingCycle};
use crate::cache::{Cache, NodeId, PodId};
use crate::extenders::{Extenders, NoExtenders};
use crate::intent::Intent;
use crate::model::Pod;
use crate::plugins::{
    AskBack, Candidate, Code, ExtensionPoints, PluginError, Plugins, PodActions, PointOutcome, PostFilterResult,
    PreemptionPlan, Status, Verdicts, WhatIf,
};
use crate::profile::ProfilePlugin;
use crate::results::Rejections;

/// The results of the post-filters for a pod that fits nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostFilterOutcome {
    /// The change of the pod's nomination.
    pub nomination: NominationChange,
    /// Intents after which the pod may fit later. [`Intent::is_change`] returns true for each.
    pub intents: Vec<Intent>,
    /// What each plugin, given by its name, does with other pods.
    pub pods: Vec<(Arc<str>, PodActions)>,
}

/// The change of a pod's nomination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NominationChange {
    /// The nomination stays as it is.
    #[default]
    Keep,
    /// The nomination is cleared.
    Clear,
    /// A node is nominated, and the victims of the plan are evicted.
    Set(PreemptionPlan),
}

/// Answers the questions that a post-filter asks during its call.
struct Back<'a, W> {
    what_if: W,
    extenders: &'a mut dyn Extenders,
    pod: &'a Arc<Pod>,
    cache: &'a Cache,
    /// An extender failed or returned impossible candidates.
    failed: bool,
}

impl<W: FnMut(&mut dyn Plugins, &[WhatIf]) -> Result<Verdicts, PluginError>> AskBack for Back<'_, W> {
    fn what_if(&mut self, plugins: &mut dyn Plugins, cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        (self.what_if)(plugins, cases)
    }

    fn extenders(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, String> {
        let left = candidates_left(self.extenders, self.pod, self.cache, candidates);
        self.failed |= left.is_err();
        left
    }
}

impl SchedulingCycle<'_> {
    /// Asks the post-filters. Their reasons are added to the message.
    pub(super) fn run_post_filters(&mut self, mut diagnosis: Diagnosis) -> Failure {
        if self.profile.post_filter.is_empty() {
            let outcome = PostFilterOutcome { nomination: NominationChange::Clear, ..PostFilterOutcome::default() };
            return Failure::Unschedulable(diagnosis, Box::new(outcome));
        }
        if !self.may_preempt {
            return Failure::Unschedulable(diagnosis, Box::default());
        }
        let (mut outcome, mut messages) = (Box::<PostFilterOutcome>::default(), Vec::new());
        let ask_all = |cycle: &mut Self| {
            for plugin in &cycle.profile.post_filter {
                let (result, extender_failed) = cycle.post_filter(plugin, &diagnosis)?;
                let name = Arc::clone(&plugin.declaration.name);
                match result {
                    PostFilterResult::Nominate(mut plan) => {
                        outcome.pods.push((name, std::mem::take(&mut plan.pods)));
                        outcome.nomination = NominationChange::Set(plan);
                        messages.clear();
                        return Ok(PointOutcome::Success);
                    }
                    PostFilterResult::Unschedulable { reasons, clear, intents, pods } => {
                        if extender_failed {
                            messages.clear();
                        }
                        messages.extend(reasons.iter().map(ToString::to_string));
                        outcome.intents.extend(intents);
                        outcome.pods.push((name, pods));
                        if clear {
                            outcome.nomination = NominationChange::Clear;
                        }
                    }
                }
            }
            Ok(PointOutcome::Unschedulable)
        };
        match self.at_with(ExtensionPoints::POST_FILTER, ask_all, |outcome| *outcome) {
            Ok(_) => {
                diagnosis.post_filter = messages.join(", ");
                Failure::Unschedulable(diagnosis, outcome)
            }
            Err(Failure::Plugin(error)) => Failure::PostFilter(error),
            Err(failure) => failure,
        }
    }

    /// Asks a post-filter. Returns whether an extender failed meanwhile. Then the messages of earlier post-filters are
    /// dropped.
    fn post_filter(
        &mut self,
        plugin: &ProfilePlugin,
        diagnosis: &Diagnosis,
    ) -> Result<(PostFilterResult, bool), PluginError> {
        let (nodes, codes) = self.rejected(diagnosis);
        let leaving = self.leaving();
        let signature = self.signature_for(plugin);
        let about = self.about(plugin, signature);
        // The plugin that asks is busy with its own call, so that its filter can't be asked.
        let answers_what_ifs =
            |filter: &&ProfilePlugin| filter.id != plugin.id && !diagnosis.skipped.contains(&filter.id);
        let filters: Vec<&ProfilePlugin> = self.profile.filter.iter().filter(answers_what_ifs).collect();
        let SchedulingCycle { number, time, seed, pod, profile, cache, nominations, next_start, verify, .. } = *self;
        let (results, extenders) = (&mut *self.results, &mut *self.extenders);
        let lookups = Lookups { signatures: self.lookups.signatures.clone(), by_class: Vec::new() };
        let what_if = |plugins: &mut dyn Plugins, cases: &[WhatIf]| {
            let mut asked = SchedulingCycle {
                number,
                time,
                seed,
                pod,
                profile,
                cache,
                nominations,
                results: &mut *results,
                plugins,
                extenders: &mut NoExtenders,
                next_start,
                verify,
                may_preempt: false,
                observer: None,
                lookups: lookups.clone(),
                recording: None,
            };
            asked.answer_what_if(&filters, cases)
        };
        let mut back = Back { what_if, extenders, pod, cache, failed: false };
        let result = self.plugins.post_filter(plugin.id, &about, &nodes, &codes, &leaving, &mut back)?;
        let extender_failed = back.failed;
        if let PostFilterResult::Nominate(plan) = &result {
            check_plan(plugin, plan, self.cache)?;
        }
        Ok((result, extender_failed))
    }

    /// Returns every node with the code with which it was rejected.
    fn rejected(&self, diagnosis: &Diagnosis) -> (Vec<NodeId>, Vec<Code>) {
        self.cache.nodes().map(|info| (info.id, diagnosis.code_of(info.id))).unzip()
    }

    /// Returns the preempted pods that are still on the pod's nominated node.
    fn leaving(&self) -> Vec<PodId> {
        let node = self.cache.node_id(&self.pod.nominated_node_name).and_then(|id| self.cache.node(id));
        let leaves = |id: &PodId| self.cache.pod(*id).is_some_and(|known| known.pod.preempted);
        node.map(|info| info.pods.iter().copied().filter(leaves).collect()).unwrap_or_default()
    }

    /// Returns a verdict for each case. The pod has to fit beside the pods that are nominated to the node, and also
    /// without them, because they may never arrive.
    fn answer_what_if(&mut self, filters: &[&ProfilePlugin], cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        let nodes: Vec<NodeId> = cases.iter().map(|case| case.node).collect();
        let nominated: BTreeMap<NodeId, Vec<Arc<Pod>>> =
            self.with_nominated(&nodes).into_iter().map(|with| (with.node, with.added)).collect();
        let crowded = |case: &WhatIf| Some(WhatIf { added: nominated.get(&case.node)?.clone(), ..case.clone() });
        let with: Vec<(usize, WhatIf)> =
            cases.iter().enumerate().filter_map(|(at, case)| Some((at, crowded(case)?))).collect();
        let (places, with): (Vec<usize>, Vec<WhatIf>) = with.into_iter().unzip();
        let mut answers = self.rejections(filters, cases)?;
        for (at, rejected) in places.into_iter().zip(self.rejections(filters, &with)?) {
            answers[at] = rejected.or(answers[at].take());
        }
        let (mut outcomes, mut nodes) = (Rejections::default(), Vec::with_capacity(answers.len()));
        for rejected in &answers {
            // If there are more different rejections than numbers, the remaining rejections get the number of the last
            // (65535).
            nodes.push(rejected.as_ref().map_or(0, |status| outcomes.number(status).unwrap_or(u16::MAX)));
        }
        Ok(Verdicts { outcomes: outcomes.into_all(), nodes })
    }

    fn rejections(&mut self, filters: &[&ProfilePlugin], cases: &[WhatIf]) -> Result<Vec<Option<Status>>, PluginError> {
        Ok(self.what_if(filters, cases)?.into_iter().map(|rejected| rejected.map(|rejected| rejected.status)).collect())
    }
}

/// Checks that the node and the victims exist.
fn check_plan(plugin: &ProfilePlugin, plan: &PreemptionPlan, cache: &Cache) -> Result<(), PluginError> {
    let failed = |what: String| Err(plugin.failed(what));
    if cache.node(plan.node).is_none() {
        return failed(format!("post-filter nominated node {}, which does not exist", plan.node.0));
    }
    match plan.evict.iter().find(|pod| cache.pod(**pod).is_none()) {
        Some(pod) => failed(format!("post-filter evicts pod {}, which does not exist", pod.0)),
        None => Ok(()),
    }
}
