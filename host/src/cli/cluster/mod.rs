//! A cluster in this process: the in-memory API server, controllers and a scheduler, each optional except the API
//! server.

mod controllers;
mod import;
mod objects;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube::{Api, Client};
use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};
use tokio::sync::Mutex;

use super::capture::CaptureFlags;
use super::hint::{Hint, quoted};
use super::progress::Progress;
use crate::scheduler::{self, Questions, Scheduler};
use berth_admin::{DebugSignal, api};
use berth_clock::{AdjustableClock, Clock as _, RealClock};
use berth_sim as sim;

use self::controllers::Controllers;
pub use self::import::Import;
use self::objects::AllObjects;
pub use self::objects::write as write_objects;

/// The maximum time that the scheduler and the controllers may take to end, each.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of objects that are created concurrently.
const CREATES_AT_ONCE: usize = 32;

/// The parts of the cluster to start.
#[derive(Debug)]
pub struct Parts {
    /// The API server's port on loopback. 0 selects any free port.
    pub port: u16,
    /// The path of the kubeconfig file. Default: a file in a private temporary directory.
    pub kubeconfig: Option<PathBuf>,
    /// A directory of further plugins.
    pub plugins: Option<PathBuf>,
    /// Whether and where the scheduler is recorded.
    pub capture: CaptureFlags,
    /// Whether to leave out the scheduler.
    pub no_scheduler: bool,
    /// Whether to leave out the simulated kubelets and controllers.
    pub no_controllers: bool,
    /// The seconds of the cluster's time in a second of real time; 0 stops the time.
    pub speed: f64,
}

/// A running cluster.
pub struct Cluster {
    server: sim::Server,
    client: Client,
    /// The one clock of all parts.
    clock: AdjustableClock,
    kubeconfig: PathBuf,
    /// The directory of the default kubeconfig file, capture and plugins. Dropping the cluster removes the directory.
    directory: TempDir,
    controllers: Arc<Mutex<Controllers>>,
    scheduler: Option<Scheduler>,
}

impl Cluster {
    /// Starts the API server. [`Cluster::start_parts`] starts the other parts, so that objects can be created before.
    ///
    /// # Errors
    /// The port is in use, or a temporary directory can't be created.
    pub async fn start(parts: &Parts) -> Result<Self> {
        let clock = AdjustableClock::new(RealClock.timestamp(), parts.speed);
        let options = sim::Options { port: parts.port, clock: Arc::new(clock.clone()), ..sim::Options::default() };
        let server = sim::Server::start(options).await.context("starting the in-memory API server")?;
        let directory = TempDir::with_prefix("berth-").context("creating a temporary directory for the kubeconfig")?;
        let kubeconfig = parts.kubeconfig.clone().unwrap_or_else(|| directory.path().join("kubeconfig"));
        let client = berth_kube::connect_to(&server.kubeconfig()).await?;
        let controllers = Arc::new(Mutex::new(Controllers::new(client.clone(), clock.clone())));
        Ok(Self { server, client, clock, kubeconfig, directory, controllers, scheduler: None })
    }

    /// Starts the requested parts other than the API server.
    ///
    /// # Errors
    /// The plugins can't be loaded.
    pub async fn start_parts(&mut self, parts: &Parts) -> Result<()> {
        let mut further = sim::clock_api(self.clock.clone());
        if !parts.no_controllers {
            self.controllers.lock().await.start();
        }
        let objects = AllObjects { objects: self.server.objects(), controllers: Arc::clone(&self.controllers) };
        further = further.merge(api::objects_router(Arc::new(objects)));
        if !parts.no_scheduler {
            // Without a directory of the user, the page has one of its own to add plugins to.
            let plugins = parts.plugins.clone().unwrap_or_else(|| self.directory.path().join("plugins"));
            let mut options =
                scheduler::Options { plugins_dir: Some(plugins.clone()), ..scheduler::Options::default() };
            options.shell.clock = Arc::new(self.clock.clone());
            parts.capture.apply_to_or(&mut options, &self.directory.path().join("capture"));
            let total = crate::default_plugins().len();
            let _progress = Progress::counted("plugins compiled", total, Arc::clone(&options.plugins_compiled));
            let started = Scheduler::start(self.client.clone(), options).await;
            let scheduler = started.or_hint(|| hint(parts.plugins.as_deref()))?;
            let questions = Arc::new(Questions::new(self.client.clone(), scheduler.observer()));
            let policy: Arc<dyn api::PolicyChanges> = Arc::clone(&questions) as _;
            further = further.merge(api::changes_router(policy, plugins));
            further = further.merge(api::scheduling_router(Arc::clone(&questions) as _));
            further = further.merge(api::router(questions, api::Rights::All));
            self.scheduler = Some(scheduler);
        }
        let page = berth_page::router(berth_page::Mode::Edit);
        self.server.serve_further(vec![(api::PREFIX, further), (berth_page::PREFIX, page)]);
        Ok(())
    }

    /// Writes the kubeconfig file. Call this after [`Cluster::start_parts`], so that a process that waits for the file
    /// finds all parts ready.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write_kubeconfig(&self) -> Result<()> {
        write_privately(&self.kubeconfig, &self.server.kubeconfig())
    }

    /// Returns a client of the API server.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the URL of the API server.
    pub fn url(&self) -> String {
        self.server.url().to_owned()
    }

    /// Returns the URL of the web page.
    pub fn page(&self) -> String {
        format!("{}{}/", self.server.url(), berth_page::PREFIX)
    }

    /// Returns the path of the kubeconfig file.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Creates objects of any kinds, several concurrently.
    ///
    /// # Errors
    /// Returns the first error, with the object's kind and name.
    pub async fn create_all(&self, objects: &[Value]) -> Result<()> {
        let create = |object: &Value| create(self.client.clone(), object.clone());
        futures::stream::iter(objects.iter().map(create)).buffer_unordered(CREATES_AT_ONCE).try_collect().await
    }

    /// Handles SIGUSR2 until a thread or task of the scheduler ends. Without a scheduler, logs at every signal that
    /// this process has no scheduler, and never returns.
    ///
    /// # Errors
    /// Returns the thread or task that has ended.
    pub async fn scheduler_ended(&self, signal: DebugSignal) -> Result<()> {
        let Some(scheduler) = &self.scheduler else {
            signal.decline().await;
            return Ok(());
        };
        tokio::select! {
            ended = scheduler.supervisor().first_end() => Err(ended.into()),
            () = signal.dump(self.client.clone(), scheduler.observer()) => Ok(()),
        }
    }

    /// Returns a loader of the objects of another cluster. Use it before [`Cluster::start_parts`].
    pub fn loader(&self) -> sim::Loader {
        self.server.objects().loader()
    }

    /// Stops all parts, the scheduler first.
    ///
    /// # Errors
    /// A part did not end in order.
    pub async fn stop(self) -> Result<()> {
        Ok(self.stop_parts().await?.shutdown().await?)
    }

    /// Stops all parts except the API server, the scheduler first.
    ///
    /// # Errors
    /// A part did not end in order.
    pub async fn stop_parts(self) -> Result<sim::Server> {
        if let Some(scheduler) = self.scheduler {
            scheduler.stop(STOP_TIMEOUT).await?;
        }
        self.controllers.lock().await.stop().await;
        Ok(self.server)
    }
}

/// Returns the command to run if the plugins can't be loaded.
fn hint(plugins: Option<&Path>) -> String {
    let dir = plugins.map_or_else(String::new, |dir| format!(" --plugins {}", quoted(dir.display())));
    format!("berth plugin list{dir}")
}

async fn create(client: Client, object: Value) -> Result<()> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let label = format!("{} {}", text("kind"), object["metadata"]["name"].as_str().unwrap_or_default());
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("kind")));
    let api: Api<DynamicObject> = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    };
    let object = serde_json::from_value(object.clone()).with_context(|| format!("reading {label}"))?;
    api.create(&PostParams::default(), &object).await.with_context(|| format!("creating {label}"))?;
    Ok(())
}

/// Writes the kubeconfig atomically, so that a process that waits for the file finds the complete content. Only the
/// owner can read the file, because a kubeconfig holds credentials.
fn write_privately(path: &Path, text: &str) -> Result<()> {
    ensure!(!path.is_dir(), "--kubeconfig {} is a directory; give the path of a file", path.display());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut file = NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("writing the kubeconfig {}", path.display()))
}
