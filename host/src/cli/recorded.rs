//! A moment of a capture, about which commands can ask instead of a live cluster.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use berth_analysis::whatif::Policy;
use berth_analysis::{ClusterCopy, Sandbox};
use berth_apimachinery::objects::write;
use berth_capture::CaptureReader;
use berth_config::parse_duration;
use berth_core::{Core, Timestamp};
use berth_import::At;
use berth_replay::file_at;
use serde_json::Value;

use super::progress::Progress;
use super::replay::{self, input};

/// The flags that name a moment of a capture.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct MomentFlags {
    /// Ask about a recorded cluster: a file of a capture, or the directory of --capture.
    #[arg(long, value_name = "PATH")]
    replay: Option<PathBuf>,
    /// Time in the capture, RFC 3339 or +DURATION from its start [default: its end].
    ///
    /// Events at this time are included. Examples: 2026-11-26T21:43:19Z, +10m.
    #[arg(long, value_name = "TIME", requires = "replay", value_parser = time)]
    at: Option<At>,
}

/// Reads a time of a recording: RFC 3339, or `+DURATION` from its start.
pub(super) fn time(text: &str) -> Result<At, String> {
    if let Some(duration) = text.strip_prefix('+') {
        return parse_duration(duration).map(At::After);
    }
    let wrong = || format!("{text:?} is no time; use a format such as 2026-11-26T21:43:19Z or +10m");
    serde_json::from_value(text.into()).map(At::Time).map_err(|_| wrong())
}

impl MomentFlags {
    /// Plays the capture back up to the moment. Returns `None` if the flags name no capture.
    ///
    /// # Errors
    /// The capture can't be played back, or has no such moment.
    pub fn open(&self) -> Result<Option<Moment>> {
        let Some(path) = &self.replay else { return Ok(None) };
        Moment::open(path, self.at).map(Some)
    }
}

/// A scheduler as it was at a moment of a capture.
pub(super) struct Moment(berth_replay::Moment);

impl Moment {
    /// Plays a capture back up to a time, by default its end.
    ///
    /// # Errors
    /// The capture can't be played back, or has no such time.
    pub fn open(path: &Path, time: Option<At>) -> Result<Self> {
        let files = input::files(path)?;
        let Some(first) = files.first() else { bail!("{}: no capture", path.display()) };
        let begin = berth_replay::begin(first).with_context(|| first.display().to_string())?;
        let begin = begin.with_context(|| format!("{}: the capture has no events", first.display()))?;
        let until = time.map(|at| at.in_recording(begin));
        if let Some(until) = until.filter(|until| *until < begin) {
            bail!("--at: {until} is before the capture, which begins at {begin}");
        }
        let file = file_at(&files, until)?.context("no file of the capture begins before that time")?;
        let _progress = Progress::timed("playing back");
        Self::play(file, until).with_context(|| file.display().to_string())
    }

    fn play(file: &Path, until: Option<Timestamp>) -> Result<Self> {
        let reader = CaptureReader::open(file)?;
        let components = replay::components_of(reader.header(), file, None)?;
        let moment = berth_replay::Moment::play(reader, Arc::new(components), until, &mut || true)?;
        let moment = moment.context("the replay was interrupted")?;
        if let Some(end) = moment.end() {
            bail!("--at: {} is after the capture, which ends at {end}", moment.at());
        }
        Ok(Self(moment))
    }

    /// Returns the time of the moment.
    pub fn at(&self) -> Timestamp {
        self.0.at()
    }

    /// Returns the core at the moment.
    pub fn core(&self) -> &Core {
        self.0.core()
    }

    /// Returns the objects of the cluster at the moment, with the fields that the scheduler had. Nodes come first.
    pub fn objects(&self) -> impl Iterator<Item = Value> + use<> {
        let ClusterCopy { nodes, pods, pending, objects, .. } = ClusterCopy::of(self.core());
        let nodes = nodes.into_iter().map(|node| write::node(&node));
        let pods = pods.into_iter().chain(pending).map(|pod| write::pod(&pod));
        nodes.chain(pods).chain(objects.into_iter().map(|object| write::object(&object)))
    }

    /// Returns the profiles and the components that serve at the moment.
    ///
    /// # Errors
    /// No profile serves yet.
    pub fn policy(&self) -> Result<Policy<'_>> {
        let at = self.at();
        let none = || format!("the scheduler had no plugins at {at} yet; choose a later time with --at");
        self.0.policy().with_context(none)
    }

    /// Returns a sandbox with the cluster, the profiles and the plugins of the moment.
    ///
    /// # Errors
    /// No profile serves yet, or the plugins fail on the cluster.
    pub fn sandbox(&self) -> Result<Sandbox> {
        Ok(self.0.sandbox(self.policy()?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(time("+10m"), Ok(At::After(std::time::Duration::from_secs(600))));
        assert_eq!(time("1970-01-01T00:00:01.5Z"), Ok(At::Time(Timestamp(1500))));
        for wrong in ["", "now", "10m", "+", "+10", "1960-01-01T00:00:00Z"] {
            assert!(time(wrong).is_err(), "{wrong:?}");
        }
    }
}
