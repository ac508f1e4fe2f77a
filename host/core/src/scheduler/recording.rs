//! Writes the decision record at the end of each attempt.

use std::sync::Arc;

use super::Core;
use crate::attempt::Outcome;
use crate::cycle::{CycleRecord, Diagnosis, NominationChange, Recording};
use crate::decision::{Common, Decisions, EndedAttempt, Policy, Preemption, Rare, Rejected, Victim};
use crate::profile::Profile;
use crate::queue::QueuedPod;
use crate::time::Timestamp;

/// A scheduling attempt that ends, before its pod is queued again.
pub(crate) struct Ending<'a> {
    pub entry: &'a QueuedPod,
    /// When the cycle began.
    pub began: Timestamp,
    /// The number of the cycle.
    pub cycle: u64,
    /// What the cycle recorded.
    pub record: CycleRecord,
    /// The name of the chosen node, or empty.
    pub node: &'a str,
    /// The chosen node was the nominated node.
    pub was_nominated: bool,
    pub outcome: Outcome,
}

impl Core {
    /// Returns the records of the attempts that have ended.
    #[must_use]
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions { log: &self.decisions, names: self.queue.incoming() }
    }

    /// Returns an empty recording for a cycle of the profile with this index, or `None` if nothing is recorded.
    pub(super) fn start_recording(&self, profile: usize) -> Option<Recording> {
        self.decisions.is_enabled().then(|| Recording::new(Arc::clone(&self.policies[profile])))
    }

    /// Records the end of an attempt. `rare` has the fields that only few records have.
    pub(super) fn record(&mut self, ending: Ending<'_>, bound_by_server: bool, rare: Option<Rare>, now: Timestamp) {
        let Ending { entry, record, .. } = ending;
        let (moved_by, millis) = entry.stays();
        let mut rare = rare.map(Box::new);
        if entry.is_held() {
            rare.get_or_insert_default().held_by = entry.held_by();
        }
        let common = Common {
            attempt: entry.attempts,
            cycle: ending.cycle,
            began: ending.began,
            ended: now,
            outcome: ending.outcome,
            first_seen: entry.first_seen,
            moved_by,
            millis,
            score: record.score,
            ties: record.ties,
            margin: record.margin,
            was_nominated: ending.was_nominated,
            bound_by_server,
        };
        self.decisions.add(EndedAttempt {
            key: &entry.pod.key,
            node: ending.node,
            common,
            policy: record.policy,
            details: record.details,
            rare,
        });
    }

    /// Returns the preemption of this change of a nomination, for the record.
    pub(super) fn recorded_preemption(&self, nomination: &NominationChange) -> Option<Preemption> {
        let NominationChange::Set(plan) = nomination else { return None };
        let victim = |id| {
            let key = &self.cache.pod(id)?.pod.key;
            Some(Victim { namespace: key.namespace.clone(), name: key.name.clone(), uid: key.uid.clone() })
        };
        let node = self.cache.node_name(plan.node).into();
        Some(Preemption { node, victims: plan.evict.iter().copied().filter_map(victim).collect() })
    }

    /// Returns the policies of these profiles.
    pub(crate) fn policies_of(&self, profiles: &[Profile]) -> Vec<Arc<Policy>> {
        let policy = |profile: &Profile| Policy {
            scheduler_name: profile.scheduler_name.clone(),
            revision: Arc::clone(&profile.revision),
            seed: self.options.seed,
            plugins: profile.components.clone(),
        };
        profiles.iter().map(|profile| Arc::new(policy(profile))).collect()
    }
}

/// Returns the rejection of a chosen node for the record.
pub(super) fn rejected(diagnosis: &Diagnosis) -> Rejected {
    let by = diagnosis.rejection().by.first();
    let plugin = by.map(|by| Arc::clone(&by.declaration.name)).unwrap_or_default();
    Rejected { plugin, reasons: diagnosis.reasons().map(Arc::clone).collect() }
}
