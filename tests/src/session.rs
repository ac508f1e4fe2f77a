//! A scheduler at work, and a journal of what it does.

use anyhow::{Context, Result};
use berth::scheduler::Scheduler;
use berth::wasm::{Digest, PluginState, PluginStatus};
use kube::Client;
use serde_json::Value;

use crate::api;
use crate::journal::{Journal, Seen};
use crate::objects::pod;
use crate::target::Target;
use crate::wait::{Look, eventually};

/// What most tests start with.
pub struct Session<'a> {
    /// The API server.
    pub target: &'a Target,
    /// What becomes of the pods.
    pub journal: Journal,
    scheduler: Option<Scheduler>,
}

impl<'a> Session<'a> {
    /// Makes the nodes, then starts a scheduler that so knows all of them.
    ///
    /// # Errors
    /// The API server's or the scheduler's.
    pub async fn with_nodes(target: &'a Target, nodes: impl IntoIterator<Item = Value>) -> Result<Self> {
        api::create_all(&target.client, nodes).await?;
        Self::start(target).await
    }

    /// Starts a scheduler for what is there.
    ///
    /// # Errors
    /// The scheduler's.
    pub async fn start(target: &'a Target) -> Result<Self> {
        let journal = Journal::start(&target.client).await?;
        let scheduler = target.scheduler().await.context("starting the scheduler")?;
        Ok(Self { target, journal, scheduler: Some(scheduler) })
    }

    /// An administrator's client.
    pub fn client(&self) -> &Client {
        &self.target.client
    }

    /// Creates an object.
    ///
    /// # Errors
    /// The API server's.
    pub async fn create(&self, object: &Value) -> Result<()> {
        api::create(self.client(), object).await
    }

    /// Creates them.
    ///
    /// # Errors
    /// The API server's.
    pub async fn create_all(&self, objects: impl IntoIterator<Item = Value>) -> Result<()> {
        api::create_all(self.client(), objects).await
    }

    /// Makes pods `PREFIX-n` until one is rejected with this message: only then does the cluster, with its plugins, say
    /// so for every pod from now on. Its name.
    ///
    /// # Errors
    /// None was in time; tells what the last one was told.
    pub async fn until_rejecting(&self, prefix: &str, message: &str) -> Result<String> {
        let mut n = 0;
        eventually(&format!("new pods are rejected with {message:?}"), || {
            n += 1;
            let name = format!("{prefix}-{n}");
            async move {
                let seen = self.try_pod(&name).await?;
                match seen.rejection() {
                    Some(told) if told == message => Ok(Look::Yes(name)),
                    _ => Ok(Look::NotYet(format!("{name}: {seen:?}"))),
                }
            }
        })
        .await
    }

    /// Makes a small pod and waits until it is placed or rejected.
    ///
    /// # Errors
    /// It was neither in time.
    pub async fn try_pod(&self, name: &str) -> Result<Seen> {
        self.create(&pod(name, "1m")).await?;
        self.journal
            .until(&format!("pod {name} is placed or rejected"), |pods| match pods.by_name.get(name) {
                Some(seen) if seen.node.is_some() || seen.rejection().is_some() => Look::Yes(seen.clone()),
                seen => Look::NotYet(format!("{seen:?}")),
            })
            .await
    }

    /// Waits until the scheduler knows that the node takes no more pods, as `kubectl cordon` has it.
    ///
    /// # Errors
    /// It did not in time.
    pub async fn until_cordoned(&self, node: &str) -> Result<()> {
        eventually(&format!("the scheduler knows that {node} is cordoned"), || async {
            let node = node.to_owned();
            let looked = self.scheduler()?.inspect(move |core| {
                core.cache().nodes().any(|info| *info.node.name == *node && info.node.unschedulable)
            });
            Ok(Look::at(looked.await?, || "it does not".to_owned()))
        })
        .await
    }

    /// Waits until a node is chosen for the pod, and taken up for it, whether or not the pod waits for something more.
    ///
    /// # Errors
    /// There was none in time.
    pub async fn until_assumed(&self, pod: &str) -> Result<()> {
        eventually(&format!("a node is chosen for pod {pod}"), || async {
            let pod = pod.to_owned();
            let looked = self
                .scheduler()?
                .inspect(move |core| core.cache().pods().any(|(_, known)| *known.pod.key.name == *pod));
            Ok(Look::at(looked.await?, || "there is none".to_owned()))
        })
        .await
    }

    /// The digest of the component that serves from this file of the plugins directory.
    ///
    /// # Errors
    /// None does.
    pub fn digest_of(&self, file: &str) -> Result<Digest> {
        let plugins = self.scheduler()?.loader().status();
        let serving = plugins.iter().find(|plugin| is_of(plugin, file) && is_loaded(plugin));
        serving.and_then(|plugin| plugin.digest).with_context(|| format!("no plugin serves from {file}"))
    }

    /// Waits until another component serves from this file than the one of this digest.
    ///
    /// # Errors
    /// As [`Session::until_serving`].
    pub async fn until_exchanged(&self, file: &str, before: Digest) -> Result<()> {
        let other = |plugin: &PluginStatus| {
            is_of(plugin, file) && is_loaded(plugin) && plugin.digest.as_ref().is_some_and(|digest| *digest != before)
        };
        self.until_plugin(&format!("another component serves from {file}"), other).await
    }

    /// Waits until nothing serves from this file.
    ///
    /// # Errors
    /// Something still did in the end.
    pub async fn until_unloaded(&self, file: &str) -> Result<()> {
        eventually(&format!("nothing serves from {file}"), || async {
            let plugins = self.scheduler()?.loader().status();
            let serves = plugins.iter().any(|plugin| is_of(plugin, file));
            Ok(Look::at(!serves, || plugins.iter().map(line).collect::<Vec<_>>().join("; ")))
        })
        .await
    }

    /// Waits until this plugin serves in this version.
    ///
    /// # Errors
    /// It did not in time; tells which plugins there are.
    pub async fn until_serving(&self, name: &str, version: &str) -> Result<()> {
        let serves = |plugin: &PluginStatus| &*plugin.name == name && &*plugin.version == version && is_loaded(plugin);
        self.until_plugin(&format!("plugin {name} serves in version {version}"), serves).await
    }

    /// Waits until the plugin in this file of the plugins directory serves.
    ///
    /// # Errors
    /// As [`Session::until_serving`].
    pub async fn until_loaded(&self, file: &str) -> Result<()> {
        let loaded = |plugin: &PluginStatus| is_of(plugin, file) && is_loaded(plugin);
        self.until_plugin(&format!("the plugin in {file} serves"), loaded).await
    }

    /// Waits until this file of the plugins directory is refused, for a cause that says so.
    ///
    /// # Errors
    /// As [`Session::until_serving`].
    pub async fn until_refused(&self, file: &str, cause: &str) -> Result<()> {
        let refused = |plugin: &PluginStatus| {
            let said = plugin.last_error.as_deref().unwrap_or_default();
            is_of(plugin, file) && plugin.state == PluginState::Refused && said.contains(cause)
        };
        self.until_plugin(&format!("{file} is refused with {cause:?}"), refused).await
    }

    async fn until_plugin(&self, what: &str, is_it: impl Fn(&PluginStatus) -> bool) -> Result<()> {
        eventually(what, || async {
            let plugins = self.scheduler()?.loader().status();
            Ok(Look::at(plugins.iter().any(&is_it), || plugins.iter().map(line).collect::<Vec<_>>().join("; ")))
        })
        .await
    }

    fn scheduler(&self) -> Result<&Scheduler> {
        self.scheduler.as_ref().context("the session has no scheduler any more")
    }

    /// Stops the scheduler and has a last look for what must not happen.
    ///
    /// # Errors
    /// It did not stop, or something did happen.
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

fn is_of(plugin: &PluginStatus, file: &str) -> bool {
    plugin.source.to_string().ends_with(&format!("/{file}"))
}

fn line(plugin: &PluginStatus) -> String {
    let PluginStatus { name, version, source, state, last_error, .. } = plugin;
    format!("{name} {version} of {source}: {state:?} {}", last_error.as_deref().unwrap_or_default())
}
