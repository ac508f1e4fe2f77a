//! Flags of the commands with a scheduler that record it.

use std::path::PathBuf;

use berth_capture::{RecorderOptions, Target};
use berth_config::v1alpha1::Memory;

use crate::scheduler::Options;

/// The largest size of the capture that a simulated cluster keeps without the flag, in bytes. Its files are small enough
/// to be played back in seconds.
#[cfg(feature = "simulator")]
const HISTORY: u64 = 32 << 20;

/// Flags of the capture.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Capture")]
pub struct CaptureFlags {
    /// Record all events and decisions in a file in this directory, for berth replay.
    #[arg(long = "capture", value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Largest size of the capture, for example 500Mi.
    #[arg(long = "capture-limit", value_name = "SIZE", default_value = "1Gi", value_parser = Memory::parse)]
    limit: Memory,
    /// Also keep a copy of each component of the plugins directory.
    #[arg(long = "capture-modules", requires = "directory")]
    modules: bool,
}

impl CaptureFlags {
    /// Returns the directory of `--capture`, or `None` without the flag.
    #[cfg(feature = "simulator")]
    pub fn directory(&self) -> Option<&std::path::Path> {
        self.directory.as_deref()
    }

    /// Sets the options of the capture. Without the flag, the capture is in `directory`, and small: the page of a
    /// simulated cluster needs the last decisions.
    #[cfg(feature = "simulator")]
    pub fn apply_to_or(&self, options: &mut Options, directory: &std::path::Path) {
        match self.directory {
            Some(_) => self.apply_to(options),
            None => record(options, directory.to_owned(), HISTORY),
        }
    }

    /// Sets the options of the capture.
    pub fn apply_to(&self, options: &mut Options) {
        let Some(directory) = self.directory.clone() else { return };
        options.capture_modules = self.modules;
        record(options, directory, self.limit.bytes() as u64);
    }
}

fn record(options: &mut Options, directory: PathBuf, limit: u64) {
    let lost = options.metrics.capture_lost();
    options.capture = Some(RecorderOptions { target: Target::Directory(directory), limit, lost });
}
