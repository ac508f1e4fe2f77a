//! Redacts a capture, and checks by a replay that the copy decides as the capture does.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use berth_capture::CaptureReader;
use berth_capture::redact::Redaction;
use berth_capture::redact::compare::{ChangedStep, compare};
use berth_core::decision::DecisionOptions;
use berth_replay::{Replay, ReplayOptions};
use tempfile::NamedTempFile;

use super::answers;
use crate::cli::out;
use crate::cli::progress::Progress;
use crate::cli::replay::{components_of, input};

/// Returns the folder of a file.
pub(super) fn folder(file: &Path) -> PathBuf {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Writes a redacted copy of the capture `from` to `file`.
///
/// # Errors
/// The capture can't be read or played back, or the copy can't be written.
pub(super) fn run(from: &Path, file: &Path, modules: Option<&Path>) -> Result<ExitCode> {
    let from = match &input::files(from)?[..] {
        [only] => only.clone(),
        files => bail!("--from: {} has {} files; name one of them", from.display(), files.len()),
    };
    let _progress = Progress::timed("redacting");
    let open = || CaptureReader::open(&from).with_context(|| from.display().to_string());
    let mut redaction = Redaction::of(open()?)?;
    let folder = folder(file);
    let temporary = || NamedTempFile::new_in(&folder).with_context(|| folder.display().to_string());
    // The copy with the recorded actions, and the copy with the actions of its replay. Only the second one is kept.
    let (recorded, replayed) = (temporary()?, temporary()?);
    redaction.write(open()?, BufWriter::new(recorded.reopen()?))?.flush()?;
    let mut replay = replay(recorded.path(), &from, modules)?;
    replay.copy_to(Box::new(BufWriter::new(replayed.reopen()?)))?;
    play(&mut replay).context("playing the redacted capture back")?;
    let mut readers = (CaptureReader::open(recorded.path())?, CaptureReader::open(replayed.path())?);
    let (changed, first) = compare(&mut readers.0, &mut readers.1)?;
    let plugins = match first {
        None => None,
        Some(first) => {
            let mut original = self::replay(&from, &from, modules)?;
            play(&mut original)?;
            let plugins = answers::changed(open()?, &mut redaction, original.core(), replay.core())?;
            Some((first, plugins))
        }
    };
    replayed.persist_noclobber(file).with_context(|| file.display().to_string())?;
    match plugins {
        None => {
            out::line(format_args!("{}: redacted. A replay decides as the capture does.", file.display()))?;
            Ok(ExitCode::SUCCESS)
        }
        Some((first, plugins)) => {
            out::line(format_args!("{}: redacted. {}", file.display(), describe(changed, &first, &plugins)))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Returns the report about other decisions.
fn describe(changed: u64, first: &ChangedStep, plugins: &BTreeSet<Arc<str>>) -> String {
    let names = plugins.iter().map(|name| &**name).collect::<Vec<_>>().join(", ");
    let which = if names.is_empty() { "no plugin of a cycle".to_owned() } else { names };
    let ChangedStep { step, at, .. } = first;
    format!("{changed} events are decided differently, the first is event {step} at {at}. Other answers: {which}.")
}

fn replay(file: &Path, from: &Path, modules: Option<&Path>) -> Result<Replay<File>> {
    let reader = CaptureReader::open(file)?;
    let components = components_of(reader.header(), from, modules.map(Path::to_owned))?;
    let options = ReplayOptions { decisions: DecisionOptions::default(), ..ReplayOptions::default() };
    Ok(Replay::new(reader, Arc::new(components), options)?)
}

fn play(replay: &mut Replay<File>) -> Result<()> {
    loop {
        match replay.step() {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Ok(error.truncated().map(drop)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use berth_core::Timestamp;

    use super::*;

    #[test]
    fn the_folder_of_a_plain_name_is_the_current_one() {
        for (file, expected) in [("a.jsonl.zst", "."), ("x/a.jsonl.zst", "x"), ("/a.jsonl.zst", "/")] {
            assert_eq!(folder(Path::new(file)), Path::new(expected), "{file}");
        }
    }

    #[test]
    fn the_report_names_the_plugins() {
        let step = ChangedStep { step: 7, at: Timestamp(0), before: Vec::new(), after: Vec::new() };
        let text = describe(2, &step, &["B".into(), "A".into()].into());
        let expected =
            "2 events are decided differently, the first is event 7 at 1970-01-01T00:00:00.000Z. Other answers: A, B.";
        assert_eq!(text, expected);
    }
}
