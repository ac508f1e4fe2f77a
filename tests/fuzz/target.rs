//! The definition of a fuzz target.

use anyhow::Result;
use proptest::strategy::BoxedStrategy;

/// A reader of external input.
pub struct Target {
    /// The name, used for its trials, its folder in `cases/`, and the files of its failures.
    pub name: &'static str,
    /// The limit on memory that one input may make Berth allocate.
    pub memory: Memory,
    /// Prepares the state that all inputs share.
    pub open: fn() -> Result<OpenTarget>,
}

/// The maximum number of bytes that may be allocated at one time for an input of N bytes: `base + times * N`.
#[derive(Clone, Copy)]
pub struct Memory {
    /// Bytes for an input of any size.
    pub base: usize,
    /// Bytes for each byte of the input.
    pub times: usize,
}

/// A target that is ready to check inputs.
pub struct OpenTarget {
    /// Draws inputs.
    pub inputs: BoxedStrategy<Vec<u8>>,
    /// Checks an input.
    pub check: Check,
}

/// Returns true if the input was accepted, false if it was refused, or an error that describes a violation.
pub type Check = Box<dyn Fn(&[u8]) -> Result<bool>>;
