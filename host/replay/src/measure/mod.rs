//! Measures what happens in a world: how long pods wait, and how the cluster is used.

mod course;
mod sample;
mod summary;

pub use self::course::{Course, StillPending};
pub use self::sample::{Sample, Sampler};
pub use self::summary::{Measures, NodesUsed, Pending, Spread, measures};
