//! The simulated kubelets and controllers of a cluster, which can be stopped for a while.

use std::sync::Arc;

use berth_clock::AdjustableClock;
use berth_controllers as controllers;
use kube::Client;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::STOP_TIMEOUT;

/// The simulated kubelets and controllers.
pub struct Controllers {
    client: Client,
    clock: AdjustableClock,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Controllers {
    /// Creates controllers that do not run yet.
    pub fn new(client: Client, clock: AdjustableClock) -> Self {
        Self { client, clock, running: None }
    }

    /// Starts the controllers. They take up the cluster as they find it.
    pub fn start(&mut self) {
        let (stop, stopped) = oneshot::channel();
        let store = controllers::KubeStore::new(self.client.clone());
        let options = controllers::Options { clock: Arc::new(self.clock.clone()), ..controllers::Options::default() };
        let run = controllers::run(store, options, stopped);
        let task = tokio::spawn(async move {
            if let Err(error) = run.await {
                tracing::error!(%error, "controllers have ended; workloads are no longer updated");
            }
        });
        self.running = Some((stop, task));
    }

    /// Stops the controllers. Returns whether they ran. They write nothing after this.
    pub async fn stop(&mut self) -> bool {
        let Some((stop, mut task)) = self.running.take() else { return false };
        drop(stop);
        if tokio::time::timeout(STOP_TIMEOUT, &mut task).await.is_err() {
            task.abort();
        }
        true
    }
}
