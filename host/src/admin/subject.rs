//! What is asked about: a scheduler, from before it is there.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::metrics::{CoreState, Format, Metrics, Snapshot};
use crate::scheduler::{Observer, Vitals};

/// How long a scrape waits for the core's thread. A scrape without it is better than none.
const PATIENCE: Duration = Duration::from_secs(2);

/// A scheduler's signs of life, counts and state.
#[derive(Default)]
pub struct Subject {
    pub(super) vitals: Arc<Vitals>,
    metrics: Arc<Metrics>,
    observer: OnceLock<Observer>,
}

impl Subject {
    /// One whose scheduler is still to come.
    #[must_use]
    pub fn new(vitals: Arc<Vitals>, metrics: Arc<Metrics>) -> Self {
        Self { vitals, metrics, observer: OnceLock::new() }
    }

    /// The scheduler is there. Only the first one counts.
    pub fn observe(&self, observer: Observer) {
        let _ = self.observer.set(observer);
    }

    pub(super) async fn metrics(&self, format: Format) -> Result<String, std::fmt::Error> {
        let snapshot = match self.observer.get() {
            None => Snapshot::default(),
            Some(observer) => {
                let core = tokio::time::timeout(PATIENCE, observer.inspect(CoreState::of)).await;
                Snapshot { core: core.ok().and_then(Result::ok), plugins: observer.plugins() }
            }
        };
        self.metrics.encode(&snapshot, format)
    }
}
