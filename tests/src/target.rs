//! What a test of the suite runs against.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use berth::kube::Undone;
use berth::scheduler::{self, Scheduler};
use berth_controllers as controllers;
use berth_sim as sim;
use kube::Client;
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::control_plane::ControlPlane;

/// An API server without nodes and pods, and what is started against it.
pub struct Target {
    /// An administrator's client.
    pub client: Client,
    /// The same as a file.
    pub kubeconfig: PathBuf,
    /// The embedded server; `None` where a real one is behind the client.
    pub embedded: Option<sim::Server>,
    home: TempDir,
}

/// How long a scheduler may take to finish what it has under way.
const STOP_WITHIN: Duration = Duration::from_secs(20);

impl Target {
    /// A fresh embedded API server.
    ///
    /// # Errors
    /// It can't be started.
    pub async fn embedded() -> Result<Self> {
        let home = home()?;
        let server = sim::Server::start(sim::Options::default()).await?;
        let kubeconfig = home.path().join("kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig())?;
        let client = berth::kube::connect(Some(&kubeconfig)).await?;
        Ok(Self { client, kubeconfig, embedded: Some(server), home })
    }

    /// A real one, once what the last test left is gone.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn real(plane: &ControlPlane) -> Result<Self> {
        let client = berth::kube::connect(Some(plane.kubeconfig())).await?;
        crate::clean::up(&client).await.context("cleaning up after the last test")?;
        Ok(Self { client, kubeconfig: plane.kubeconfig().to_owned(), embedded: None, home: home()? })
    }

    /// Deletes what a test made, for another round of it. Of kinds beyond pods and nodes not all.
    ///
    /// # Errors
    /// The API server's.
    pub async fn clean_up(&self) -> Result<()> {
        crate::clean::up(&self.client).await
    }

    /// Where plugins are dropped for schedulers started here; empty at first.
    pub fn plugins_dir(&self) -> PathBuf {
        self.home.path().join("plugins")
    }

    /// A folder of the test's own.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The embedded server, which tests of its faults ask for.
    ///
    /// # Errors
    /// There is a real one.
    pub fn embedded_server(&self) -> Result<&sim::Server> {
        self.embedded.as_ref().context("this test needs the embedded API server")
    }

    /// A scheduler with the default profile, in this process, ready to place pods.
    ///
    /// # Errors
    /// It can't be started.
    pub async fn scheduler(&self) -> Result<Scheduler> {
        let options = scheduler::Options { plugins_dir: Some(self.plugins_dir()), ..scheduler::Options::default() };
        Scheduler::start(self.client.clone(), options).await
    }

    /// Ends a scheduler, and waits for what it has under way.
    ///
    /// # Errors
    /// It could not end in an orderly way.
    pub async fn stop(&self, scheduler: Scheduler) -> Result<()> {
        let undone = scheduler.stop(STOP_WITHIN).await?;
        ensure!(undone == Undone::default(), "not done within {STOP_WITHIN:?}: {undone:?}");
        Ok(())
    }

    /// Starts the cluster's other hands, which work until the sender is dropped.
    pub fn controllers(&self) -> oneshot::Sender<()> {
        let (running, stopped) = oneshot::channel();
        let client = self.client.clone();
        tokio::spawn(async move { controllers::run(client, controllers::Options::default(), stopped).await });
        running
    }
}

fn home() -> Result<TempDir> {
    let home = TempDir::with_prefix("berth-test-")?;
    std::fs::create_dir(home.path().join("plugins"))?;
    Ok(home)
}
