//! The capture: everything that a scheduler's decisions depended on, in a file, with the decisions.
//!
//! - In: each event of the core with its time, what was answered from outside during its step (extenders, failed calls
//!   of plugins), and the actions of the step.
//! - Out: a file of lines of JSON, compressed with zstd; and from such a file the same steps again, one after the other.
//! - Never: this crate decides nothing and plays nothing back. A slow or full disk never delays the scheduler: the
//!   [`Recorder`] loses steps instead and counts them.
//!
//! `docs/capture-format.md` describes the lines. [`record`] has their types. [`mod@write`] and [`read`] turn steps into lines
//! and back. [`redact`] writes a copy without names. [`recorder`] writes on a thread of its own, to the [`files`] of a directory. [`extenders`] records the answers of extenders and gives
//! recorded answers.

pub mod error;
pub mod extenders;
pub mod files;
mod pods;
pub mod read;
pub mod record;
pub mod recorder;
pub mod redact;
mod shared;
pub mod write;
mod writing;

pub use self::error::CaptureError;
pub use self::extenders::{ExtenderAnswer, RecordingExtenders, ReplayedExtenders};
pub use self::read::{CaptureReader, RecordedCheckpoint, Step, StepEvent};
pub use self::record::{EventRecord, Header, PolicyRecord, RecordedProfile, StepRecord};
pub use self::recorder::{Recorder, RecorderOptions, Target};
pub use self::write::{CaptureWriter, EventToWrite, StepToWrite};
