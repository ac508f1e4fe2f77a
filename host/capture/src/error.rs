//! Why a capture can't be read.

use std::io;

use berth_core::Timestamp;

/// The reason why a capture can't be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file can't be opened or read.
    #[error("can't read the capture: {0}")]
    Unreadable(#[source] io::Error),
    /// The file does not begin as a capture does.
    #[error("not a capture: {0}; a capture is a file that `berth run --capture` wrote")]
    NotACapture(String),
    /// The file has a version that this program does not know.
    #[error(
        "the capture has version {found} of the format, written by Berth {berth}; this Berth reads version {known}"
    )]
    Version {
        /// The version of the file.
        found: u32,
        /// The version of Berth that wrote the file.
        berth: String,
        /// The version that this program reads.
        known: u32,
    },
    /// The file ends in the middle.
    #[error(
        "the capture ends without its last line{}: the scheduler crashed, or the file was cut",
        .0.map_or_else(String::new, |at| format!(" after {at}"))
    )]
    Truncated(
        /// The time of the last step that is complete.
        Option<Timestamp>,
    ),
    /// The file was changed after it was written.
    #[error("the capture is damaged after line {line}: {cause}; get another copy of the file")]
    Damaged {
        /// The number of the last line that could be read, from 1.
        line: u64,
        /// What is wrong.
        cause: String,
    },
}
