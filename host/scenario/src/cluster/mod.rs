//! The cluster of a run: a client, a clock, and the pods and nodes as they are seen.

mod kinds;
mod scheduler;
mod simulated;
pub mod view;
mod watching;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use berth_clock::Clock;
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use kinds::Kinds;
pub use simulated::Simulated;
pub use view::View;

use crate::error::ScenarioError;

/// A cluster.
pub struct Cluster {
    /// The client of the API server.
    pub client: Client,
    /// The clock of the cluster.
    pub clock: Arc<dyn Clock>,
    /// The kinds that the API server serves.
    pub kinds: Kinds,
    /// The parts of a cluster in simulated time; `None` for another cluster.
    pub simulated: Option<Simulated>,
    view: Arc<Mutex<View>>,
    changes: watch::Receiver<u64>,
    _watches: JoinSet<()>,
}

impl Cluster {
    /// Begins to watch a cluster. Returns when its pods and nodes are known.
    ///
    /// # Errors
    /// The API server does not list pods or nodes.
    pub async fn watch(
        client: Client,
        clock: Arc<dyn Clock>,
        simulated: Option<Simulated>,
    ) -> Result<Self, ScenarioError> {
        let view = Arc::<Mutex<View>>::default();
        let mut watches = JoinSet::new();
        let changes = watching::start(&client, &clock, &view, &mut watches).await?;
        let kinds = Kinds::new(client.clone());
        Ok(Self { client, clock, kinds, simulated, view, changes, _watches: watches })
    }

    /// Returns the pods and nodes as they are seen now.
    pub fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `done` returns true for the pods and nodes, at most until `deadline`. Returns whether it is true.
    pub async fn wait_until(&self, deadline: Instant, mut done: impl FnMut(&View) -> bool) -> bool {
        let mut changes = self.changes.clone();
        loop {
            changes.mark_unchanged();
            if done(&self.view()) {
                return true;
            }
            if self.clock.instant() >= deadline {
                return false;
            }
            tokio::select! {
                biased;
                changed = changes.changed() => {
                    if changed.is_err() {
                        return false;
                    }
                }
                () = self.clock.sleep_until(deadline) => {}
            }
        }
    }

    /// Waits until the pods have not changed for `quiet`, at most for `within`.
    pub async fn settle(&self, quiet: Duration, within: Duration) {
        let began = self.clock.instant();
        loop {
            let last = self.view().changed_at.unwrap_or(began).max(began);
            let end = (last + quiet).min(began + within);
            if self.clock.instant() >= end {
                return;
            }
            self.clock.sleep_until(end).await;
        }
    }
}
