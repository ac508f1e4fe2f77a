//! The state of the queue.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry::EntryState;
use super::error::{RestoreError, check};
use super::events::EventState;
use super::shared::{Reading, Writing};
use crate::queue::admission::AdmissionRequest;
use crate::queue::in_flight::InFlight;
use crate::queue::position::Position;
use crate::queue::{Cause, Incoming, Queue, QueueOptions, QueuedPod, SubQueue};
use crate::time::Timestamp;

/// A copy of a [`Queue`], without the indexes that follow from the positions of the pods.
#[derive(Clone, Debug)]
pub(super) struct QueueCopy {
    pods: Vec<(Position, QueuedPod)>,
    admissions: Vec<(Box<str>, AdmissionRequest)>,
    in_flight: InFlight,
    arrivals: u64,
    incoming: Incoming,
    now: Timestamp,
}

/// The state of a [`Queue`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueueState {
    /// Ordered by uid.
    pods: Vec<PositionedState>,
    admissions: Vec<(Box<str>, AdmissionRequest)>,
    in_flight: InFlightState,
    arrivals: u64,
    /// The names of cluster events by [`crate::queue::Label`].
    labels: Vec<String>,
    /// The counts of [`Incoming`].
    incoming: Vec<(SubQueue, Cause, u64)>,
    now: Timestamp,
}

/// A pod in the queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PositionedState {
    position: Position,
    entry: EntryState,
}

/// An [`InFlight`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InFlightState {
    /// The ids of the open tickets, each with the position of its first event.
    out: Vec<(u64, u64)>,
    tickets: u64,
    events: Vec<EventState>,
    start: u64,
}

impl QueueCopy {
    pub fn of(queue: &Queue) -> Self {
        // Every field is named, so that a new field can't be forgotten.
        let Queue {
            options: _,
            pods,
            order: _,
            admissions,
            waiters: _,
            in_flight,
            arrivals,
            waiting: _,
            incoming,
            now,
        } = queue;
        Self {
            pods: pods.values().cloned().collect(),
            admissions: admissions.clone(),
            in_flight: in_flight.clone(),
            arrivals: *arrivals,
            incoming: incoming.clone(),
            now: *now,
        }
    }
}

impl QueueState {
    pub fn of(mut queue: QueueCopy, writing: &mut Writing) -> Self {
        queue.pods.sort_unstable_by(|(_, one), (_, other)| one.pod.key.uid.cmp(&other.pod.key.uid));
        let pods = queue.pods.into_iter().map(|(position, entry)| {
            let entry = EntryState::of(&entry, writing);
            PositionedState { position, entry }
        });
        let InFlight { out, tickets, events, start } = queue.in_flight;
        Self {
            pods: pods.collect(),
            admissions: queue.admissions,
            in_flight: InFlightState {
                out: out.into_iter().collect(),
                tickets,
                events: EventState::all(events.iter().map(|event| &**event), writing),
                start,
            },
            arrivals: queue.arrivals,
            labels: queue.incoming.labels,
            incoming: queue.incoming.counts.into_iter().map(|((part, cause), count)| (part, cause, count)).collect(),
            now: queue.now,
        }
    }

    /// Returns the index of each pod in the list of pods.
    pub fn pending(&self) -> impl Iterator<Item = u32> {
        self.pods.iter().map(|positioned| positioned.entry.pod())
    }

    pub fn restore(self, options: QueueOptions, reading: &Reading) -> Result<Queue, RestoreError> {
        let mut queue = Queue::new(options);
        for PositionedState { position, entry } in self.pods {
            let entry = entry.restore(reading)?;
            if queue.get(&entry.pod.key.uid).is_some() {
                return Err(RestoreError::duplicate("the queued pod", &entry.pod.key.uid));
            }
            queue.put(position, entry);
        }
        let positions: usize = SubQueue::ALL.into_iter().map(|part| queue.len(part)).sum();
        check(queue.in_order().count() == positions, || "two queued pods have the same position".to_owned())?;
        let InFlightState { out, tickets, events, start } = self.in_flight;
        let events = EventState::restore_all(events, reading)?;
        let out: BTreeMap<u64, u64> = out.into_iter().collect();
        let end = start.checked_add(events.len() as u64);
        let are_valid = end.is_some_and(|end| out.values().all(|position| *position <= end));
        check(are_valid, || "a ticket begins after the last kept event".to_owned())?;
        let events = events.into_iter().map(Into::into).collect();
        queue.in_flight = InFlight { out, tickets, events, start };
        queue.admissions = self.admissions;
        queue.arrivals = self.arrivals;
        let counts = self.incoming.into_iter().map(|(part, cause, count)| ((part, cause), count)).collect();
        queue.incoming = Incoming { labels: self.labels, counts };
        queue.now = self.now;
        Ok(queue)
    }
}
