//! The last decisions of a capture, each with the cluster before it.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;

use berth_analysis::ClusterCopy;
use berth_analysis::preview::{PastDecision, PastPolicy};
use berth_capture::{CaptureError, CaptureReader, StepEvent};
use berth_core::attempt::Outcome;
use berth_core::decision::DecisionOptions;
use berth_core::{Core, Event, Timestamp};

use crate::error::ReplayError;
use crate::play::{Replay, ReplayOptions};

/// Returns the number of scheduling cycles in a file of a capture. A file that ends early counts as far as it goes.
///
/// # Errors
/// The file can't be read.
pub fn cycles<R: Read>(mut reader: CaptureReader<R>) -> Result<u64, CaptureError> {
    reader.checkpoint()?;
    let mut cycles = 0;
    loop {
        match reader.next_step() {
            Ok(Some(step)) => cycles += u64::from(matches!(step.event, StepEvent::Event(Event::Cycle))),
            Ok(None) | Err(CaptureError::Truncated(_)) => return Ok(cycles),
            Err(error) => return Err(error),
        }
    }
}

/// The last decisions of a capture.
pub struct LastDecisions {
    most: usize,
    kept: VecDeque<PastDecision>,
}

impl LastDecisions {
    /// Creates an empty list that keeps the last `most` decisions.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, kept: VecDeque::new() }
    }

    /// Returns the options of a replay whose decisions are noted.
    #[must_use]
    pub fn replay_options() -> ReplayOptions {
        // The record of a decision is read at once.
        ReplayOptions {
            decisions: DecisionOptions { bytes: 1 << 20, ..DecisionOptions::default() },
            ..ReplayOptions::default()
        }
    }

    /// Plays a file of the capture back, and notes its last decisions. `cycles` is the number of scheduling cycles in the
    /// file. A file that ends early is played back as far as it goes. Returns false if `go_on` did, before the end.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn play<R: Read>(
        &mut self,
        replay: &mut Replay<R>,
        cycles: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, ReplayError> {
        match self.play_to_the_end(replay, cycles, go_on) {
            Ok(played) => Ok(played),
            Err(error) => error.truncated().map(|_| true),
        }
    }

    fn play_to_the_end<R: Read>(
        &mut self,
        replay: &mut Replay<R>,
        cycles: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, ReplayError> {
        let mut left = cycles;
        let mut policy = policy(replay);
        while let Some(step) = replay.peek()? {
            if !go_on() {
                return Ok(false);
            }
            let at = step.at;
            let is_cycle = matches!(step.event, StepEvent::Event(Event::Cycle));
            let is_exchange = matches!(step.event, StepEvent::Policy(_));
            // A copy of the cluster takes time, so no decision that is dropped again gets one.
            let is_wanted = is_cycle && left <= self.most as u64;
            left = left.saturating_sub(u64::from(is_cycle));
            let decision = match &policy {
                Some(policy) if is_wanted => next_decision(replay.core(), at, policy),
                _ => None,
            };
            replay.step()?;
            if is_exchange {
                policy = self::policy(replay);
            }
            if let Some(decision) = decision {
                self.keep(decision, replay.core());
            }
        }
        Ok(true)
    }

    /// Returns the decisions, in the order of their times.
    #[must_use]
    pub fn into_decisions(self) -> Vec<PastDecision> {
        self.kept.into()
    }

    /// Keeps a decision, with its outcome in the core after the cycle. A cycle that failed decided nothing.
    fn keep(&mut self, mut decision: PastDecision, core: &Core) {
        let key = &decision.pod.key;
        let cycle = core.cycles();
        let record = core.decisions().of_pod(&key.namespace, &key.uid).find(|record| record.cycle == cycle);
        match record {
            Some(record) if record.chosen.is_none() && record.outcome == Outcome::Error => return,
            Some(record) => {
                decision.was_nominated = record.chosen.as_ref().is_some_and(|chosen| chosen.was_nominated);
                decision.node = record.chosen.map(|chosen| chosen.node);
            }
            // The record follows when the binding has ended.
            None => {
                let Some(assumed) = core.cache().pod_by_uid(&key.uid) else { return };
                decision.was_nominated = *decision.pod.nominated_node_name == *assumed.pod.node_name;
                decision.node = Some(assumed.pod.node_name.clone());
            }
        }
        self.kept.push_back(decision);
        if self.kept.len() > self.most {
            self.kept.pop_front();
        }
    }
}

/// Returns the policy that serves.
fn policy<R: Read>(replay: &Replay<R>) -> Option<Arc<PastPolicy>> {
    let (components, specs) = replay.serving()?;
    Some(Arc::new(PastPolicy { components: Arc::clone(components), specs: specs.to_vec() }))
}

/// Returns the decision that the next scheduling cycle makes, without its outcome.
fn next_decision(core: &Core, at: Timestamp, policy: &Arc<PastPolicy>) -> Option<PastDecision> {
    let (_, entry) = core.queue().in_order().next().filter(|_| core.has_work())?;
    Some(PastDecision {
        cluster: ClusterCopy::of(core),
        at,
        pod: core.nominations().with_nomination(&entry.pod),
        attempt: entry.attempts + 1,
        node: None,
        was_nominated: false,
        policy: Arc::clone(policy),
    })
}
