//! Schedules pods on a sandbox with the scheduler's own core, so that later pods see the pods before them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use berth_core::model::{Pod, PodKey};
use berth_core::{Action, Event};

use super::WhatIfError;
use super::answer::PodState;
use super::control::Control;
use crate::sandbox::Sandbox;

/// The number of attempts that all pods together may need, for each pod. A pod gets a further attempt if a pod that was
/// placed later can help. The limit ends a loop of plugins that move pods back and forth.
const ATTEMPTS_PER_POD: usize = 50;

/// What became of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub state: PodState,
    /// The node of a placed pod, or the reserved node.
    pub node: Option<Box<str>>,
    /// The message of the last failed attempt.
    pub message: Option<Arc<str>>,
    /// The preempted pods.
    pub victims: Vec<PodKey>,
}

/// Schedules pods and keeps what becomes of them.
pub(super) struct Placement<'s> {
    pub sandbox: &'s mut Sandbox,
    preempt: bool,
    outcomes: BTreeMap<Box<str>, Outcome>,
    attempts_left: usize,
    /// The number of pods that are not placed and have had an attempt.
    failed: usize,
    /// The largest value of `failed` so far.
    pub peak_failed: usize,
    /// Warnings about plugins, each once.
    pub warnings: Vec<String>,
}

impl<'s> Placement<'s> {
    /// Creates a placement on a sandbox. Without `preempt`, every eviction fails.
    pub fn new(sandbox: &'s mut Sandbox, preempt: bool) -> Self {
        let (outcomes, warnings) = (BTreeMap::new(), Vec::new());
        Self { sandbox, preempt, outcomes, attempts_left: 0, failed: 0, peak_failed: 0, warnings }
    }

    /// Adds pods without a node and schedules until no attempt can succeed any more. `most_failed` ends the placement
    /// early when more than this many pods had a failed attempt.
    ///
    /// # Errors
    /// The control ends the work.
    pub fn place(
        &mut self,
        pods: &[Arc<Pod>],
        most_failed: Option<usize>,
        control: &mut Control<'_>,
    ) -> Result<(), WhatIfError> {
        for pod in pods {
            self.outcomes.insert(pod.key.uid.clone(), Outcome::default());
            let actions = self.sandbox.step(Event::PodSet(Arc::clone(pod)));
            self.perform(actions);
        }
        self.attempts_left = pods.len().saturating_mul(ATTEMPTS_PER_POD);
        while self.sandbox.core().has_work() && self.attempts_left > 0 {
            control.attempt()?;
            self.attempts_left -= 1;
            let actions = self.sandbox.step(Event::Cycle);
            self.perform(actions);
            if most_failed.is_some_and(|most| self.failed > most) {
                break;
            }
        }
        Ok(())
    }

    /// Returns what became of a pod that was placed. A pod without an attempt is gated, or of another scheduler.
    pub fn outcome(&self, pod: &Pod) -> Outcome {
        let mut outcome = self.outcomes.get(&pod.key.uid).cloned().unwrap_or_default();
        if self.sandbox.profile_of(pod).is_none() {
            outcome.state = PodState::AnotherScheduler;
        } else if outcome.state == PodState::Pending
            && let Some(cached) = self.sandbox.core().cache().pod_by_uid(&pod.key.uid)
        {
            outcome.state = PodState::WaitsForPermission;
            outcome.node = Some(cached.pod.node_name.clone());
        }
        outcome
    }

    /// Returns whether the pod is placed.
    pub fn is_placed(&self, uid: &str) -> bool {
        self.outcomes.get(uid).is_some_and(|outcome| outcome.state == PodState::Placed)
    }

    /// Removes a pod from the cluster.
    pub fn remove(&mut self, key: &PodKey) {
        let actions = self.sandbox.step(Event::PodRemoved(key.clone()));
        self.outcomes.remove(&key.uid);
        self.perform(actions);
    }

    /// Answers the core's actions as a cluster would in which every request succeeds.
    fn perform(&mut self, actions: Vec<Action>) {
        let mut actions = VecDeque::from(actions);
        // A pod's nomination comes with the evictions for the pod.
        let mut preemptor: Option<PodKey> = None;
        while let Some(action) = actions.pop_front() {
            match action {
                Action::Bind { pod, .. } | Action::BindByExtender { pod, .. } => {
                    actions.extend(self.sandbox.step(Event::Bound(pod)));
                }
                Action::ExecuteIntents { pod, step, .. } => {
                    actions.extend(self.sandbox.step(Event::IntentsExecuted(pod, step)));
                }
                Action::Emit(event) if event.reason == "Scheduled" => actions.extend(self.bound(&event.pod)),
                Action::SetUnscheduled { pod, reason, message } => self.not_placed(&pod, reason, message),
                Action::Nominate { pod, node } if !node.is_empty() => preemptor = Some(pod),
                Action::Evict { pod, .. } if !self.preempt => {
                    actions.extend(self.sandbox.step(Event::EvictionFailed(pod)));
                }
                Action::Evict { pod, .. } => {
                    if let Some(outcome) = preemptor.as_ref().and_then(|key| self.outcomes.get_mut(&key.uid)) {
                        outcome.victims.push(pod.clone());
                    }
                    actions.extend(self.sandbox.step(Event::PodRemoved(pod)));
                }
                Action::Warn { plugin, message } => {
                    let warning = format!("Plugin {plugin} {message}.");
                    if !self.warnings.contains(&warning) {
                        self.warnings.push(warning);
                    }
                }
                // Events and conditions have no influence. Changes of other objects are not made: the plugins see the
                // objects that they assumed.
                _ => {}
            }
        }
    }

    /// Confirms the node of a bound pod, as the informer would.
    fn bound(&mut self, key: &PodKey) -> Vec<Action> {
        let Some(pod) = self.sandbox.core().cache().pod_by_uid(&key.uid).map(|cached| Arc::clone(&cached.pod)) else {
            return Vec::new();
        };
        if let Some(outcome) = self.outcomes.get_mut(&key.uid) {
            self.failed -= usize::from(outcome.message.is_some());
            outcome.state = PodState::Placed;
            outcome.node = Some(pod.node_name.clone());
            outcome.message = None;
        }
        self.sandbox.step(Event::PodSet(pod))
    }

    fn not_placed(&mut self, key: &PodKey, reason: &str, message: Arc<str>) {
        let Some(outcome) = self.outcomes.get_mut(&key.uid) else { return };
        self.failed += usize::from(outcome.message.is_none());
        self.peak_failed = self.peak_failed.max(self.failed);
        let is_error = reason != "Unschedulable";
        outcome.state = if is_error { PodState::Failed } else { PodState::Pending };
        outcome.message = Some(message);
    }
}
