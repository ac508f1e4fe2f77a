//! Reads a capture, step by step.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use berth_core::checkpoint::Checkpoint;
use berth_core::model::Pod;
use berth_core::plugins::FailedCall;
use berth_core::{Event, Timestamp};
use serde_json::value::RawValue;
use zstd::stream::read::Decoder;

use crate::error::CaptureError;
use crate::extenders::ExtenderAnswer;
use crate::pods::ReadValues;
use crate::record::{CheckpointRecord, EndRecord, EventRecord, Header, Line, PolicyRecord, StepRecord, VERSION};

/// The largest line, in bytes. The line of a checkpoint has about 2 KiB for each node.
const LONGEST_LINE: u64 = 1 << 30;

/// The largest power of two of bytes that zstd may look back, which bounds the reader's memory.
const WINDOW_LOG: u32 = 27;

/// A step that was read.
#[derive(Debug)]
pub struct Step {
    /// The time of the step.
    pub at: Timestamp,
    /// See [`StepRecord::version`].
    pub version: Option<NonZeroU64>,
    /// The event.
    pub event: StepEvent,
    /// The answers of extenders during the step, in order.
    pub extenders: Vec<ExtenderAnswer>,
    /// The calls of plugins that failed during the step, in order.
    pub failed_calls: Vec<FailedCall>,
    /// The actions of the step, as a JSON array. `None` if there were none.
    pub actions: Option<Box<RawValue>>,
}

/// The event of a step.
#[derive(Clone, Debug)]
pub enum StepEvent {
    /// These profiles and plugins serve from now on.
    Policy(PolicyRecord),
    /// Any other event.
    Event(Event),
}

/// Reads the steps of a capture, one after the other. Needs little memory, however long the capture is.
pub struct CaptureReader<R: Read> {
    lines: BufReader<Decoder<'static, BufReader<Input<R>>>>,
    header: Header,
    values: ReadValues,
    line: Vec<u8>,
    /// The number of lines that were read.
    read: u64,
    /// The time of the last step.
    at: Option<Timestamp>,
    end: Option<EndRecord>,
    /// The pods of the checkpoint so far.
    pods: Vec<Arc<Pod>>,
    checkpoint: Option<RecordedCheckpoint>,
    /// What was read in search of the checkpoint: the first step, the end, or that the file has no end.
    first: Option<Result<Option<Step>, CaptureError>>,
}

/// The state of the core before the first step.
#[derive(Clone, Debug)]
pub struct RecordedCheckpoint {
    /// The time of the checkpoint.
    pub at: Timestamp,
    /// The profiles that serve.
    pub policy: PolicyRecord,
    /// The state.
    pub checkpoint: Checkpoint,
}

impl CaptureReader<File> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// The file can't be read, or is not a capture of a version that this program knows.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        Self::new(File::open(path).map_err(CaptureError::Unreadable)?)
    }
}

/// The bytes with which a file of zstd begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The input, with the bytes of its start that are read already.
type Input<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

/// The part of a first line that every version has.
#[derive(serde::Deserialize)]
struct AnyHeader {
    capture: AnyVersion,
}

#[derive(serde::Deserialize)]
struct AnyVersion {
    version: u32,
    #[serde(default)]
    berth: String,
}

impl<R: Read> CaptureReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// As [`CaptureReader::open`].
    pub fn new(mut input: R) -> Result<Self, CaptureError> {
        let mut start = Vec::new();
        let read = (&mut input).take(MAGIC.len() as u64).read_to_end(&mut start);
        let size = read.map_err(CaptureError::Unreadable)?;
        if start != MAGIC[..size] {
            return Err(CaptureError::NotACapture("the file is not compressed with zstd".to_owned()));
        }
        if size < MAGIC.len() {
            return Err(CaptureError::Truncated(None));
        }
        let mut decoder = Decoder::new(io::Cursor::new(start).chain(input)).map_err(CaptureError::Unreadable)?;
        decoder.window_log_max(WINDOW_LOG).map_err(CaptureError::Unreadable)?;
        let mut reader = Self {
            lines: BufReader::with_capacity(1 << 16, decoder),
            header: Header::default(),
            values: ReadValues::default(),
            line: Vec::new(),
            read: 0,
            at: None,
            end: None,
            pods: Vec::new(),
            checkpoint: None,
            first: None,
        };
        reader.header = reader.read_header()?;
        Ok(reader)
    }

    fn read_header(&mut self) -> Result<Header, CaptureError> {
        let not_one = |error: &dyn ToString| CaptureError::NotACapture(error.to_string());
        match self.read_line() {
            Ok(true) => {}
            Ok(false) => return Err(CaptureError::Truncated(None)),
            Err(error) => return Err(error),
        }
        let any: AnyHeader = serde_json::from_slice(&self.line).map_err(|error| not_one(&error))?;
        let AnyVersion { version, berth } = any.capture;
        if version != VERSION {
            return Err(CaptureError::Version { found: version, berth, known: VERSION });
        }
        match serde_json::from_slice(&self.line).map_err(|error| not_one(&error))? {
            Line::Capture(header) => Ok(*header),
            _ => Err(not_one(&"the first line is no header")),
        }
    }

    /// Returns the header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the last line of the file, once all steps are read.
    #[must_use]
    pub fn end(&self) -> Option<EndRecord> {
        self.end
    }

    /// Returns the checkpoint before the first step, or `None` if the file begins with the start of the scheduler. Call
    /// this once, before the first call of [`CaptureReader::next_step`].
    ///
    /// # Errors
    /// As [`CaptureReader::next_step`].
    pub fn checkpoint(&mut self) -> Result<Option<RecordedCheckpoint>, CaptureError> {
        // A file that was just begun has a checkpoint and no end.
        self.first = match self.next_step() {
            Err(error) if !matches!(error, CaptureError::Truncated(_)) => return Err(error),
            first => Some(first),
        };
        Ok(self.checkpoint.take())
    }

    /// Returns the next step, or `None` after the last one.
    ///
    /// # Errors
    /// The file can't be read, is damaged, or ends without its last line.
    pub fn next_step(&mut self) -> Result<Option<Step>, CaptureError> {
        if let Some(first) = self.first.take() {
            return first;
        }
        loop {
            if self.end.is_some() {
                return Ok(None);
            }
            if !self.read_line()? {
                return Err(CaptureError::Truncated(self.at));
            }
            let line = serde_json::from_slice(&self.line).map_err(|error| damaged(self.read, &error))?;
            match self.values.take(line).map_err(|cause| damaged(self.read, &cause))? {
                None => {}
                Some(Line::Step(record)) => {
                    let step = step(record, &self.values).map_err(|cause| damaged(self.read, &cause))?;
                    if self.at.is_some_and(|before| step.at < before) {
                        return Err(damaged(self.read, &"the time of a step is before that of the last step"));
                    }
                    self.at = Some(step.at);
                    return Ok(Some(step));
                }
                Some(Line::End(end)) => {
                    // The checksum of the last line comes after it.
                    if self.read_line()? {
                        return Err(damaged(self.read, &"lines follow the last line"));
                    }
                    self.end = Some(end);
                }
                Some(Line::CheckpointPod(record)) => {
                    let pod = self.values.pod(record).map_err(|cause| damaged(self.read, &cause))?;
                    self.pods.push(Arc::new(pod));
                }
                Some(Line::Checkpoint(record)) if self.at.is_none() && self.checkpoint.is_none() => {
                    let CheckpointRecord { at, policy, state } = *record;
                    let checkpoint = Checkpoint { pods: std::mem::take(&mut self.pods), state };
                    self.checkpoint = Some(RecordedCheckpoint { at: Timestamp(at), policy, checkpoint });
                }
                Some(Line::Checkpoint(_)) => return Err(damaged(self.read, &"a checkpoint after the first step")),
                Some(_) => return Err(damaged(self.read, &"a second header")),
            }
        }
    }

    /// Returns the line that was read last, and its number from 1.
    pub(crate) fn line(&self) -> (&[u8], u64) {
        (&self.line, self.read)
    }

    /// Reads a line into `self.line`. Returns false at the end of the file.
    pub(crate) fn read_line(&mut self) -> Result<bool, CaptureError> {
        self.line.clear();
        let mut limited = (&mut self.lines).take(LONGEST_LINE);
        let size = limited.read_until(b'\n', &mut self.line).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => CaptureError::Truncated(self.at),
            // zstd reports bytes that are none of its own in this way.
            io::ErrorKind::Other | io::ErrorKind::InvalidData => damaged(self.read, &error),
            _ => CaptureError::Unreadable(error),
        })?;
        if size > 0 && self.line.last() != Some(&b'\n') {
            if size as u64 == LONGEST_LINE {
                return Err(damaged(self.read, &format!("a line has more than {LONGEST_LINE} bytes")));
            }
            return Err(CaptureError::Truncated(self.at));
        }
        self.read += u64::from(size > 0);
        Ok(size > 0)
    }
}

fn damaged(line: u64, cause: &dyn ToString) -> CaptureError {
    CaptureError::Damaged { line, cause: cause.to_string() }
}

fn step(record: StepRecord<'_>, values: &ReadValues) -> Result<Step, String> {
    let StepRecord { at, version, event, extenders, failed_calls, actions } = record;
    let event = match event {
        EventRecord::PluginsSwapped(policy) => StepEvent::Policy(policy),
        event => StepEvent::Event(core_event(event, values)?),
    };
    Ok(Step { at: Timestamp(at), version, event, extenders, failed_calls, actions })
}

fn core_event(record: EventRecord<'_>, values: &ReadValues) -> Result<Event, String> {
    Ok(match record {
        EventRecord::NodeSet(node) => Event::NodeSet(node),
        EventRecord::NodeRemoved(name) => Event::NodeRemoved(name),
        EventRecord::PodSet(record) => Event::PodSet(Arc::new(values.pod(record)?)),
        EventRecord::PodRemoved(key) => Event::PodRemoved(key),
        EventRecord::ObjectsWanted(reads) => Event::ObjectsWanted(reads),
        EventRecord::ObjectSet(object) => Event::ObjectSet(object),
        EventRecord::ObjectRemoved(key) => Event::ObjectRemoved(key),
        EventRecord::ObjectsListed(reads) => Event::ObjectsListed(reads),
        EventRecord::ObjectsRefused(kind, why) => Event::ObjectsRefused(kind, why),
        EventRecord::WatchStopped(kind) => Event::WatchStopped(kind),
        EventRecord::Bound(key) => Event::Bound(key),
        EventRecord::BindFailed(key, why) => Event::BindFailed(key, why),
        EventRecord::IntentsExecuted(key, step) => Event::IntentsExecuted(key, step),
        EventRecord::IntentsFailed(key, step, why) => Event::IntentsFailed(key, step, why),
        EventRecord::EvictionFailed(key) => Event::EvictionFailed(key),
        EventRecord::PluginsSwapped(_) => return Err("an exchange of plugins without its policy".to_owned()),
        EventRecord::PluginRecovered(name) => Event::PluginRecovered(name),
        EventRecord::Tick => Event::Tick,
        EventRecord::Cycle => Event::Cycle,
    })
}
