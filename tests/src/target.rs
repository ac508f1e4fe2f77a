//! The API server that a test of the suite runs against.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use berth::scheduler::{self, Scheduler};
use berth_capture::{self as capture, RecorderOptions};
use berth_config::Configuration;
use berth_controllers as controllers;
use berth_kube::Undone;
use berth_sim as sim;
use kube::Client;
use prometheus_client::metrics::counter::Counter;
use tempfile::TempDir;
use tokio::sync::oneshot;

use berth_test_kit::wait::Look;
use berth_test_kit::{ControlPlane, wait};

use crate::replayed;

/// An API server without nodes and pods, and the folders for the schedulers that tests start against it.
pub struct Target {
    /// An administrator's client.
    pub client: Client,
    /// A kubeconfig for the same access.
    pub kubeconfig: PathBuf,
    /// The embedded server; `None` where the API server is a real one.
    pub embedded: Option<sim::Server>,
    home: TempDir,
}

/// The largest size of the capture of a test, in bytes. Small, so that a test has several files, which begin with
/// checkpoints.
const LARGEST_CAPTURE: u64 = 64 << 10;

/// The maximum time for a scheduler to finish its work in progress.
const STOP_WITHIN: Duration = Duration::from_secs(20);

impl Target {
    /// Starts a new embedded API server.
    ///
    /// # Errors
    /// Returns an error if it can't be started.
    pub async fn embedded() -> Result<Self> {
        let home = home()?;
        let server = sim::Server::start(sim::Options::default()).await?;
        let kubeconfig = home.path().join("kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig())?;
        let client = berth_kube::connect(Some(&kubeconfig)).await?;
        Ok(Self { client, kubeconfig, embedded: Some(server), home })
    }

    /// Connects to a real API server, and cleans up the last test's objects.
    ///
    /// # Errors
    /// Returns an error if the API server does not answer.
    pub async fn real(plane: &ControlPlane) -> Result<Self> {
        let client = berth_kube::connect(Some(&plane.kubeconfig())).await?;
        crate::clean::clean_up(&client).await.context("cleaning up after the last test")?;
        Ok(Self { client, kubeconfig: plane.kubeconfig(), embedded: None, home: home()? })
    }

    /// Deletes the objects of a test, so that the test can run again. Objects of some kinds remain.
    ///
    /// # Errors
    /// Returns the API server's error.
    pub async fn clean_up(&self) -> Result<()> {
        crate::clean::clean_up(&self.client).await
    }

    /// Returns the plugins directory of the schedulers that [`Target::scheduler`] starts. The directory is empty at
    /// first.
    pub fn plugins_dir(&self) -> PathBuf {
        self.home.path().join("plugins")
    }

    /// Returns a folder for this test only.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns the embedded server, for tests that inject faults into it.
    ///
    /// # Errors
    /// Returns an error if the API server is a real one.
    pub fn embedded_server(&self) -> Result<&sim::Server> {
        self.embedded.as_ref().context("this test needs the embedded API server")
    }

    /// Grants a plugin rights in the schedulers that [`Target::scheduler`] starts from now on. `grants` is the value of
    /// `plugins[].grants` in YAML, on one line.
    ///
    /// # Errors
    /// Returns an error if the file can't be written.
    pub fn grant(&self, plugin: &str, grants: &str) -> Result<()> {
        let head = "apiVersion: berth.dev/v1alpha1\nkind: BerthConfiguration\n";
        self.configure(&format!("{head}plugins:\n- {{name: {plugin}, grants: {grants}}}\n"))
    }

    /// Sets the configuration file of the schedulers that [`Target::scheduler`] starts from now on.
    ///
    /// # Errors
    /// Returns an error if the file can't be written.
    pub fn configure(&self, text: &str) -> Result<()> {
        Ok(std::fs::write(self.configuration(), text)?)
    }

    fn configuration(&self) -> PathBuf {
        self.home.path().join("berth.yaml")
    }

    /// Starts a scheduler with the default profile in this process. Returns when the scheduler is ready to place pods.
    ///
    /// # Errors
    /// Returns an error if it can't be started.
    pub async fn scheduler(&self) -> Result<Scheduler> {
        let file = self.configuration();
        let configuration = if file.exists() { berth_config::load(&file)? } else { Configuration::default() };
        let options =
            scheduler::Options { plugins_dir: Some(self.plugins_dir()), ..scheduler::Options::of(configuration) };
        Scheduler::start(self.client.clone(), self.recorded(options)).await
    }

    /// Returns the options with a capture, which [`Target::replay`] plays back.
    pub fn recorded(&self, options: scheduler::Options) -> scheduler::Options {
        let capture = RecorderOptions {
            target: capture::Target::Directory(self.captures()),
            limit: LARGEST_CAPTURE,
            lost: Counter::default(),
        };
        scheduler::Options { capture: Some(capture), capture_modules: true, ..options }
    }

    /// Returns the directory of the captures of the test's schedulers.
    pub fn captures(&self) -> PathBuf {
        self.home.path().join("captures")
    }

    /// Plays back what the schedulers of the test did. They must be stopped or dropped.
    ///
    /// # Errors
    /// Returns an error if a replay decides differently.
    pub async fn replay(&self) -> Result<()> {
        let captures = self.captures();
        if !captures.is_dir() {
            return Ok(());
        }
        // A scheduler that was dropped ends its capture soon after.
        wait::eventually("the captures have ended", async || {
            let captures = captures.clone();
            match tokio::task::spawn_blocking(move || replayed::replay_all(&captures)).await? {
                Ok(()) => Ok(Look::Yes(())),
                Err(error) if replayed::is_being_written(&error) => Ok(Look::NotYet(format!("{error:#}"))),
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// Stops a scheduler, and waits for its work in progress.
    ///
    /// # Errors
    /// Returns an error if the scheduler could not finish its work within 20 seconds.
    pub async fn stop(&self, scheduler: Scheduler) -> Result<()> {
        let undone = scheduler.stop(STOP_WITHIN).await?;
        ensure!(
            undone == Undone::default(),
            "the scheduler did not finish its work within {STOP_WITHIN:?}: {undone:?}"
        );
        Ok(())
    }

    /// Starts the simulated controllers. They run until the sender is dropped.
    pub fn controllers(&self) -> oneshot::Sender<()> {
        let (running, stopped) = oneshot::channel();
        let store = controllers::KubeStore::new(self.client.clone());
        tokio::spawn(async move { controllers::run(store, controllers::Options::default(), stopped).await });
        running
    }
}

fn home() -> Result<TempDir> {
    let home = TempDir::with_prefix("berth-test-")?;
    std::fs::create_dir(home.path().join("plugins"))?;
    Ok(home)
}
