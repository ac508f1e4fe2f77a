//! Redacts the captures that the schedulers of a test made, and plays the copies back.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use berth_capture::CaptureReader;
use berth_capture::redact::Redaction;
use berth_capture::redact::compare::compare;
use berth_replay::{Replay, ReplayOptions};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::replayed::components;

/// Names that are words of the format or of Kubernetes as well, so that a copy has them for another reason.
const WORDS: [&str; 9] =
    ["default", "default-scheduler", "main", "node", "memory", "linux", "amd64", "true", "false"];

/// Redacts a capture, and checks that a replay of the redacted copy acts as the capture does, and that no name is left in
/// the copy.
///
/// # Errors
/// The capture can't be redacted or played back, an action differs, or a name is left.
pub fn check(path: &Path) -> Result<()> {
    let mut redaction = Redaction::of(CaptureReader::open(path)?)?;
    let redacted = redaction.write(CaptureReader::open(path)?, Vec::new())?;
    let mut replay = Replay::new(CaptureReader::new(&redacted[..])?, components(path)?, ReplayOptions::default())?;
    let copy = NamedTempFile::new()?;
    replay.copy_to(Box::new(copy.reopen()?))?;
    while replay.step()? {}
    let (changed, first) = compare(&mut CaptureReader::new(&redacted[..])?, &mut CaptureReader::open(copy.path())?)?;
    ensure!(changed == 0, "{changed} steps of the redacted copy decide differently: {first:#?}");
    if let Some(difference) = &replay.outcome().first_difference {
        bail!("{} steps of the copy have other messages: {difference:#?}", replay.outcome().differing_steps);
    }
    let (before, after) = (text(path)?, text(copy.path())?);
    let mut names = BTreeSet::new();
    for line in before.lines() {
        collect(&serde_json::from_str(line)?, &mut names);
    }
    let is_part = |letter: char| letter.is_alphanumeric() || "-._".contains(letter);
    let left: BTreeSet<&str> = after.split(|letter| !is_part(letter)).filter(|word| names.contains(*word)).collect();
    ensure!(left.is_empty(), "the redacted copy still has {left:?}");
    Ok(())
}

fn text(path: &Path) -> Result<String> {
    Ok(String::from_utf8(zstd::decode_all(File::open(path)?)?)?)
}

/// Collects the names and uids of objects, and the values of labels without a domain of Kubernetes.
fn collect(value: &Value, names: &mut BTreeSet<String>) {
    let mut add = |value: Option<&Value>| {
        let name = value.and_then(Value::as_str).filter(|name| name.len() > 2 && !WORDS.contains(name));
        names.extend(name.map(str::to_owned));
    };
    match value {
        Value::Object(fields) => {
            if fields.contains_key("uid") && !fields.contains_key("apiVersion") {
                ["name", "namespace", "uid"].iter().for_each(|field| add(fields.get(*field)));
            }
            ["nodeName", "nominatedNodeName", "image"].iter().for_each(|field| add(fields.get(*field)));
            if let Some(labels) = fields.get("labels").and_then(Value::as_object) {
                labels.iter().filter(|(key, _)| !key.contains("kubernetes.io")).for_each(|(_, value)| add(Some(value)));
            }
            fields.values().for_each(|value| collect(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, names)),
        _ => {}
    }
}
