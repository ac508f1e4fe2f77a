//! The state that the server reports. It exists before the scheduler.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;

use super::metrics::{CoreState, Format, Metrics, Snapshot};
use crate::view::{SchedulerView, inspect};
use crate::vitals::Vitals;

/// The time that a scrape waits for the scheduling thread. A scrape without the core's metrics is better than none.
const PATIENCE: Duration = Duration::from_secs(2);

/// Vitals, metrics, configuration and scheduler of this process.
#[derive(Default)]
pub struct Subject {
    pub(super) vitals: Arc<Vitals>,
    metrics: Arc<Metrics>,
    scheduler: OnceLock<Box<dyn SchedulerView>>,
    /// The effective configuration, or null before it is known.
    configuration: RwLock<Value>,
}

impl Subject {
    /// Returns a subject without a scheduler.
    #[must_use]
    pub fn new(vitals: Arc<Vitals>, metrics: Arc<Metrics>) -> Self {
        Self { vitals, metrics, ..Self::default() }
    }

    /// Sets the scheduler. Later calls have no effect.
    pub fn observe(&self, scheduler: impl SchedulerView + 'static) {
        let _ = self.scheduler.set(Box::new(scheduler));
    }

    /// Sets the effective configuration, as a KubeSchedulerConfiguration, for `/configz`.
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
