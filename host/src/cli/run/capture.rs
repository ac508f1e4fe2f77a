//! Flags of `berth run` that record the scheduler.

use std::path::PathBuf;

use berth_admin::metrics::Metrics;
use berth_capture::RecorderOptions;
use berth_config::v1alpha1::Memory;

/// Flags of the capture.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Capture")]
pub struct CaptureFlags {
    /// Record all events and decisions in a file in this directory, for berth replay.
    #[arg(long = "capture", value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Largest size of the capture, for example 500Mi.
    #[arg(long = "capture-limit", value_name = "SIZE", default_value = "1Gi", value_parser = Memory::parse)]
    limit: Memory,
}

impl CaptureFlags {
    /// Returns the options of the capture, or `None` if there is none.
    pub fn options(&self, metrics: &Metrics) -> Option<RecorderOptions> {
        let directory = self.directory.clone()?;
        Some(RecorderOptions { directory, limit: self.limit.bytes() as u64, lost: metrics.capture_lost() })
    }
}
