//! A cluster in this process: the embedded API server, its controllers, and a scheduler, as far as they are wanted.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube::{Api, Client};
use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::scheduler::{self, Scheduler};
use berth_admin::DebugSignal;
use berth_controllers as controllers;
use berth_sim as sim;

/// How long the parts may take to end.
const GOODBYE: Duration = Duration::from_secs(5);

/// How many objects are created at once.
const CREATES_AT_ONCE: usize = 32;

/// What is wanted.
#[derive(Debug, Default)]
pub struct Parts {
    /// The API server's port on loopback; 0 is any free one.
    pub port: u16,
    /// Where the kubeconfig goes; a private temporary directory if not given.
    pub kubeconfig: Option<PathBuf>,
    /// A directory of further plugins.
    pub plugins: Option<PathBuf>,
    /// Without the scheduler.
    pub no_scheduler: bool,
    /// Without the cluster's other hands.
    pub no_controllers: bool,
}

/// The running parts.
pub struct Cluster {
    server: sim::Server,
    client: Client,
    kubeconfig: PathBuf,
    /// Goes with the cluster.
    _directory: TempDir,
    controllers: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    scheduler: Option<Scheduler>,
}

impl Cluster {
    /// Starts the API server. The other parts wait for [`Cluster::start_parts`], so that objects can be made before.
    ///
    /// # Errors
    /// The port is taken.
    pub async fn start(parts: &Parts) -> Result<Self> {
        let options = sim::Options { port: parts.port, ..sim::Options::default() };
        let server = sim::Server::start(options).await.context("starting the embedded API server")?;
        let directory = TempDir::with_prefix("berth-").context("making a private directory for the kubeconfig")?;
        let kubeconfig = parts.kubeconfig.clone().unwrap_or_else(|| directory.path().join("kubeconfig"));
        let client = berth_kube::connect_to(&server.kubeconfig()).await?;
        Ok(Self { server, client, kubeconfig, _directory: directory, controllers: None, scheduler: None })
    }

    /// Starts the parts that are wanted beside the API server.
    ///
    /// # Errors
    /// The plugins can't be loaded.
    pub async fn start_parts(&mut self, parts: &Parts) -> Result<()> {
        if !parts.no_controllers {
            let (stop, stopped) = oneshot::channel();
            let run = controllers::run(self.client.clone(), controllers::Options::default(), stopped);
            let task = tokio::spawn(async move {
                if let Err(error) = run.await {
                    tracing::error!("the controllers ended: {error}");
                }
            });
            self.controllers = Some((stop, task));
        }
        if !parts.no_scheduler {
            let options = scheduler::Options { plugins_dir: parts.plugins.clone(), ..scheduler::Options::default() };
            self.scheduler = Some(Scheduler::start(self.client.clone(), options).await?);
        }
        Ok(())
    }

    /// Writes the kubeconfig: whoever waits for it finds all parts ready.
    ///
    /// # Errors
    /// It can't be written there.
    pub fn write_kubeconfig(&self) -> Result<()> {
        write_privately(&self.kubeconfig, &self.server.kubeconfig())
    }

    /// A client for the API server.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Where it serves.
    pub fn url(&self) -> String {
        self.server.url().to_owned()
    }

    /// The file for `kubectl`.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Creates objects of any kinds, several at once.
    ///
    /// # Errors
    /// The first that can't be created, by kind and name.
    pub async fn create_all(&self, objects: &[Value]) -> Result<()> {
        let create = |object: &Value| create(self.client.clone(), object.clone());
        futures::stream::iter(objects.iter().map(create)).buffer_unordered(CREATES_AT_ONCE).try_collect().await
    }

    /// Answers SIGUSR2 for as long as the scheduler lives. Returns if a part of the scheduler has ended.
    ///
    /// # Errors
    /// The part that has ended.
    pub async fn scheduler_lives(&self, signal: DebugSignal) -> Result<()> {
        let Some(scheduler) = &self.scheduler else {
            signal.decline().await;
            return Ok(());
        };
        tokio::select! {
            ended = scheduler.supervisor().first_end() => Err(ended.into()),
            () = signal.dump(self.client.clone(), scheduler.observer()) => Ok(()),
        }
    }

    /// Ends all parts, the scheduler first.
    ///
    /// # Errors
    /// One could not end in an orderly way.
    pub async fn stop(self) -> Result<()> {
        if let Some(scheduler) = self.scheduler {
            scheduler.stop(GOODBYE).await?;
        }
        if let Some((stop, task)) = self.controllers {
            drop(stop);
            // Whatever they were about to write concerns a cluster that ends with them.
            let _ = tokio::time::timeout(GOODBYE, task).await;
        }
        Ok(self.server.shutdown().await?)
    }
}

async fn create(client: Client, object: Value) -> Result<()> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let what = format!("{} {}", text("kind"), object["metadata"]["name"].as_str().unwrap_or_default());
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("kind")));
    let api: Api<DynamicObject> = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    };
    let object = serde_json::from_value(object.clone()).with_context(|| format!("reading {what}"))?;
    api.create(&PostParams::default(), &object).await.with_context(|| format!("creating {what}"))?;
    Ok(())
}

/// Whole or not at all, for its owner alone: whoever waits for the file finds it ready, and a kubeconfig is a key.
fn write_privately(path: &Path, text: &str) -> Result<()> {
    ensure!(!path.is_dir(), "--kubeconfig {} is a directory; name a file", path.display());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut file = NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("writing the kubeconfig {}", path.display()))
}
