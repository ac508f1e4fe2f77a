//! Captures: the lines of a capture are read, or refused with the line at fault. The state of a checkpoint that was read
//! can be restored or is refused, and the core handles every event that was read.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use berth_capture::{CaptureError, CaptureReader, CaptureWriter, Header, PolicyRecord, StepEvent, files, record};
use berth_core::cache::NodeId;
use berth_core::extenders::NoExtenders;
use berth_core::plugins::{Cycle, PluginError, PluginId, Plugins, Verdicts};
use berth_core::{Core, Event, Options, Timestamp};
use proptest::prelude::*;

use crate::edits;
use crate::target::{Memory, OpenTarget, Target};

/// An input is the text of a capture, without compression.
pub const TARGET: Target = Target { name: "captures", memory: Memory { base: 64 << 20, times: 2_000 }, open };

/// The largest number of bytes of a text that is edited.
const LONGEST: usize = 40_000;

/// Strings that occur in captures.
const DICTIONARY: &[&str] = &[
    "{\"step\":{\"at\":1,\"event\":\"tick\"}}\n",
    "{\"step\":{\"at\":1,\"event\":\"cycle\"}}\n",
    "{\"end\":{\"steps\":1,\"lost\":0}}\n",
    "{\"labels\":{\"id\":0,\"value\":{}}}\n",
    "18446744073709551615",
    "-9223372036854775808",
    "4294967295",
    "65536",
    "null",
    "[]",
    "{}",
    "\"\"",
    "true",
    "0",
    "1",
    "\n",
];

struct NoPlugins;

impl Plugins for NoPlugins {
    fn filter(&mut self, _: PluginId, _: &Cycle<'_>, _: &[NodeId]) -> Result<Verdicts, PluginError> {
        Ok(Verdicts::default())
    }
}

fn open() -> Result<OpenTarget> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures");
    let mut texts = Vec::new();
    for path in files::list(&kept)? {
        texts.push(zstd::decode_all(std::fs::File::open(path)?)?);
    }
    let first = texts.first().context("there is no kept capture")?;
    texts.push(with_checkpoint(first)?);
    texts.iter_mut().for_each(|text| text.truncate(LONGEST));
    Ok(OpenTarget { inputs: edits::edited(texts, DICTIONARY, 6).boxed(), check: Box::new(check) })
}

/// Returns the text of a capture that begins with a checkpoint of the core after all events of this capture.
fn with_checkpoint(text: &[u8]) -> Result<Vec<u8>> {
    let (core, _) = play(&zstd::bulk::compress(text, 1)?)?;
    let header = Header { version: record::VERSION, ..Header::default() };
    let mut writer = CaptureWriter::new(Vec::new(), &header)?;
    let policy = PolicyRecord { profiles: Vec::new() };
    writer.checkpoint(Timestamp(1), &core.checkpoint().into_checkpoint(), &policy)?;
    Ok(zstd::decode_all(&writer.end(0)?[..])?)
}

fn check(input: &[u8]) -> Result<bool> {
    match play(&zstd::bulk::compress(input, 1)?) {
        Ok(_) => Ok(true),
        Err(error) => {
            ensure!(!error.to_string().is_empty(), "the refusal has no message");
            Ok(false)
        }
    }
}

/// Reads a capture, restores its checkpoint, and lets a core without profiles handle its events.
fn play(bytes: &[u8]) -> Result<(Core, u64), CaptureError> {
    let mut reader = CaptureReader::new(bytes)?;
    let mut core = Core::new(Options::default());
    if let Some(recorded) = reader.checkpoint()? {
        // A state that does not fit together is refused.
        let _ = recorded.checkpoint.cache();
        if let Ok(restored) = Core::restore(Options::default(), recorded.checkpoint, Vec::new()) {
            core = restored;
        }
    }
    let mut steps = 0;
    while let Some(step) = reader.next_step()? {
        if let StepEvent::Event(event) = step.event {
            core.step(event, step.at, &mut NoPlugins, &mut NoExtenders);
            steps += 1;
        }
    }
    core.step(Event::NodeSet(Arc::default()), Timestamp(u64::MAX), &mut NoPlugins, &mut NoExtenders);
    Ok((core, steps))
}
