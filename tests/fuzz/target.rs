//! What a fuzz target is.

use anyhow::Result;
use proptest::strategy::BoxedStrategy;

/// One reader of what others wrote.
pub struct Target {
    /// Its name: of its trials, of its folder in `cases/`, and of the files of its failures.
    pub name: &'static str,
    /// What one input may make Berth allocate.
    pub memory: Memory,
    /// Makes ready what all inputs share.
    pub open: fn() -> Result<Opened>,
}

/// The most bytes that may be allocated at one time for an input of N bytes: `base + times * N`.
#[derive(Clone, Copy)]
pub struct Memory {
    /// For an input of any size.
    pub base: usize,
    /// For each byte of the input.
    pub times: usize,
}

/// A target that is ready to be given inputs.
pub struct Opened {
    /// Draws inputs.
    pub inputs: BoxedStrategy<Vec<u8>>,
    /// Checks an input.
    pub check: Check,
}

/// Returns whether the input was accepted rather than refused; an error if Berth did what it must not.
pub type Check = Box<dyn Fn(&[u8]) -> Result<bool>>;
