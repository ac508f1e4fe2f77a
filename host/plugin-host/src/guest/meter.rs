//! Measures the cost of calls in fuel and bytes, which are the same on every machine.

use std::sync::Arc;

use crate::crossing::Crossing;
use crate::metrics::Counters;

/// The counters of an instance; `None` if its engine does not count fuel.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter(Option<Arc<Counters>>);

impl Meter {
    /// Creates a meter that counts.
    pub fn new(counters: &Arc<Counters>) -> Self {
        Self(Some(Arc::clone(counters)))
    }

    /// Returns whether the meter counts.
    pub fn counts(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the bytes that cross. Returns 0 without a calculation if the meter does not count.
    pub fn bytes(&self, crossing: &impl Crossing) -> usize {
        if self.counts() { crossing.bytes() } else { 0 }
    }

    /// Adds bytes that crossed.
    pub fn add_bytes(&self, bytes: usize) {
        if let Some(counters) = &self.0 {
            counters.add_bytes(bytes);
        }
    }

    /// Adds used fuel.
    pub fn add_fuel(&self, fuel: u64) {
        if let Some(counters) = &self.0 {
            counters.add_fuel(fuel);
        }
    }
}
