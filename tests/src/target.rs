//! What a test of the suite runs against.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use berth::scheduler::{self, Scheduler};
use berth::sim;
use kube::Client;
use tempfile::TempDir;

use crate::control_plane::ControlPlane;

/// An API server without nodes and pods, and what is started against it.
pub struct Target {
    /// An administrator's client.
    pub client: Client,
    /// The same as a file.
    pub kubeconfig: PathBuf,
    /// The plugins directory of schedulers started here; empty at first.
    pub plugins: TempDir,
    /// The embedded server; `None` where a real one is behind the client.
    pub embedded: Option<sim::Server>,
}

impl Target {
    /// A fresh embedded API server.
    ///
    /// # Errors
    /// It can't be started.
    pub async fn embedded() -> Result<Self> {
        let plugins = TempDir::with_prefix("berth-plugins-")?;
        let server = sim::Server::start(sim::Options::default()).await?;
        let kubeconfig = plugins.path().join("kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig())?;
        let client = berth::kube::connect(Some(&kubeconfig)).await?;
        Ok(Self { client, kubeconfig, plugins, embedded: Some(server) })
    }

    /// A real one, as the last test left it once its nodes and pods are gone.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn real(plane: &ControlPlane) -> Result<Self> {
        let client = berth::kube::connect(Some(plane.kubeconfig())).await?;
        crate::clean::up(&client).await.context("cleaning up after the last test")?;
        let plugins = TempDir::with_prefix("berth-plugins-")?;
        Ok(Self { client, kubeconfig: plane.kubeconfig().to_owned(), plugins, embedded: None })
    }

    /// Where plugins are dropped.
    pub fn plugins_dir(&self) -> &Path {
        self.plugins.path()
    }

    /// A scheduler with the default profile, in this process, ready to place pods.
    ///
    /// # Errors
    /// It can't be started.
    pub async fn scheduler(&self) -> Result<Scheduler> {
        let options =
            scheduler::Options { plugins_dir: Some(self.plugins_dir().to_owned()), ..scheduler::Options::default() };
        Scheduler::start(self.client.clone(), options).await
    }

    /// Ends a scheduler, and what it has under way.
    ///
    /// # Errors
    /// It could not end in an orderly way.
    pub async fn stop(&self, scheduler: Scheduler) -> Result<()> {
        scheduler.stop(Duration::from_secs(10)).await.map(|_| ())
    }
}
