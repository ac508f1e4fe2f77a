//! Repeats the scheduling cycle of an attempt with one of the builds, and notes what the build answers after the choice of
//! nodes: at post-filter, reserve, permit, pre-bind, bind and unreserve.

use std::sync::Arc;
use std::time::{Duration, Instant};

use berth_capture::ReplayedExtenders;
use berth_conformance::Answer;
use berth_core::cache::Cache;
use berth_core::checkpoint::Checkpoint;
use berth_core::model::ObjectReads;
use berth_core::plugins::{PluginError, PostFilterResult, Undone};
use berth_core::{Action, Core, Event};
use berth_engine::Engine;
use berth_plugin_host::examine::thread_cpu_time;
use berth_plugin_host::{AssembleError, CallObserver, ComponentSet, Export, Guests, PluginAnswer, PluginCall};
use tracing::Dispatch;

use super::asked::Call;
use super::attempt::RecordedAttempt;
use super::error::CallsError;
use super::log::Log;
use crate::error::ReplayError;

/// An answer of the build that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub export: Export,
    /// The answer; `None` if the call failed.
    answer: Option<Answer>,
    pub text: String,
}

/// A repeated scheduling cycle.
#[derive(Debug, Default)]
pub(super) struct RepeatedCycle {
    /// The answers of the build, in the order of the calls.
    pub said: Vec<Said>,
    /// The calls with their CPU times. A call of post-filter has its whole time, because it waits for other plugins.
    pub calls: Vec<Call>,
    /// The node that the cycle chose.
    pub node: Option<String>,
    /// Why the cycle chose no node, with the pods that it evicts.
    pub message: Option<String>,
}

impl RepeatedCycle {
    /// Returns the cycle with a build that the scheduler does not take into service.
    pub fn refused(refusal: &AssembleError) -> Self {
        let text = refusal.to_string();
        let said = vec![Said { export: Export::Start, answer: None, text: text.clone() }];
        Self { said, message: Some(text), ..Self::default() }
    }
}

/// Repeats the cycle of an attempt with these components. Notes the calls of this plugin, and collects their log lines.
///
/// # Errors
/// The plugins can't serve.
pub(super) fn repeat(
    attempt: &RecordedAttempt,
    checkpoint: Checkpoint,
    components: &ComponentSet,
    plugin: &str,
    log: &Log,
) -> Result<RepeatedCycle, CallsError> {
    let mut guests = Guests::new(Arc::clone(components.limits()), Arc::new(|_| true)).map_err(ReplayError::from)?;
    let cache = checkpoint.cache().map_err(ReplayError::from)?;
    let mut cluster = |_: &[ObjectReads]| cache.frozen(cache.log().end());
    let prepared = components.filled(attempt.specs.clone(), &mut cluster).map_err(ReplayError::from)?;
    let profiles = guests.swap(prepared, &cache).ok_or(ReplayError::NotFilled)?;
    let core = Core::restore(attempt.options, checkpoint, profiles).map_err(ReplayError::from)?;
    let mut engine = Engine::restored(core, guests);
    engine.repeat_failures(attempt.other_failed_calls.clone());
    let mut extenders = ReplayedExtenders::new(attempt.extenders.clone());
    extenders.set_answers(attempt.extender_answers.clone());
    let uid = &attempt.pod.key.uid;
    let mut noting = Noting { plugin, uid, log, cycle: RepeatedCycle::default() };
    // Lines that are not about a noted call are of no use.
    let _silent = tracing::dispatcher::set_default(&Dispatch::none());
    let mut actions = engine.step(Event::Cycle, attempt.at, &mut extenders, &mut noting);
    // The changes that pre-bind asks for count as made, so that bind is called.
    while let Some(event) = executed(&actions, uid) {
        actions.extend(engine.step(event, attempt.at, &mut extenders, &mut noting));
    }
    let assumed = engine.core().cache().pod_by_uid(uid).map(|cached| cached.pod.node_name.to_string());
    let message = if assumed.is_none() { Some(message(&actions, uid)) } else { None };
    Ok(RepeatedCycle { node: assumed, message, ..noting.cycle })
}

/// Returns the success of the last action, if that executes intents for the pod.
fn executed(actions: &[Action], uid: &str) -> Option<Event> {
    match actions.last() {
        Some(Action::ExecuteIntents { pod, step, .. }) if *pod.uid == *uid => {
            Some(Event::IntentsExecuted(pod.clone(), *step))
        }
        _ => None,
    }
}

/// Returns what the actions say about a pod without a node.
fn message(actions: &[Action], uid: &str) -> String {
    let mut parts = Vec::new();
    for action in actions {
        match action {
            Action::Nominate { pod, node } if *pod.uid == *uid && !node.is_empty() => {
                parts.push(format!("nominated to node {node}"));
            }
            Action::Evict { pod, .. } => parts.push(format!("evicts {pod}")),
            Action::SetUnscheduled { pod, message, .. } if *pod.uid == *uid => parts.push(message.to_string()),
            _ => {}
        }
    }
    parts.join("; ")
}

/// Notes the calls of one plugin about one pod.
struct Noting<'a> {
    plugin: &'a str,
    uid: &'a str,
    log: &'a Log,
    cycle: RepeatedCycle,
}

/// The start of a call. Log lines are collected until it is dropped.
struct Started {
    at: Instant,
    cpu: Duration,
    _collecting: Option<tracing::dispatcher::DefaultGuard>,
}

impl CallObserver for Noting<'_> {
    type Started = Started;

    fn started(&mut self, call: &PluginCall<'_>) -> Started {
        // The lines of other plugins are left out by their names.
        let collects = *call.cycle.pod.key.uid == *self.uid && is_noted(call.export);
        let _collecting = collects.then(|| self.log.begin());
        Started { at: Instant::now(), cpu: thread_cpu_time(), _collecting }
    }

    fn ended(
        &mut self,
        guests: &Guests,
        call: &PluginCall<'_>,
        started: Started,
        answer: Result<PluginAnswer<'_>, &PluginError>,
    ) {
        let PluginCall { plugin, export, cycle } = *call;
        let is_asked = guests.name(plugin).is_some_and(|name| *name == *self.plugin);
        if !is_asked || *cycle.pod.key.uid != *self.uid || !is_noted(export) {
            return;
        }
        let time = match export {
            Export::PostFilter => started.at.elapsed(),
            _ => thread_cpu_time().saturating_sub(started.cpu),
        };
        self.cycle.calls.push((export, None, time));
        let (answer, text) = match answer {
            Ok(answer) => {
                let Some(answer) = owned(answer) else { return };
                let text = text(&answer, cycle.cache);
                (Some(answer), text)
            }
            Err(error) => (None, error.message.clone()),
        };
        self.cycle.said.push(Said { export, answer, text });
    }
}

/// Returns whether the function is called after the choice of nodes, and has an answer.
fn is_noted(export: Export) -> bool {
    matches!(
        export,
        Export::PostFilter | Export::Reserve | Export::Permit | Export::PreBind | Export::Bind | Export::Unreserve
    )
}

fn owned(answer: PluginAnswer<'_>) -> Option<Answer> {
    Some(match answer {
        PluginAnswer::PostFilter(result) => Answer::PostFilter(result.clone()),
        PluginAnswer::Reserve(reserved) => Answer::Reserved(reserved.clone()),
        PluginAnswer::Permit(permission) => Answer::Permission(permission.clone()),
        PluginAnswer::PreBind(intents) => Answer::Intents(Some(intents.clone())),
        PluginAnswer::Bind(intents) => Answer::Intents(intents.clone()),
        PluginAnswer::Unreserve(intents) => Answer::Undone(Undone { intents: intents.to_vec(), ..Undone::default() }),
        _ => return None,
    })
}

/// Returns the text of an answer, with names instead of ids.
fn text(answer: &Answer, cache: &Cache) -> String {
    let Answer::PostFilter(PostFilterResult::Nominate(plan)) = answer else { return answer.to_string() };
    let node = cache.node(plan.node).map_or("", |info| &*info.node.name);
    let victims: Vec<String> =
        plan.evict.iter().filter_map(|id| cache.pod(*id)).map(|cached| cached.pod.key.to_string()).collect();
    let mut text = format!("nominate node {node}, evict [{}] ({})", victims.join(" "), plan.reason);
    if !plan.intents.is_empty() {
        text.push_str(&format!(", {:?}", plan.intents));
    }
    text
}
