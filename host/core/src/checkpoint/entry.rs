//! The state of a pod in the queue.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::RestoreError;
use super::plugins::RejectorState;
use super::shared::{Reading, Writing};
use crate::facts::PodFacts;
use crate::queue::in_flight::Ticket;
use crate::queue::stays::Stays;
use crate::queue::{QueuedPod, Rejection, SortKey, UnscheduledReason};
use crate::time::Timestamp;

/// A [`QueuedPod`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntryState {
    /// The index in the list of pods.
    pod: u32,
    attempts: u32,
    first_seen: Timestamp,
    queued: Timestamp,
    rejections: u32,
    errors: u32,
    rejection: Vec<RejectorState>,
    gate: Option<RejectorState>,
    failed_plugin: Option<Arc<str>>,
    reported: Option<(UnscheduledReason, Arc<str>)>,
    changed: PodFacts,
    admitted: bool,
    sort_key: Option<SortKey>,
    ticket: Option<Ticket>,
    activated: bool,
    stays: Stays,
    awaits_victims: bool,
}

impl EntryState {
    pub fn of(entry: &QueuedPod, writing: &mut Writing) -> Self {
        // Every field is named, so that a new field can't be forgotten.
        let QueuedPod {
            pod,
            attempts,
            first_seen,
            queued,
            rejections,
            errors,
            rejection,
            gate,
            failed_plugin,
            reported,
            changed,
            admitted,
            sort_key,
            ticket,
            activated,
            stays,
            awaits_victims,
        } = entry;
        let plugins = &mut writing.plugins;
        Self {
            pod: writing.pods.index(pod),
            attempts: *attempts,
            first_seen: *first_seen,
            queued: *queued,
            rejections: *rejections,
            errors: *errors,
            rejection: rejection.by.iter().map(|by| plugins.rejector(by)).collect(),
            gate: gate.as_ref().map(|by| plugins.rejector(by)),
            failed_plugin: failed_plugin.clone(),
            reported: reported.clone(),
            changed: *changed,
            admitted: *admitted,
            sort_key: sort_key.clone(),
            ticket: ticket.clone(),
            activated: *activated,
            stays: stays.clone(),
            awaits_victims: *awaits_victims,
        }
    }

    /// Returns the index of the pod in the list of pods.
    pub fn pod(&self) -> u32 {
        self.pod
    }

    pub fn restore(self, reading: &Reading) -> Result<QueuedPod, RestoreError> {
        let by: Result<_, _> = self.rejection.iter().map(|by| reading.plugins.rejector(by)).collect();
        Ok(QueuedPod {
            pod: reading.pods.get(self.pod)?,
            attempts: self.attempts,
            first_seen: self.first_seen,
            queued: self.queued,
            rejections: self.rejections,
            errors: self.errors,
            rejection: Rejection { by: by? },
            gate: self.gate.map(|by| reading.plugins.rejector(&by)).transpose()?,
            failed_plugin: self.failed_plugin,
            reported: self.reported,
            changed: self.changed,
            admitted: self.admitted,
            sort_key: self.sort_key,
            ticket: self.ticket,
            activated: self.activated,
            stays: self.stays,
            awaits_victims: self.awaits_victims,
        })
    }
}
