//! What calls cost in numbers that are the same on every machine, for those who ask for it.

use std::sync::Arc;

use crate::crossing::Crossing;
use crate::metrics::Counters;

/// Where an instance's work is counted; nowhere, unless its engine counts fuel.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter(Option<Arc<Counters>>);

impl Meter {
    /// Counts from now on.
    pub fn new(counters: &Arc<Counters>) -> Self {
        Self(Some(Arc::clone(counters)))
    }

    /// Whether anything is counted.
    pub fn counts(&self) -> bool {
        self.0.is_some()
    }

    /// Bytes of what crosses. Where nothing is counted, nobody looks how many.
    pub fn bytes(&self, crossing: &impl Crossing) -> usize {
        if self.counts() { crossing.bytes() } else { 0 }
    }

    /// So many bytes crossed.
    pub fn add_bytes(&self, bytes: usize) {
        if let Some(counters) = &self.0 {
            counters.add_bytes(bytes);
        }
    }

    /// So much fuel was used.
    pub fn add_fuel(&self, fuel: u64) {
        if let Some(counters) = &self.0 {
            counters.add_fuel(fuel);
        }
    }
}
