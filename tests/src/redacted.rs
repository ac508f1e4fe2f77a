//! Redacts the captures that the schedulers of a test made, and plays the copies back.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use berth_capture::redact::Redaction;
use berth_capture::redact::compare::compare;
use berth_capture::{CaptureReader, PolicyRecord, StepEvent};
use berth_config::Configuration;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::ComponentSet;
use berth_replay::{Replay, ReplayOptions};
use serde_json::Value;
use tempfile::NamedTempFile;

/// Names that are words of the format or of Kubernetes as well, so that a copy has them for another reason.
const WORDS: [&str; 12] = [
    "default",
    "default-scheduler",
    "main",
    "node",
    "memory",
    "cpu",
    "linux",
    "amd64",
    "true",
    "false",
    "preempting",
    "trapped",
];

/// Redacts a capture that was made with these components, and checks that no name is left in the copy, and that a replay of the copy decides as the capture if
/// only default plugins served.
///
/// # Errors
/// The capture can't be redacted or played back, a decision differs, or a name is left.
pub fn check(path: &Path, components: Arc<ComponentSet>) -> Result<()> {
    let mut redaction = Redaction::of(CaptureReader::open(path)?)?;
    let redacted = redaction.write(CaptureReader::open(path)?, Vec::new())?;
    let mut replay = Replay::new(CaptureReader::new(&redacted[..])?, components, ReplayOptions::default())?;
    let copy = NamedTempFile::new()?;
    replay.copy_to(Box::new(copy.reopen()?))?;
    while replay.step()? {}
    let (changed, first) = compare(&mut CaptureReader::new(&redacted[..])?, &mut CaptureReader::open(copy.path())?)?;
    // Other plugins may decide by names and keys, which the copy has not.
    if changed > 0 && only_default_plugins(path)? {
        bail!("{changed} steps of the redacted copy decide differently: {first:#?}");
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

/// Returns whether only default plugins served.
fn only_default_plugins(path: &Path) -> Result<bool> {
    let profiles = Configuration::default_profile(None).profiles;
    let defaults: BTreeSet<Arc<str>> = profiles.iter().flat_map(ProfileSpec::names).map(|(name, _)| name).collect();
    let is_default = |policy: &PolicyRecord| {
        policy.profiles.iter().flat_map(|profile| &profile.plugins).all(|plugin| defaults.contains(&plugin.name))
    };
    let mut reader = CaptureReader::open(path)?;
    let mut all = reader.checkpoint()?.is_none_or(|recorded| is_default(&recorded.policy));
    while let Some(step) = reader.next_step()? {
        if let StepEvent::Policy(policy) = &step.event {
            all &= is_default(policy);
        }
    }
    Ok(all)
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
