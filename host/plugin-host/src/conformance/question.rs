//! A pod, and the cycle in which a plugin is asked about it.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::cache::Cache;
use berth_core::model::Pod;
use berth_core::plugins::{Cycle, TemplateId};

/// When the first cycle is: milliseconds since 1970.
const TIME: u64 = 1_767_225_600_000;

/// What a plugin is asked.
#[derive(Clone)]
pub(super) struct Question {
    pub pod: Arc<Pod>,
    pub template: TemplateId,
    /// The cycle's id; its time and seed follow from it.
    pub cycle: u64,
}

impl Question {
    /// The cycle, in this cluster.
    pub fn cycle<'a>(&'a self, cache: &'a Cache) -> Cycle<'a> {
        Cycle {
            id: self.cycle,
            time: Timestamp(TIME + 7 * self.cycle),
            seed: fastrand::Rng::with_seed(self.cycle).u64(..),
            template: self.template,
            pod: &self.pod,
            cache,
        }
    }

    /// The same in the first cycle of all.
    pub fn in_first_cycle(&self) -> Self {
        Self { cycle: 0, ..self.clone() }
    }

    /// What messages call the pod.
    pub fn pod_name(&self) -> Box<str> {
        self.pod.key.to_string().into()
    }
}
