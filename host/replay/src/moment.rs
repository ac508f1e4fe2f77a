//! A moment of a capture: the scheduler as it was then.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use berth_analysis::whatif::Policy;
use berth_analysis::{ClusterCopy, Sandbox, SandboxError};
use berth_capture::{CaptureError, CaptureReader, StepEvent};
use berth_core::decision::DecisionOptions;
use berth_core::{Core, Event, Timestamp};
use berth_plugin_host::ComponentSet;

use crate::error::ReplayError;
use crate::play::{Replay, ReplayOptions};

/// A scheduler as it was at a moment of a capture.
pub struct Moment {
    replay: Replay<File>,
    at: Timestamp,
    /// The end of the capture, if the moment is after it.
    end: Option<Timestamp>,
}

impl Moment {
    /// Plays a file of a capture back up to a time, by default its end. Steps at this time are included. Returns `None` if
    /// `go_on` returned false before.
    ///
    /// # Errors
    /// As [`Replay::step`]. A file that ends early counts as far as it goes.
    pub fn play(
        reader: CaptureReader<File>,
        components: Arc<ComponentSet>,
        until: Option<Timestamp>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, ReplayError> {
        let options = ReplayOptions { decisions: DecisionOptions::default(), ..ReplayOptions::default() };
        let mut replay = Replay::new(reader, components, options)?;
        let is_later = |at: Timestamp| until.is_some_and(|until| at > until);
        let goes_on = loop {
            if !go_on() {
                return Ok(None);
            }
            let played = match replay.peek() {
                Ok(Some(step)) if is_later(step.at) => break true,
                Ok(_) => replay.step(),
                Err(error) => Err(error),
            };
            match played {
                Ok(true) => {}
                Ok(false) => break false,
                Err(error) => {
                    error.truncated()?;
                    break false;
                }
            }
        };
        let end = replay.outcome().ended.or(replay.beginning()?).unwrap_or_default();
        let is_after_the_end = !goes_on && until.is_some_and(|until| until > end);
        Ok(Some(Self { replay, at: until.unwrap_or(end), end: is_after_the_end.then_some(end) }))
    }

    /// Returns the time of the moment.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Returns the end of the capture, if the moment is after it.
    #[must_use]
    pub fn end(&self) -> Option<Timestamp> {
        self.end
    }

    /// Returns the core at the moment.
    #[must_use]
    pub fn core(&self) -> &Core {
        self.replay.core()
    }

    /// Returns the profiles and the components that serve at the moment; `None` if none serve yet.
    #[must_use]
    pub fn policy(&self) -> Option<Policy<'_>> {
        self.replay.serving().map(|(components, specs)| Policy { components, specs })
    }

    /// Returns a sandbox with the cluster of the moment and a policy.
    ///
    /// # Errors
    /// The plugins fail on the cluster.
    pub fn sandbox(&self, policy: Policy<'_>) -> Result<Sandbox, SandboxError> {
        let Policy { components, specs } = policy;
        let mut sandbox = Sandbox::new(components, specs.to_vec(), &ClusterCopy::of(self.core()), self.at)?;
        sandbox.set_extenders(self.replay.header().extenders.clone());
        Ok(sandbox)
    }
}

/// Returns the time at which a file of a capture begins; `None` if it has no events yet.
///
/// # Errors
/// The file can't be read.
pub fn begin(file: &Path) -> Result<Option<Timestamp>, CaptureError> {
    let read = || -> Result<Option<Timestamp>, CaptureError> {
        let mut reader = CaptureReader::open(file)?;
        match reader.checkpoint()? {
            Some(checkpoint) => Ok(Some(checkpoint.at)),
            None => Ok(reader.next_step()?.map(|step| step.at)),
        }
    };
    match read() {
        // The scheduler has just begun the file.
        Err(CaptureError::Truncated(None)) => Ok(None),
        begin => begin,
    }
}

/// Returns the time of the last scheduling cycle before `at`, and of the first one after it. The files are in the order of
/// their times.
///
/// # Errors
/// A file can't be read.
pub fn decisions_around(files: &[PathBuf], at: Timestamp) -> Result<[Option<Timestamp>; 2], CaptureError> {
    let mut later = files.len();
    while later > 0 && begin(&files[later - 1])?.is_none_or(|begin| begin > at) {
        later -= 1;
    }
    let [mut before, mut after] = [None, None];
    for file in files[..later].iter().rev() {
        each_decision(file, &mut |time| match time {
            time if time < at => before = Some(time),
            time if time > at && after.is_none() => after = Some(time),
            _ => {}
        })?;
        if before.is_some() {
            break;
        }
    }
    for file in &files[later..] {
        if after.is_some() {
            break;
        }
        each_decision(file, &mut |time| after = after.or((time > at).then_some(time)))?;
    }
    Ok([before, after])
}

/// Passes the times of the scheduling cycles of a file to `each`. A file that ends early counts as far as it goes.
fn each_decision(file: &Path, each: &mut dyn FnMut(Timestamp)) -> Result<(), CaptureError> {
    let mut read = || -> Result<(), CaptureError> {
        let mut reader = CaptureReader::open(file)?;
        reader.checkpoint()?;
        while let Some(step) = reader.next_step()? {
            if matches!(step.event, StepEvent::Event(Event::Cycle)) {
                each(step.at);
            }
        }
        Ok(())
    };
    match read() {
        Err(CaptureError::Truncated(_)) => Ok(()),
        read => read,
    }
}

/// Returns the last file that begins at `until` or before, or the last file if there is no `until`. The files are in the
/// order of their times.
///
/// # Errors
/// A file can't be read.
pub fn file_at(files: &[PathBuf], until: Option<Timestamp>) -> Result<Option<&Path>, ReplayError> {
    for file in files.iter().rev() {
        let named = |error| ReplayError::File { file: file.display().to_string(), error };
        let Some(until) = until else { return Ok(Some(file)) };
        if begin(file).map_err(named)?.is_some_and(|begin| begin <= until) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}
