//! Reads the steps of a capture in the order of the changes.
//!
//! A capture from outside has the events in the order in which the watches of several kinds reported them. The changes
//! happened in the order of their resourceVersions. Two captures of one cluster therefore give the same order.

use std::collections::BTreeMap;
use std::io::Read;

use berth_capture::record::{EndRecord, Source};
use berth_capture::{CaptureError, CaptureReader, Header, RecordedCheckpoint, Step, StepEvent};
use berth_core::Timestamp;

/// How long after a later change a change may be reported and still gets its place before that change, in milliseconds.
/// Bounds the number of steps in memory.
const PATIENCE: u64 = 60_000;

/// Reads the steps of a capture.
pub(crate) struct Steps<R: Read> {
    reader: CaptureReader<R>,
    /// Orders the steps; `None` if the capture has no numbers of changes.
    order: Option<Order>,
}

impl<R: Read> Steps<R> {
    pub fn new(reader: CaptureReader<R>) -> Self {
        let order = (reader.header().source == Source::Cluster).then(Order::default);
        Self { reader, order }
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        self.reader.header()
    }

    /// As [`CaptureReader::checkpoint`].
    pub fn checkpoint(&mut self) -> Result<Option<RecordedCheckpoint>, CaptureError> {
        self.reader.checkpoint()
    }

    /// As [`CaptureReader::next_step`], in the order of the changes.
    pub fn next_step(&mut self) -> Result<Option<Step>, CaptureError> {
        let Some(order) = &mut self.order else { return self.reader.next_step() };
        loop {
            if let Some(step) = order.take() {
                return Ok(Some(step));
            }
            match self.reader.next_step() {
                Ok(Some(step)) => order.add(step),
                end if order.end() => return end,
                _ => {}
            }
        }
    }

    /// As [`CaptureReader::end`].
    pub fn end(&self) -> Option<EndRecord> {
        self.reader.end()
    }
}

/// Steps that wait for earlier changes.
#[derive(Default)]
struct Order {
    /// The steps, by the number of the change and then of the step.
    steps: BTreeMap<(u64, u64), Step>,
    /// The times of the steps, by the number of the step.
    times: BTreeMap<u64, Timestamp>,
    /// The number of the next step.
    next: u64,
    /// The time of the step that was added last.
    latest: Timestamp,
    /// The highest number of a change so far.
    highest: u64,
    /// The first plugins serve. The changes before are the beginning, and need no order.
    begun: bool,
    /// No step comes any more.
    ended: bool,
}

impl Order {
    fn add(&mut self, step: Step) {
        self.latest = step.at;
        // What is no change of an object comes after all changes that were reported before it.
        let change = if self.begun { step.version.map_or(self.highest, u64::from) } else { 0 };
        self.begun |= matches!(step.event, StepEvent::Policy(_));
        self.highest = self.highest.max(change);
        self.times.insert(self.next, step.at);
        self.steps.insert((change, self.next), step);
        self.next += 1;
    }

    /// Returns the next step, if no earlier change is to be expected. Its time is at most that of each later change.
    fn take(&mut self) -> Option<Step> {
        let (_, &earliest) = self.times.first_key_value()?;
        if self.begun && !self.ended && self.latest.0.saturating_sub(earliest.0) <= PATIENCE {
            return None;
        }
        let ((_, number), step) = self.steps.pop_first()?;
        self.times.remove(&number);
        Some(Step { at: earliest, ..step })
    }

    /// Notes that no step comes any more. Returns whether none waits.
    fn end(&mut self) -> bool {
        self.ended = true;
        self.steps.is_empty()
    }
}

#[cfg(test)]
#[path = "steps_test.rs"]
mod tests;
