//! A running scheduler, and a journal of what it does.

use anyhow::{Context, Result};
use berth::scheduler::Scheduler;
use berth_plugin_host::{Digest, PluginState, PluginStatus};
use kube::Client;
use serde_json::Value;

use crate::api;
use crate::journal::{Journal, ObservedPod};
use crate::objects::pod;
use crate::target::Target;
use berth_test_kit::wait::{Look, eventually};

/// A scheduler and a journal, with which most tests start.
pub struct Session<'a> {
    /// The API server.
    pub target: &'a Target,
    /// The observed state of the pods.
    pub journal: Journal,
    scheduler: Option<Scheduler>,
}

impl<'a> Session<'a> {
    /// Creates the nodes, then starts a scheduler. The scheduler knows all of the nodes when it is ready.
    ///
    /// # Errors
    /// Returns the API server's or the scheduler's error.
    pub async fn with_nodes(target: &'a Target, nodes: impl IntoIterator<Item = Value>) -> Result<Self> {
        api::create_all(&target.client, nodes).await?;
        Self::start(target).await
    }

    /// Starts a scheduler for the objects that exist.
    ///
    /// # Errors
    /// Returns the scheduler's error.
    pub async fn start(target: &'a Target) -> Result<Self> {
        let journal = Journal::start(&target.client).await?;
        let scheduler = target.scheduler().await.context("starting the scheduler")?;
        Ok(Self { target, journal, scheduler: Some(scheduler) })
    }

    /// Returns an administrator's client.
    pub fn client(&self) -> &Client {
        &self.target.client
    }

    /// Creates an object.
    ///
    /// # Errors
    /// Returns the API server's error.
    pub async fn create(&self, object: &Value) -> Result<()> {
        api::create(self.client(), object).await
    }

    /// Creates objects, several at once.
    ///
    /// # Errors
    /// Returns the API server's error.
    pub async fn create_all(&self, objects: impl IntoIterator<Item = Value>) -> Result<()> {
        api::create_all(self.client(), objects).await
    }

    /// Creates pods `PREFIX-1`, `PREFIX-2` … until one is rejected with this message. From then on, every new pod
    /// gets this message: the scheduler has seen the cluster's latest changes and its plugins. Returns the name of
    /// the rejected pod.
    ///
    /// # Errors
    /// Returns an error if no pod was rejected with this message in time. The error has the last pod's state.
    pub async fn until_rejecting(&self, prefix: &str, message: &str) -> Result<String> {
        let mut n = 0;
        eventually(&format!("new pods are rejected with {message:?}"), || {
            n += 1;
            let name = format!("{prefix}-{n}");
            async move {
                let seen = self.probe_pod(&name).await?;
                match seen.rejection() {
                    Some(reason) if reason == message => Ok(Look::Yes(name)),
                    _ => Ok(Look::NotYet(format!("{name}: {seen:?}"))),
                }
            }
        })
        .await
    }

    /// Creates a small pod and waits until it is placed or rejected.
    ///
    /// # Errors
    /// Returns an error if the pod was neither placed nor rejected in time.
    pub async fn probe_pod(&self, name: &str) -> Result<ObservedPod> {
        self.create(&pod(name, "1m")).await?;
        self.journal
            .until(&format!("pod {name} is placed or rejected"), |pods| match pods.by_name.get(name) {
                Some(seen) if seen.node.is_some() || seen.rejection().is_some() => Look::Yes(seen.clone()),
                seen => Look::NotYet(format!("{seen:?}")),
            })
            .await
    }

    /// Waits until the node is unschedulable in the scheduler's cache.
    ///
    /// # Errors
    /// Returns an error if it did not in time.
    pub async fn until_cordoned(&self, node: &str) -> Result<()> {
        eventually(&format!("the scheduler knows that {node} is cordoned"), || async {
            let node = node.to_owned();
            let found = self.scheduler()?.inspect(move |core| {
                core.cache().nodes().any(|info| *info.node.name == *node && info.node.unschedulable)
            });
            Ok(Look::at(found.await?, || "the node is not cordoned in the cache".to_owned()))
        })
        .await
    }

    /// Waits until the pod is in the scheduler's cache: the scheduler has chosen a node for the pod, or the API server
    /// reports a node. The pod may still wait for permission.
    ///
    /// # Errors
    /// Returns an error if it did not in time.
    pub async fn until_assumed(&self, pod: &str) -> Result<()> {
        eventually(&format!("a node is chosen for pod {pod}"), || async {
            let pod = pod.to_owned();
            let found =
                self.scheduler()?.inspect(move |core| core.cache().pods().any(|(_, info)| *info.pod.key.name == *pod));
            Ok(Look::at(found.await?, || "the pod is not in the cache".to_owned()))
        })
        .await
    }

    /// Returns the digest of the component that serves from this file of the plugins directory.
    ///
    /// # Errors
    /// Returns an error if no component serves from the file.
    pub fn digest_of(&self, file: &str) -> Result<Digest> {
        let plugins = self.scheduler()?.loader().status();
        let serving = plugins.iter().find(|plugin| is_from_file(plugin, file) && is_loaded(plugin));
        serving.and_then(|plugin| plugin.digest).with_context(|| format!("no plugin serves from the file {file}"))
    }

    /// Waits until a component serves from this file of the plugins directory whose digest is not `before`.
    ///
    /// # Errors
    /// As [`Session::until_serving`].
    pub async fn until_exchanged(&self, file: &str, before: Digest) -> Result<()> {
        let other = |plugin: &PluginStatus| {
            is_from_file(plugin, file)
                && is_loaded(plugin)
                && plugin.digest.as_ref().is_some_and(|digest| *digest != before)
        };
        self.until_plugin(&format!("another component serves from {file}"), other).await
    }

    /// Waits until the loader reports no plugin, not even a refused one, from this file of the plugins directory.
    ///
    /// # Errors
    /// Returns an error if a component still served from the file when the time was over.
    pub async fn until_unloaded(&self, file: &str) -> Result<()> {
        eventually(&format!("no plugin serves from the file {file}"), || async {
            let plugins = self.scheduler()?.loader().status();
            let serves = plugins.iter().any(|plugin| is_from_file(plugin, file));
            Ok(Look::at(!serves, || plugins.iter().map(describe).collect::<Vec<_>>().join("; ")))
        })
        .await
    }

    /// Waits until this plugin serves in this version.
    ///
    /// # Errors
    /// Returns an error if it did not in time. The error lists the plugins.
    pub async fn until_serving(&self, name: &str, version: &str) -> Result<()> {
        let serves = |plugin: &PluginStatus| &*plugin.name == name && &*plugin.version == version && is_loaded(plugin);
        self.until_plugin(&format!("plugin {name} serves in version {version}"), serves).await
    }

    /// Waits until the plugin in this file of the plugins directory serves.
    ///
    /// # Errors
    /// As [`Session::until_serving`].
    pub async fn until_loaded(&self, file: &str) -> Result<()> {
        let loaded = |plugin: &PluginStatus| is_from_file(plugin, file) && is_loaded(plugin);
        self.until_plugin(&format!("the plugin in {file} serves"), loaded).await
    }

    /// Waits until this file of the plugins directory is refused with an error that contains `cause`.
    ///
    /// # Errors
    /// As [`Session::until_serving`].
    pub async fn until_refused(&self, file: &str, cause: &str) -> Result<()> {
        let refused = |plugin: &PluginStatus| {
            let error = plugin.last_error.as_deref().unwrap_or_default();
            is_from_file(plugin, file) && plugin.state == PluginState::Refused && error.contains(cause)
        };
        self.until_plugin(&format!("{file} is refused with {cause:?}"), refused).await
    }

    async fn until_plugin(&self, condition: &str, matches: impl Fn(&PluginStatus) -> bool) -> Result<()> {
        eventually(condition, || async {
            let plugins = self.scheduler()?.loader().status();
            Ok(Look::at(plugins.iter().any(&matches), || plugins.iter().map(describe).collect::<Vec<_>>().join("; ")))
        })
        .await
    }

    /// Returns the running scheduler.
    ///
    /// # Errors
    /// Returns an error if the scheduler has been stopped.
    pub fn scheduler(&self) -> Result<&Scheduler> {
        self.scheduler.as_ref().context("the session's scheduler has been stopped")
    }

    /// Stops the scheduler, and checks the journal for violations.
    ///
    /// # Errors
    /// Returns an error if the scheduler did not stop, or there was a violation.
    pub async fn end(mut self) -> Result<()> {
        if let Some(scheduler) = self.scheduler.take() {
            self.target.stop(scheduler).await?;
        }
        self.journal.check()
    }
}

fn is_loaded(plugin: &PluginStatus) -> bool {
    plugin.state == PluginState::Loaded
}

fn is_from_file(plugin: &PluginStatus, file: &str) -> bool {
    plugin.source.to_string().ends_with(&format!("/{file}"))
}

fn describe(plugin: &PluginStatus) -> String {
    let PluginStatus { name, version, source, state, last_error, .. } = plugin;
    format!("{name} {version} of {source}: {state:?} {}", last_error.as_deref().unwrap_or_default())
}
