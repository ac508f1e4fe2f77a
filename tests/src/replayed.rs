//! Plays back the captures that the schedulers of a test made.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use berth_capture::{CaptureError, CaptureReader, files};
use berth_plugin_host::ComponentSet;
use berth_replay::{Outcome, Replay, ReplayError, patient};

/// Plays back every capture in the directory, with the copies of components in it. Returns the number of steps.
///
/// # Errors
/// A capture can't be played back, or an action differs from the recorded one.
pub fn replay_all(directory: &Path) -> Result<u64> {
    let mut steps = 0;
    for path in files::list(directory)? {
        let outcome = replay(&path).with_context(|| path.display().to_string())?;
        ensure!(outcome.lost_steps == 0, "{}: {} steps are lost", path.display(), outcome.lost_steps);
        if let Some(difference) = outcome.first_difference {
            bail!(
                "{}: the replay differs in {} steps; the first: {difference:#?}",
                path.display(),
                outcome.differing_steps
            );
        }
        steps += outcome.steps;
    }
    Ok(steps)
}

/// Plays a capture back to its end.
///
/// # Errors
/// The capture can't be read to its end, or a component is missing.
pub fn replay(path: &Path) -> Result<Outcome> {
    let reader = CaptureReader::open(path)?;
    let text = reader.header().configuration.to_string();
    let berth = berth_config::parse(&text, "the configuration of the capture")?.berth;
    let modules = path.parent().map(|folder| folder.join(files::MODULES)).filter(|folder| folder.is_dir());
    let options = berth::loader_options(&berth, modules, Arc::new(patient(&berth.limits())))?;
    let mut replay = Replay::new(reader, ComponentSet::load(&options)?)?;
    while replay.step()? {}
    Ok(replay.outcome().clone())
}

/// Returns whether the scheduler that writes a capture has not ended it yet.
#[must_use]
pub fn is_being_written(error: &anyhow::Error) -> bool {
    let truncated = |error: &CaptureError| matches!(error, CaptureError::Truncated(_));
    error.chain().any(|cause| {
        cause.downcast_ref::<CaptureError>().is_some_and(truncated)
            || matches!(cause.downcast_ref::<ReplayError>(), Some(ReplayError::Capture(error)) if truncated(error))
    })
}
