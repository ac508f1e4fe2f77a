//! When no node fits: plugins that could make room are asked, one after the other, until one can.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::diagnosis::Diagnosis;
use super::extending::candidates_left;
use super::{Failure, Placing};
use crate::answers::Outcomes;
use crate::cache::{Cache, NodeId, PodId};
use crate::extenders::{Extenders, NoExtenders};
use crate::intent::Intent;
use crate::model::Pod;
use crate::plugins::{
    AskBack, Candidate, Code, ExtensionPoints, PluginError, Plugins, PointOutcome, PostFilterResult, Room, Status,
    Verdicts, WhatIf,
};
use crate::profile::{Profile, ProfilePlugin};

/// What post-filters want done for a pod that fits nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aftermath {
    /// Of the room that is promised to it.
    pub nomination: Nomination,
    /// So that it may fit later ([`Intent::is_change`]).
    pub intents: Vec<Intent>,
}

/// What becomes of the room that is promised to the pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Nomination {
    /// It stays as it is.
    #[default]
    Keep,
    /// It could not be made: there is none any more.
    Clear,
    /// It is being made.
    Make(Room),
}

/// Whom a post-filter asks while it is asked.
struct Back<'a, W> {
    what_if: W,
    extenders: &'a mut dyn Extenders,
    pod: &'a Arc<Pod>,
    cache: &'a Cache,
    /// An extender failed, or claimed what can't be.
    failed: bool,
}

/// What a post-filter says.
struct Said {
    result: PostFilterResult,
    /// Because an extender failed; nothing else is told then.
    extender_failed: bool,
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

impl Placing<'_> {
    /// Asks the post-filters; what they say goes into the message.
    pub(super) fn make_room(&mut self, profile: &Profile, mut diagnosis: Diagnosis) -> Failure {
        if profile.post_filter.is_empty() {
            let aftermath = Aftermath { nomination: Nomination::Clear, ..Aftermath::default() };
            return Failure::Unschedulable(diagnosis, Box::new(aftermath));
        }
        if !self.may_make_room {
            return Failure::Unschedulable(diagnosis, Box::default());
        }
        let ask_all = |placing: &mut Self| -> Result<(Aftermath, String), Failure> {
            let (mut aftermath, mut said) = (Aftermath::default(), Vec::new());
            for plugin in &profile.post_filter {
                let Said { result, extender_failed } = placing.post_filter(profile, plugin, &diagnosis)?;
                match result {
                    PostFilterResult::Nominate(room) => {
                        aftermath.nomination = Nomination::Make(room);
                        return Ok((aftermath, String::new()));
                    }
                    PostFilterResult::Unschedulable { reasons, clear, intents } => {
                        if extender_failed {
                            said.clear();
                        }
                        said.extend(reasons.iter().map(ToString::to_string));
                        aftermath.intents.extend(intents);
                        if clear {
                            aftermath.nomination = Nomination::Clear;
                        }
                    }
                }
            }
            Ok((aftermath, said.join(", ")))
        };
        let outcome = |(aftermath, _): &(Aftermath, String)| match aftermath.nomination {
            Nomination::Make(_) => PointOutcome::Success,
            _ => PointOutcome::Unschedulable,
        };
        match self.at_with(ExtensionPoints::POST_FILTER, ask_all, outcome) {
            Ok((aftermath, said)) => {
                diagnosis.post_filter_said(said);
                Failure::Unschedulable(diagnosis, Box::new(aftermath))
            }
            Err(Failure::Plugin(error)) => Failure::PostFilter(error),
            Err(failure) => failure,
        }
    }

    fn post_filter(
        &mut self,
        profile: &Profile,
        plugin: &ProfilePlugin,
        diagnosis: &Diagnosis,
    ) -> Result<Said, PluginError> {
        let (nodes, codes) = self.rejected(diagnosis);
        let leaving = self.leaving();
        let template = self.template(plugin);
        let about = self.about(plugin, template);
        // The one that asks can't be asked meanwhile.
        let answers_what_ifs =
            |filter: &&ProfilePlugin| filter.id != plugin.id && !diagnosis.skipped().contains(&filter.id);
        let filters: Vec<&ProfilePlugin> = profile.filter.iter().filter(answers_what_ifs).collect();
        let Placing { cycle, time, seed, pod, cache, nominations, verify, .. } = *self;
        let (templates, answers, distrusted) = (&mut *self.templates, &mut *self.answers, &mut *self.distrusted);
        let (pods_templates, next_start) = (&self.pods_templates, &mut *self.next_start);
        let extenders = &mut *self.extenders;
        let what_if = |plugins: &mut dyn Plugins, cases: &[WhatIf]| {
            let mut placing = Placing {
                cycle,
                time,
                seed,
                pod,
                cache,
                nominations,
                verify,
                may_make_room: false,
                plugins,
                extenders: &mut NoExtenders,
                next_start: &mut *next_start,
                templates: &mut *templates,
                answers: &mut *answers,
                distrusted: &mut *distrusted,
                pods_templates: pods_templates.clone(),
                classified: Vec::new(),
                witness: None,
            };
            placing.answer_what_if(&filters, cases)
        };
        let mut back = Back { what_if, extenders, pod, cache, failed: false };
        let result = self.plugins.post_filter(plugin.id, &about, &nodes, &codes, &leaving, &mut back)?;
        let extender_failed = back.failed;
        if let PostFilterResult::Nominate(room) = &result {
            check_room(plugin, room, self.cache)?;
        }
        Ok(Said { result, extender_failed })
    }

    /// Every node with the code by which it was rejected.
    fn rejected(&self, diagnosis: &Diagnosis) -> (Vec<NodeId>, Vec<Code>) {
        self.cache.nodes().map(|info| (info.id, diagnosis.code_of(info.id))).unzip()
    }

    /// Those who make room on the node that is promised to the pod, and are not gone yet.
    fn leaving(&self) -> Vec<PodId> {
        let node = self.cache.node_id(&self.pod.nominated_node_name).and_then(|id| self.cache.node(id));
        let leaves = |id: &PodId| self.cache.pod(*id).is_some_and(|known| known.pod.preempted);
        node.map(|info| info.pods.iter().copied().filter(leaves).collect()).unwrap_or_default()
    }

    /// A verdict for each case: with those in mind to whom room on the node is promised, and without them, as they may never
    /// come.
    fn answer_what_if(&mut self, filters: &[&ProfilePlugin], cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        let nodes: Vec<NodeId> = cases.iter().map(|case| case.node).collect();
        let promised: BTreeMap<NodeId, Vec<Arc<Pod>>> =
            self.with_nominated(&nodes).into_iter().map(|with| (with.node, with.added)).collect();
        let crowded = |case: &WhatIf| Some(WhatIf { added: promised.get(&case.node)?.clone(), ..case.clone() });
        let with: Vec<(usize, WhatIf)> =
            cases.iter().enumerate().filter_map(|(at, case)| Some((at, crowded(case)?))).collect();
        let (places, with): (Vec<usize>, Vec<WhatIf>) = with.into_iter().unzip();
        let mut answers = self.rejections(filters, cases)?;
        for (at, rejected) in places.into_iter().zip(self.rejections(filters, &with)?) {
            answers[at] = rejected.or(answers[at].take());
        }
        let (mut outcomes, mut nodes) = (Outcomes::default(), Vec::with_capacity(answers.len()));
        for rejected in &answers {
            // More different rejections than there are numbers are told as the last of them.
            nodes.push(rejected.as_ref().map_or(0, |status| outcomes.number(status).unwrap_or(u16::MAX)));
        }
        Ok(Verdicts { outcomes: outcomes.into_all(), nodes })
    }

    fn rejections(&mut self, filters: &[&ProfilePlugin], cases: &[WhatIf]) -> Result<Vec<Option<Status>>, PluginError> {
        match self.what_if(filters, cases) {
            Ok(rejected) => Ok(rejected.into_iter().map(|no| no.map(|no| no.status)).collect()),
            Err(Failure::Plugin(error) | Failure::PostFilter(error)) => Err(error),
            // No filter says these.
            Err(Failure::NoNodes | Failure::Unschedulable(..) | Failure::Extender(_)) => Ok(vec![None; cases.len()]),
        }
    }
}

/// Checks that the node and the victims exist.
fn check_room(plugin: &ProfilePlugin, room: &Room, cache: &Cache) -> Result<(), PluginError> {
    let failed = |what: String| Err(PluginError::failed(Arc::clone(&plugin.declaration.name), what));
    if cache.node(room.node).is_none() {
        return failed(format!("post-filter nominated node {}, which does not exist", room.node.0));
    }
    match room.evict.iter().find(|pod| cache.pod(**pod).is_none()) {
        Some(pod) => failed(format!("post-filter evicts pod {}, which does not exist", pod.0)),
        None => Ok(()),
    }
}
