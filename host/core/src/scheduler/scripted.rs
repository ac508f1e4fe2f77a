//! Test plugins with scripted answers, and a test bench with a core.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Core;
use crate::action::Action;
use crate::cache::{NodeId, PodId};
use crate::declaration::Declaration;
use crate::extenders::NoExtenders;
use crate::facts::{NodeFacts, PodFacts};
use crate::intent::{Intent, Patch};
use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod, PodKey, PodSpec};
use crate::plugins::{
    AskBack, Code, Cycle, Decision, ExtensionPoints, Hint, HintEvent, Permission, PluginError, PluginId, Plugins,
    PodActions, PointOutcome, PostFilterResult, PreemptionPlan, QueueTimes, Reserved, Scope, Status, Undone, Verdicts,
    WhatIf,
};
use crate::profile::{Profile, ProfilePlugin};
use crate::{Event, Options, Timestamp};

/// The answer of a plugin to one question about one pod. Questions without a scripted answer get a neutral answer.
#[derive(Clone)]
pub(crate) enum Answer {
    No(Code, &'static str),
    Fails,
    IsDown,
    IsFilling,
    Waits(u64),
    Approves(&'static [&'static str]),
    Rejects(&'static [&'static str], &'static str),
    Activates(&'static [&'static str]),
    Wants(Vec<Intent>),
    Skips,
}

impl Answer {
    /// Returns what the answer does with other pods.
    fn pods(&self) -> PodActions {
        let mut actions = PodActions::default();
        let uids = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
        match self {
            Self::Approves(pods) => actions.approve = uids(pods),
            Self::Rejects(pods, reason) => {
                actions.reject = pods.iter().map(|name| ((*name).into(), (*reason).into())).collect();
            }
            Self::Activates(pods) => actions.activate = uids(pods),
            _ => {}
        }
        actions
    }
}

/// The plugins `A` to `D`. The filter rejects the pod if the scripted answer to `filter` is a rejection.
#[derive(Default)]
pub(crate) struct Scripted {
    /// By plugin, question and pod, for example `A permit p`.
    pub answers: BTreeMap<&'static str, Answer>,
    pub calls: Vec<String>,
    /// The duration of each permit wait in milliseconds, with its outcome.
    pub waits: Vec<(u64, PointOutcome)>,
    /// The number of undone reservations, as reported for metrics.
    pub undone: usize,
    /// The times of each pod of which the sort key was asked.
    pub sorted: Vec<(String, QueueTimes)>,
    /// The hint for all pods of a queueing-hint call. With `None` the call fails.
    pub hint: Option<Hint>,
}

pub(crate) fn name(plugin: PluginId) -> &'static str {
    ["A", "B", "C", "D"][(plugin.0 % 4) as usize]
}

impl Scripted {
    fn asked(&mut self, plugin: PluginId, question: &str, cycle: &Cycle<'_>) -> Result<Option<Answer>, PluginError> {
        let call = format!("{} {question} {}", name(plugin), cycle.pod.key.name);
        let answer = self.answers.get(&*call).cloned();
        match answer {
            Some(Answer::Fails) => Err(PluginError::failed(name(plugin).into(), "trapped".into())),
            Some(Answer::IsDown) => Err(PluginError::down(name(plugin).into(), "is being restarted".into())),
            Some(Answer::IsFilling) => Err(PluginError::filling(name(plugin).into(), "is being filled anew".into())),
            answer => Ok(answer),
        }
    }

    fn record(&mut self, plugin: PluginId, question: &str, cycle: &Cycle<'_>, state: &[u8]) {
        let state = String::from_utf8_lossy(state);
        self.calls.push(format!("{} {question} {} [{state}]", name(plugin), cycle.pod.key.name));
    }
}

impl Plugins for Scripted {
    fn pre_enqueue(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        Ok(match self.asked(plugin, "pre-enqueue", cycle)? {
            Some(Answer::No(code, why)) => Some(Status { code, reasons: vec![why.into()] }),
            _ => None,
        })
    }

    fn sort_key(&mut self, _: PluginId, cycle: &Cycle<'_>, times: QueueTimes) -> Result<Box<[i64]>, PluginError> {
        self.sorted.push((cycle.pod.key.name.to_string(), times));
        Ok([times.first_queued.0 as i64].into())
    }

    fn skip(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        Ok(matches!(self.asked(plugin, "skip", cycle)?, Some(Answer::Skips)))
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        Ok(match self.asked(plugin, "filter", cycle)? {
            Some(Answer::No(code, why)) => {
                Verdicts { outcomes: vec![Status { code, reasons: vec![why.into()] }], nodes: vec![1; nodes.len()] }
            }
            _ => Verdicts { outcomes: Vec::new(), nodes: vec![0; nodes.len()] },
        })
    }

    fn post_filter(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        _: &[NodeId],
        _: &[Code],
        _: &[PodId],
        _: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        let pods = self.asked(plugin, "post-filter", cycle)?.map(|answer| answer.pods()).unwrap_or_default();
        Ok(PostFilterResult::Unschedulable { reasons: Vec::new(), clear: false, intents: Vec::new(), pods })
    }

    fn reserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        _: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        let answer = self.asked(plugin, "reserve", cycle)?;
        self.calls.push(format!("{} reserve {}", name(plugin), cycle.pod.key.name));
        let state = format!("{}'s", name(plugin)).into_bytes().into();
        Ok(match answer {
            Some(Answer::No(code, why)) => Err(Status { code, reasons: vec![why.into()] }),
            Some(Answer::Wants(intents)) => Ok(Reserved { state, intents }),
            _ => Ok(Reserved { state, intents: Vec::new() }),
        })
    }

    fn unreserve(&mut self, plugin: PluginId, cycle: &Cycle<'_>, _: &str, state: &[u8], pre_bound: bool) -> Undone {
        self.record(plugin, "unreserve", cycle, state);
        match self.asked(plugin, "unreserve", cycle) {
            Ok(Some(Answer::Wants(intents))) if pre_bound => Undone { intents, ..Undone::default() },
            Ok(Some(answer)) => Undone { pods: answer.pods(), ..Undone::default() },
            _ => Undone::default(),
        }
    }

    fn permit(&mut self, plugin: PluginId, cycle: &Cycle<'_>, _: &str, _: &[u8]) -> Result<Permission, PluginError> {
        let mut permission = Permission::default();
        match self.asked(plugin, "permit", cycle)? {
            Some(Answer::No(code, why)) => {
                permission.decision = Decision::Deny(Status { code, reasons: vec![why.into()] });
            }
            Some(Answer::Waits(millis)) => permission.decision = Decision::Wait(Duration::from_millis(millis)),
            Some(answer) => permission.pods = answer.pods(),
            None => {}
        }
        Ok(permission)
    }

    fn pre_bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        _: &str,
        state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        let answer = self.asked(plugin, "pre-bind", cycle)?;
        self.record(plugin, "pre-bind", cycle, state);
        Ok(if let Some(Answer::Wants(intents)) = answer { intents } else { Vec::new() })
    }

    fn bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        _: &str,
        _: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        let answer = self.asked(plugin, "bind", cycle)?;
        Ok(if let Some(Answer::Wants(intents)) = answer { Some(intents) } else { None })
    }

    fn post_bind(&mut self, plugin: PluginId, cycle: &Cycle<'_>, _: &str, state: &[u8]) {
        self.record(plugin, "post-bind", cycle, state);
    }

    fn queueing_hints(
        &mut self,
        plugin: PluginId,
        happened: &HintEvent<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        let names: Vec<&str> = pods.iter().map(|cycle| &*cycle.pod.key.name).collect();
        self.calls.push(format!("{} hints {} {:?}", name(plugin), names.join(" "), happened.event.actions));
        let failed = || PluginError::failed(name(plugin).into(), "trapped".into());
        Ok(vec![self.hint.ok_or_else(failed)?; pods.len()])
    }

    fn point_begins(&mut self, point: ExtensionPoints, _: &str) {
        self.undone += usize::from(point == ExtensionPoints::UNRESERVE);
    }

    fn permit_wait_ends(&mut self, waited: Duration, outcome: PointOutcome) {
        self.waits.push((waited.as_millis() as u64, outcome));
    }
}

/// A core with one node `n` and a profile with the plugins `A`, `B` and `C` at pre-enqueue, filter, and all points from
/// reserve on.
pub(crate) struct Bench {
    pub core: Core,
    pub plugins: Scripted,
    pub now: Timestamp,
    /// The number of the last [`Action::ExecuteIntents`].
    pub executed_step: u64,
    /// The facts of pending pods that the plugin `B` reads after the next exchange of plugins.
    pub pending_pods: Option<PodFacts>,
}

impl Bench {
    pub fn new(answers: &[(&'static str, Answer)]) -> Self {
        let plugins = Scripted { answers: answers.iter().cloned().collect(), ..Scripted::default() };
        let mut bench = Self {
            core: Core::new(Options::default()),
            plugins,
            now: Timestamp(100_000),
            executed_step: 0,
            pending_pods: None,
        };
        bench.swap(0, &["A", "B", "C"]);
        bench.step(Event::NodeSet(node("")));
        bench
    }

    /// Replaces the plugins by instances with these names and this generation, which determine their ids.
    pub fn swap(&mut self, generation: u32, names: &[&str]) -> Vec<String> {
        let plugin = |letter: &&str| {
            let id = PluginId(generation * 4 + u32::from(letter.as_bytes()[0] - b'A'));
            let declaration = Declaration {
                name: (*letter).into(),
                points: ExtensionPoints::all(),
                pod: PodFacts::NAME.into(),
                node: NodeFacts::LABELS.into(),
                filter_scope: Scope::Cluster,
                objects: vec![claims()],
                pending_pods: self.pending_pods.filter(|_| *letter == "B").map(Into::into),
                ..Declaration::default()
            };
            ProfilePlugin { id, declaration: Arc::new(declaration), failure_policy: Default::default() }
        };
        let all: Vec<ProfilePlugin> = names.iter().map(plugin).collect();
        let profile = Profile {
            pre_enqueue: all.clone(),
            filter: all.clone(),
            post_filter: all.clone(),
            reserve: all.clone(),
            permit: all.clone(),
            pre_bind: all.clone(),
            bind: all.clone(),
            post_bind: all,
            ..Profile::default()
        };
        self.step(Event::PluginsSwapped(vec![profile]))
    }

    /// Handles an event and runs all pending cycles. Returns the actions in a short form.
    pub fn step(&mut self, event: Event) -> Vec<String> {
        let mut actions = self.core.step(event, self.now, &mut self.plugins, &mut NoExtenders);
        while self.core.has_work() {
            actions.extend(self.core.step(Event::Cycle, self.now, &mut self.plugins, &mut NoExtenders));
        }
        actions.iter().filter_map(|action| self.shortened(action)).collect()
    }

    pub fn add(&mut self, name: &str) -> Vec<String> {
        self.step(Event::PodSet(Arc::new(pod(name))))
    }

    /// Reports that the last [`Action::ExecuteIntents`] is done.
    pub fn intents_executed(&mut self, name: &str) -> Vec<String> {
        self.step(Event::IntentsExecuted(pod(name).key, self.executed_step))
    }

    /// Advances the time.
    pub fn after(&mut self, millis: u64) -> Vec<String> {
        self.now = self.now.after(Duration::from_millis(millis));
        self.step(Event::Tick)
    }

    /// Returns the plugin calls since the last call of this function.
    pub fn calls(&mut self) -> Vec<String> {
        std::mem::take(&mut self.plugins.calls)
    }

    /// Returns whether nothing of the pod's reservation is left and the pod is in the queue.
    pub fn is_undone(&self, name: &str) -> bool {
        self.core.in_flight() == 0
            && self.core.cache().pod_by_uid(name).is_none()
            && self.core.cache().objects().are_as_the_server_has_them()
            && self.core.queue().get(name).is_some()
    }

    fn shortened(&mut self, action: &Action) -> Option<String> {
        Some(match action {
            Action::Bind { pod, .. } => format!("bind {}", pod.name),
            Action::ExecuteIntents { pod, step, intents } => {
                self.executed_step = *step;
                format!("execute {} for {}", intents.len(), pod.name)
            }
            Action::CancelIntents { pod, step, undo } => {
                let undo = if undo.is_empty() { String::new() } else { format!(", undo {}", undo.len()) };
                format!("cancel {} for {}{undo}", step - self.executed_step, pod.name)
            }
            Action::Change(intents) => format!("change {}", intents.len()),
            Action::Emit(event) => format!("{}: {}", event.pod.name, event.note),
            Action::Nominate { pod, node } => format!("nominate {node:?} for {}", pod.name),
            Action::Warn { plugin, message } => format!("warn {plugin}: {message}"),
            Action::Evict { pod, .. } => format!("evict {}", pod.name),
            _ => return None,
        })
    }
}

pub(crate) fn node(label: &str) -> Arc<Node> {
    let labels = [("l", label.to_owned())].into_iter().collect();
    Arc::new(Node { name: "n".into(), uid: "n".into(), labels, ..Node::default() })
}

pub(crate) fn pod(name: &str) -> Pod {
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    Pod { key, spec: Arc::new(PodSpec::default()), ..Pod::default() }
}

/// The kind that all plugins read.
pub(crate) fn claims() -> ObjectReads {
    let kind = ObjectKind { api_version: "v1".into(), kind: "Claim".into() };
    ObjectReads { kind: Arc::new(kind), ..ObjectReads::default() }
}

pub(crate) fn claim(fields: &str) -> Arc<Object> {
    let key = ObjectKey { kind: claims().kind, namespace: "ns".into(), name: "c".into() };
    Arc::new(Object { key, uid: "c".into(), fields: fields.into() })
}

pub(crate) fn assume(fields: &str) -> Answer {
    Answer::Wants(vec![Intent::Assume(claim(fields))])
}

pub(crate) fn patches(number: usize) -> Answer {
    Answer::Wants(vec![Intent::Patch(Patch::default()); number])
}

/// Returns a plan that evicts all pods of lower priority from the first node where this helps.
pub(crate) fn evict_lower(
    plugins: &mut dyn Plugins,
    cycle: &Cycle<'_>,
    nodes: &[NodeId],
    ask: &mut dyn AskBack,
) -> Result<Option<PreemptionPlan>, PluginError> {
    for node in nodes {
        let pods = cycle.cache.node(*node).map(|info| info.pods.clone()).unwrap_or_default();
        let evict: Vec<PodId> = pods.into_iter().filter(|pod| is_lower(cycle, *pod)).collect();
        let case = WhatIf { node: *node, removed: evict.clone(), added: Vec::new() };
        if !evict.is_empty() && ask.what_if(plugins, &[case])?.nodes == [0] {
            return Ok(Some(PreemptionPlan { node: *node, evict, ..PreemptionPlan::default() }));
        }
    }
    Ok(None)
}

/// Returns whether the pod has a lower priority than the pod of the cycle.
pub(crate) fn is_lower(cycle: &Cycle<'_>, pod: PodId) -> bool {
    cycle.cache.pod(pod).is_some_and(|known| known.pod.spec.priority < cycle.pod.spec.priority)
}
