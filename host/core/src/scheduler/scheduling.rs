//! One scheduling attempt up to the choice of a node, and the reports after a failed attempt.

use std::sync::Arc;

use super::recording::Ending;
use super::step::Step;
use super::{Attempt, Core, Outcome};
use crate::action::{Action, PodEvent};
use crate::cycle::CycleRecord;
use crate::cycle::{Failure, Lookups, NominationChange, PostFilterOutcome, SchedulingCycle};
use crate::decision::{Preemption, Rare};
use crate::extenders::Extenders;
use crate::model::Pod;
use crate::plugins::Plugins;
use crate::queue::{QueuedPod, Rejection, UnscheduledReason};
use crate::time::Timestamp;

/// A `verify_every` above 1 is multiplied by the number of nodes divided by this number, rounded down, at least 1.
const NODES_CHECKED: u64 = 1000;

impl Core {
    pub(super) fn cycle(&mut self, step: &mut Step<'_>) {
        let Some(mut entry) = self.queue.pop() else { return };
        let Some(at) = self.profile_index(&entry.pod) else {
            // The profile was removed while the pod waited. A later exchange of plugins may add the profile again.
            self.queue.end_ticket(&mut entry);
            self.cache.remove_pending_pod(&entry.pod.key.uid);
            self.unclaimed.insert(entry.pod.key.uid.clone(), entry.pod);
            return;
        };
        self.cycles += 1;
        let warned = self.results.distrusted.len();
        let mut rng = self.rng.fork();
        let pod = self.nominations.with_nomination(&entry.pod);
        let recording = self.start_recording(at);
        let mut cycle = self.scheduling_cycle(&pod, at, step.now, step.plugins, step.extenders);
        cycle.recording = recording;
        let chosen = cycle.schedule(&mut rng);
        let record = cycle.recording.take().map(|recording| recording.record);
        self.next_start = cycle.next_start;
        for distrusted in &self.results.distrusted[warned..] {
            let (plugin, message) = (Arc::clone(&distrusted.name), distrusted.what.clone());
            step.actions.push(Action::Warn { plugin, message });
        }
        match chosen {
            Ok(node) => self.reserve(entry, node, record, step),
            Err(failure) => self.not_scheduled(entry, failure, record, step),
        }
        if self.cycles.is_multiple_of(256) {
            self.results.evict(self.cache.node_count());
        }
    }

    /// Returns the index in `profiles` of the profile that schedules the pod.
    pub(super) fn profile_index(&self, pod: &Pod) -> Option<usize> {
        self.profiles.iter().position(|profile| profile.scheduler_name == pod.spec.scheduler_name)
    }

    /// Returns a scheduling cycle with the current cycle number and the profile at the index `profile`.
    pub(super) fn scheduling_cycle<'a>(
        &'a mut self,
        pod: &'a Arc<Pod>,
        profile: usize,
        now: Timestamp,
        plugins: &'a mut dyn Plugins,
        extenders: &'a mut dyn Extenders,
    ) -> SchedulingCycle<'a> {
        let verify = self.verifies();
        SchedulingCycle {
            number: self.cycles,
            time: now,
            seed: self.options.seed,
            pod,
            profile: &self.profiles[profile],
            cache: &self.cache,
            nominations: &self.nominations,
            results: &mut self.results,
            plugins,
            extenders,
            next_start: self.next_start,
            verify,
            may_preempt: !self.evictions.are_underway_for(&pod.key.uid),
            observer: None,
            lookups: Lookups::default(),
            recording: None,
        }
    }

    /// Returns whether this cycle compares cached results with fresh results. A comparison asks plugins about every
    /// node. A large cluster therefore compares less often, which keeps the average cost per pod the same.
    fn verifies(&self) -> bool {
        let every = match self.options.verify_every {
            0 => return false,
            1 => 1,
            every => every.saturating_mul((self.cache.node_count() as u64 / NODES_CHECKED).max(1)),
        };
        self.cycles.is_multiple_of(every)
    }

    fn not_scheduled(&mut self, entry: QueuedPod, failure: Failure, record: Option<CycleRecord>, step: &mut Step<'_>) {
        let message = cut(failure.to_string());
        let mut preemption = None;
        let rejection = match failure {
            Failure::Plugin(ref error) | Failure::PostFilter(ref error) => {
                // The nomination of an earlier attempt stays if a post-filter failed or a plugin is being filled. Any
                // other failure clears the nomination, as in kube-scheduler.
                let keeps = error.filling || matches!(failure, Failure::PostFilter(_));
                self.nominate(&entry, if keeps { NominationChange::Keep } else { NominationChange::Clear }, step);
                if error.filling {
                    return self.queue.add_failed(entry, Some(Arc::clone(&error.plugin)), step.now);
                }
                let plugin = error.down.then(|| Arc::clone(&error.plugin));
                self.ends_without_node(&entry, Outcome::Error, record, &message, None, step.now);
                return self.failed(entry, plugin, message, step);
            }
            Failure::Extender(_) => {
                self.nominate(&entry, NominationChange::Clear, step);
                self.ends_without_node(&entry, Outcome::Error, record, &message, None, step.now);
                return self.failed(entry, None, message, step);
            }
            Failure::NoNodes => {
                self.nominate(&entry, NominationChange::Clear, step);
                Rejection::default()
            }
            Failure::Unschedulable(diagnosis, outcome) => {
                let PostFilterOutcome { nomination, intents, pods } = *outcome;
                preemption = record.is_some().then(|| self.recorded_preemption(&nomination)).flatten();
                self.nominate(&entry, nomination, step);
                step.change(intents);
                pods.into_iter().for_each(|(plugin, pods)| step.pod_actions.add(&plugin, &entry.pod, pods));
                diagnosis.rejection().clone()
            }
        };
        self.ends_without_node(&entry, Outcome::Unschedulable, record, &message, preemption, step.now);
        let mut entry = report(entry, UnscheduledReason::Unschedulable, message, &mut step.actions);
        if self.evictions.are_underway_for(&entry.pod.key.uid) {
            // The pod awaits evictions: it waits until each of its victims is being deleted or could not be evicted. No
            // event moves the pod before, not even an event about another node.
            self.queue.await_evictions(entry, rejection, step.now);
        } else {
            entry.awaits_victims = self.awaits_victims(&entry.pod.key.uid);
            self.queue.add_unschedulable(entry, rejection, step.now);
        }
    }

    /// Ends an attempt whose cycle chose no node, for metrics and the decision record.
    fn ends_without_node(
        &mut self,
        entry: &QueuedPod,
        outcome: Outcome,
        record: Option<CycleRecord>,
        message: &Arc<str>,
        preemption: Option<Preemption>,
        now: Timestamp,
    ) {
        self.ended.push(attempt(entry, outcome, now));
        let Some(record) = record else { return };
        let ending = Ending { entry, began: now, cycle: self.cycles, record, node: "", was_nominated: false, outcome };
        let rare = Rare { message: Some(Arc::clone(message)), preemption, ..Rare::default() };
        self.record(ending, false, Some(rare), now);
    }

    /// Reports an attempt that failed without a verdict. The pod is tried again after a backoff, or when `plugin`,
    /// which is down, works again.
    pub(super) fn failed(
        &mut self,
        entry: QueuedPod,
        plugin: Option<Arc<str>>,
        message: Arc<str>,
        step: &mut Step<'_>,
    ) {
        let entry = report(entry, UnscheduledReason::SchedulerError, message, &mut step.actions);
        self.queue.add_failed(entry, plugin, step.now);
    }
}

pub(super) fn attempt(entry: &QueuedPod, outcome: Outcome, began: Timestamp) -> Attempt {
    let (number, first_seen) = (entry.attempts, entry.first_seen);
    Attempt { pod: Arc::clone(&entry.pod), outcome, number, first_seen, began }
}

/// The largest size of a condition's message in bytes. Each pending pod has a message, which can hold as many
/// different reasons as there are nodes.
const MESSAGE: usize = 8 << 10;

/// The ending of a truncated message.
const CUT: &str = " ...";

/// Returns the message, truncated to [`MESSAGE`] bytes.
pub(super) fn cut(mut message: String) -> Arc<str> {
    if message.len() > MESSAGE {
        message.truncate(message.floor_char_boundary(MESSAGE - CUT.len()));
        message.push_str(CUT);
    }
    message.into()
}

/// Reports why the pod is not scheduled: always as an event, and as the condition PodScheduled if the reason or message
/// changed.
pub(super) fn report(
    mut entry: QueuedPod,
    reason: UnscheduledReason,
    message: Arc<str>,
    actions: &mut Vec<Action>,
) -> QueuedPod {
    actions.push(Action::Emit(PodEvent {
        pod: entry.pod.key.clone(),
        scheduler_name: entry.pod.spec.scheduler_name.clone(),
        kind: "Warning",
        reason: "FailedScheduling",
        action: "Scheduling",
        note: Arc::clone(&message),
    }));
    let reported = Some((reason, Arc::clone(&message)));
    if entry.reported != reported {
        actions.push(Action::SetUnscheduled { pod: entry.pod.key.clone(), reason: reason.name(), message });
        entry.reported = reported;
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut() {
        for (message, ending) in [("x".repeat(MESSAGE), "xxx"), ("xä".repeat(MESSAGE), "xäx ...")] {
            let cut = cut(message);
            assert!(cut.len() <= MESSAGE && cut.len() > MESSAGE - 3, "{}", cut.len());
            assert!(cut.ends_with(ending), "{}", &cut[MESSAGE - 20..]);
        }
    }
}
