//! Writes a capture.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::sync::Arc;

use berth_core::checkpoint::Checkpoint;
use berth_core::plugins::FailedCall;
use berth_core::{Action, Event, Timestamp};
use serde_json::value::RawValue;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use crate::extenders::ExtenderAnswer;
use crate::pods::WrittenValues;
use crate::record::{CheckpointRecord, EndRecord, EventRecord, Header, Line, PolicyRecord, StepRecord};

/// The compression level of zstd. Higher levels cost more CPU time than they save bytes.
const LEVEL: i32 = 1;

/// The size of uncompressed lines from which a frame is written, in bytes.
const FRAME: usize = 1 << 20;

/// A step to be written.
#[derive(Clone, Debug)]
pub struct StepToWrite {
    /// The time of the step.
    pub at: Timestamp,
    /// See [`StepRecord::version`].
    pub version: Option<NonZeroU64>,
    /// The event.
    pub event: EventToWrite,
    /// The answers of extenders during the step, in order.
    pub extenders: Vec<ExtenderAnswer>,
    /// The calls of plugins that failed during the step, in order.
    pub failed_calls: Vec<FailedCall>,
    /// The actions of the step.
    pub actions: Vec<Action>,
}

/// The event of a step to be written.
#[derive(Clone, Debug)]
pub enum EventToWrite {
    /// An exchange of plugins.
    Policy(PolicyRecord),
    /// Any other event. An [`Event::PluginsSwapped`] is refused.
    Event(Event),
}

/// Writes the steps of a scheduler as compressed lines.
///
/// The lines are collected and written in frames of zstd that stand alone: a reader can read all frames that are
/// complete.
pub struct CaptureWriter<W> {
    out: W,
    lines: Vec<u8>,
    compressor: Compressor<'static>,
    values: WrittenValues,
    steps: u64,
    written: u64,
}

impl<W: Write> CaptureWriter<W> {
    /// Begins a capture with its header.
    ///
    /// # Errors
    /// The header can't be written.
    pub fn new(out: W, header: &Header) -> io::Result<Self> {
        let mut writer = Self::of_lines(out)?;
        put(&mut writer.lines, &Line::Capture(Box::new(header.clone())))?;
        writer.flush()?;
        Ok(writer)
    }

    /// Creates a writer for lines that have their text already, the header included.
    pub(crate) fn of_lines(out: W) -> io::Result<Self> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(Self { out, lines: Vec::new(), compressor, values: WrittenValues::default(), steps: 0, written: 0 })
    }

    /// Adds a line that has its text already.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.lines.extend_from_slice(text.trim_end().as_bytes());
        self.lines.push(b'\n');
        self.flush_if_full()
    }

    /// Adds the last line after lines with this number of steps.
    pub(crate) fn finish_with_end(mut self, steps: u64) -> io::Result<W> {
        self.steps = steps;
        self.end(0)
    }

    /// Writes all lines and returns the output. The last line is among the lines.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.out)
    }

    /// Adds a checkpoint, before the first step.
    ///
    /// # Errors
    /// A full frame can't be written.
    pub fn checkpoint(&mut self, at: Timestamp, checkpoint: &Checkpoint, policy: &PolicyRecord) -> io::Result<()> {
        for pod in &checkpoint.pods {
            let lines = &mut self.lines;
            let record = self.values.record(pod, |line| put(lines, line))?;
            put(lines, &Line::CheckpointPod(record))?;
            self.flush_if_full()?;
        }
        let (policy, state) = (policy.clone(), checkpoint.state.clone());
        put(&mut self.lines, &Line::Checkpoint(Box::new(CheckpointRecord { at: at.0, policy, state })))?;
        self.flush_if_full()
    }

    /// Adds a step.
    ///
    /// # Errors
    /// A full frame can't be written.
    pub fn step(&mut self, step: &StepToWrite) -> io::Result<()> {
        let StepToWrite { at, version, event, extenders, failed_calls, actions } = step;
        let lines = &mut self.lines;
        let event = match event {
            EventToWrite::Policy(policy) => EventRecord::PluginsSwapped(policy.clone()),
            EventToWrite::Event(event) => event_record(event, &mut self.values, lines)?,
        };
        let actions = match &actions[..] {
            [] => None,
            actions => Some(RawValue::from_string(serde_json::to_string(actions)?)?),
        };
        let (extenders, failed_calls) = (extenders.clone(), failed_calls.clone());
        put(lines, &Line::Step(StepRecord { at: at.0, version: *version, event, extenders, failed_calls, actions }))?;
        self.steps += 1;
        self.flush_if_full()
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.lines.len() >= FRAME { self.flush() } else { Ok(()) }
    }

    /// Writes all steps so far, so that a reader can read them.
    ///
    /// # Errors
    /// They can't be written.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let frame = self.compressor.compress(&self.lines)?;
        self.lines.clear();
        self.written += frame.len() as u64;
        self.out.write_all(&frame)?;
        self.out.flush()
    }

    /// Ends the capture. `lost` is the number of steps after the last one that could not be written.
    ///
    /// # Errors
    /// The last lines can't be written.
    pub fn end(mut self, lost: u64) -> io::Result<W> {
        put(&mut self.lines, &Line::End(EndRecord { steps: self.steps, lost }))?;
        self.flush()?;
        Ok(self.out)
    }

    /// Returns the number of bytes that are written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }
}

fn put(lines: &mut Vec<u8>, line: &Line<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *lines, line)?;
    lines.push(b'\n');
    Ok(())
}

fn event_record<'a>(event: &'a Event, values: &mut WrittenValues, lines: &mut Vec<u8>) -> io::Result<EventRecord<'a>> {
    Ok(match event {
        Event::NodeSet(node) => EventRecord::NodeSet(Arc::clone(node)),
        Event::NodeRemoved(name) => EventRecord::NodeRemoved(name.clone()),
        Event::PodSet(pod) => EventRecord::PodSet(values.record(pod, |line| put(lines, line))?),
        Event::PodRemoved(key) => EventRecord::PodRemoved(key.clone()),
        Event::ObjectsWanted(reads) => EventRecord::ObjectsWanted(reads.clone()),
        Event::ObjectSet(object) => EventRecord::ObjectSet(Arc::clone(object)),
        Event::ObjectRemoved(key) => EventRecord::ObjectRemoved(key.clone()),
        Event::ObjectsListed(reads) => EventRecord::ObjectsListed(reads.clone()),
        Event::ObjectsRefused(kind, why) => EventRecord::ObjectsRefused(Arc::clone(kind), Arc::clone(why)),
        Event::WatchStopped(kind) => EventRecord::WatchStopped(Arc::clone(kind)),
        Event::Bound(key) => EventRecord::Bound(key.clone()),
        Event::BindFailed(key, why) => EventRecord::BindFailed(key.clone(), why.clone()),
        Event::IntentsExecuted(key, step) => EventRecord::IntentsExecuted(key.clone(), *step),
        Event::IntentsFailed(key, step, why) => EventRecord::IntentsFailed(key.clone(), *step, why.clone()),
        Event::EvictionFailed(key) => EventRecord::EvictionFailed(key.clone()),
        Event::PluginsSwapped(_) => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an exchange of plugins needs its policy"));
        }
        Event::PluginRecovered(name) => EventRecord::PluginRecovered(Arc::clone(name)),
        Event::Tick => EventRecord::Tick,
        Event::Cycle => EventRecord::Cycle,
    })
}
