//! What is asked about: a scheduler, from before it is there.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;

use super::metrics::{CoreState, Format, Metrics, Snapshot};
use crate::view::{SchedulerView, inspect};
use crate::vitals::Vitals;

/// How long a scrape waits for the core's thread. A scrape without it is better than none.
const PATIENCE: Duration = Duration::from_secs(2);

/// A scheduler's signs of life, counts and state.
#[derive(Default)]
pub struct Subject {
    pub(super) vitals: Arc<Vitals>,
    metrics: Arc<Metrics>,
    scheduler: OnceLock<Box<dyn SchedulerView>>,
    /// What is in force; null until it is known.
    configuration: RwLock<Value>,
}

impl Subject {
    /// One whose scheduler is still to come.
    #[must_use]
    pub fn new(vitals: Arc<Vitals>, metrics: Arc<Metrics>) -> Self {
        Self { vitals, metrics, ..Self::default() }
    }

    /// The scheduler is there. Only the first one counts.
    pub fn observe(&self, scheduler: impl SchedulerView + 'static) {
        let _ = self.scheduler.set(Box::new(scheduler));
    }

    /// This configuration is in force from now on, as a KubeSchedulerConfiguration.
    pub fn show_configuration(&self, configuration: Value) {
        *self.configuration.write().unwrap_or_else(PoisonError::into_inner) = configuration;
    }

    pub(super) fn configuration(&self) -> Value {
        self.configuration.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) async fn metrics(&self, format: Format) -> Result<String, std::fmt::Error> {
        let snapshot = match self.scheduler.get() {
            None => Snapshot::default(),
            Some(scheduler) => {
                let core = tokio::time::timeout(PATIENCE, inspect(&**scheduler, CoreState::of)).await;
                Snapshot { core: core.ok().and_then(Result::ok), plugins: scheduler.plugins() }
            }
        };
        self.metrics.encode(&snapshot, format)
    }
}
