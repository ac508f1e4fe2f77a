//! Plays a capture back: the same core and the same plugins handle the recorded events at the recorded times.
//!
//! - In: a capture ([`berth_capture::CaptureReader`]), and compiled components.
//! - Out: whether each step had the recorded actions, with the first step that had others ([`Outcome`]).
//! - Never: a replay needs no cluster, asks no extender, and reads no clock. A failed call of a plugin and the answers of
//!   extenders come from the capture, because they can't be computed again.

mod compare;
mod error;
mod play;
mod plugins;

pub use self::compare::{Difference, Outcome};
pub use self::error::ReplayError;
pub use self::play::{Replay, ReplayOptions, patient};
