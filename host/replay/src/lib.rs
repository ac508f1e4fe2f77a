//! Plays a capture back.
//!
//! - In: a capture ([`berth_capture::CaptureReader`]), and compiled components.
//! - Out, with the recorded plugins ([`Replay`]): whether each step had the recorded actions, with the first step that had
//!   others ([`Outcome`]).
//! - Out, with other plugins or profiles ([`History`] and [`compare`]): what would have been different, as numbers
//!   ([`Measures`]) and as a list of pods.
//! - Out, for questions about the past ([`Moment`]): the scheduler as it was at a moment.
//! - Out, for charts ([`points`]): a few numbers for each of many moments.
//! - Out, for a preview of another policy ([`LastDecisions`]): the last decisions, each with the cluster before it.
//! - Out, with another build of a plugin ([`calls`]): its answers about one pod beside those of the build that served.
//! - Never: a replay needs no cluster, asks no extender, and reads no clock. In a replay of every step, a failed call of
//!   a plugin and the answers of extenders come from the capture, because they can't be computed again.

pub mod calls;
mod compare;
mod error;
mod history;
mod last_decisions;
mod measure;
mod moment;
mod outcome;
mod play;
mod plugins;
mod points;
mod reads;
mod steps;
mod world;

pub use self::compare::{Column, Comparison, Moved, compare};
pub use self::error::ReplayError;
pub use self::history::History;
pub use self::last_decisions::{LastDecisions, cycles};
pub use self::measure::{Course, Measures, NodesUsed, Pending, Sample, Sampler, Spread, StillPending, measures};
pub use self::moment::{Moment, begin, decisions_around, file_at};
pub use self::outcome::{Difference, Outcome};
pub use self::play::{Replay, ReplayOptions, patient};
pub use self::points::points;
pub use self::world::{Decider, Policy};
