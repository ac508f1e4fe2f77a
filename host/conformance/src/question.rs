//! A pod, and the cycle in which a plugin is called for it.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::cache::Cache;
use berth_core::model::Pod;
use berth_core::plugins::{Cycle, PodSignatureId};

/// The time of cycle 0, in milliseconds since 1970.
const TIME: u64 = 1_767_225_600_000;

/// A pod in a cycle.
#[derive(Clone)]
pub(super) struct Question {
    pub pod: Arc<Pod>,
    pub signature: PodSignatureId,
    /// The cycle's id. It determines the cycle's time and seed.
    pub cycle: u64,
}

impl Question {
    /// Returns the cycle in this cluster.
    pub fn cycle<'a>(&'a self, cache: &'a Cache) -> Cycle<'a> {
        Cycle {
            id: self.cycle,
            time: Timestamp(TIME + 7 * self.cycle),
            seed: fastrand::Rng::with_seed(self.cycle).u64(..),
            signature: self.signature,
            pod: &self.pod,
            cache,
        }
    }

    /// Returns the same question in cycle 0.
    pub fn in_first_cycle(&self) -> Self {
        Self { cycle: 0, ..self.clone() }
    }

    /// Returns the pod's name for messages.
    pub fn pod_name(&self) -> Box<str> {
        self.pod.key.to_string().into()
    }
}
