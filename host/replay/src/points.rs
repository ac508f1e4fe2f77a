//! A capture as points over time, for charts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use berth_analysis::ClusterPoint;
use berth_capture::CaptureReader;
use berth_core::Timestamp;
use berth_core::decision::DecisionOptions;
use berth_plugin_host::ComponentSet;

use crate::error::ReplayError;
use crate::play::{Replay, ReplayOptions};

/// The shortest distance between two points, in milliseconds. Rates between nearer points say nothing.
const SHORTEST: u64 = 100;

/// Plays the files of a capture back, in the order of their times. Returns at most `most` points at equal distances from
/// `from` on, and one at `to`. Returns `None` if `go_on` returned false before the end.
///
/// # Errors
/// As [`Replay::step`]. A file that ends early counts as far as it goes.
pub fn points(
    files: &[PathBuf],
    components: &Arc<ComponentSet>,
    [from, to]: [Timestamp; 2],
    most: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<ClusterPoint>>, ReplayError> {
    let distance = to.0.saturating_sub(from.0).div_ceil(most.max(1)).max(SHORTEST);
    let (mut points, mut next, mut last) = (Vec::new(), from, None);
    for file in files {
        let mut replay = open(file, components)?;
        loop {
            if !go_on() {
                return Ok(None);
            }
            let goes_on = match replay.play_until(next.min(to)) {
                Ok(goes_on) => goes_on,
                Err(error) => error.truncated().map(|_| false)?,
            };
            if !goes_on || next >= to {
                break;
            }
            points.push(ClusterPoint::of(replay.core(), next));
            next.0 = next.0.saturating_add(distance);
        }
        last = Some(ClusterPoint::of(replay.core(), to));
    }
    points.extend(last);
    Ok(Some(points))
}

fn open(file: &Path, components: &Arc<ComponentSet>) -> Result<Replay<std::fs::File>, ReplayError> {
    let reader = CaptureReader::open(file);
    let reader = reader.map_err(|error| ReplayError::File { file: file.display().to_string(), error })?;
    let decisions = DecisionOptions { bytes: 0, ..DecisionOptions::default() };
    Replay::new(reader, Arc::clone(components), ReplayOptions { decisions, ..ReplayOptions::default() })
}

#[cfg(test)]
#[path = "points_test.rs"]
mod tests;
