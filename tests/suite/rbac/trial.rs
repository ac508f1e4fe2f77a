//! Runs a scheduler with the permissions of a manifest, or without one of them, and reports the result.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use berth_plugin_host::DiskCache;
use berth_test_kit::wait::{Look, PATIENCE, eventually};
use berth_tests::{Process, Target, directory};
use serde_json::Value;

use super::dump;
use super::install::Manifest;
use super::outcomes::{self, Outcome};
use super::rules::Rule;
use super::scene::Scene;

/// The contents of two files that are not plugins, for different reasons. Replacing one file by the other causes a
/// new refusal.
const BAD: [&[u8]; 2] = [b"", b"no component"];

/// The name of the scheduler's own pod.
const OWN: &str = "berth-0";

/// A running scheduler and its scene.
pub struct Trial {
    process: Process,
    scene: Scene,
    plugins: PathBuf,
    without: Option<Rule>,
}

/// The result of a trial.
pub struct TrialResult {
    /// The descriptions of the outcomes that did not happen.
    pub missing: Vec<&'static str>,
    /// The first log line with the API server's refusal of a request that the removed rule would allow. If no rule
    /// was removed, the first log line with any refusal.
    pub refusal: Option<String>,
    /// The scheduler's complete log.
    pub log: String,
}

impl Trial {
    /// Installs the manifest, except the rule `without`, and starts the scheduler with the ServiceAccount and the
    /// arguments of the manifest's pods.
    pub async fn start(target: &Target, mut manifest: Manifest, without: Option<&Rule>) -> Result<Self> {
        let kubeconfig = manifest.install(target, without).await?;
        let namespace = manifest.namespace.clone();
        let scene = Scene::new(target, &manifest, OWN).await?;
        let plugins = target.home().join(&namespace);
        fs::create_dir(&plugins)?;
        let mut arguments = arguments(&manifest, &plugins)?;
        // In a pod, the ServiceAccount reviews callers without these flags.
        let reviewer = kubeconfig.display();
        arguments.extend(["authentication", "authorization"].map(|what| format!("--{what}-kubeconfig={reviewer}")));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let process = Process::start_as(&kubeconfig, &arguments, Some((&namespace, OWN)))?;
        Ok(Self { process, scene, plugins, without: without.cloned() })
    }

    /// Lets the scheduler work until all outcomes of [`outcomes::WHILE_RUNNING`] have happened or a refusal is logged.
    /// Then stops the scheduler and checks all outcomes.
    pub async fn run(mut self) -> Result<TrialResult> {
        let worked = tokio::select! {
            biased;
            () = self.until_refused() => Ok(()),
            worked = self.work() => worked,
        };
        if let Err(failed) = worked {
            // A refusal can be the cause of the failure, and the log can report the refusal later.
            let refused = tokio::time::timeout(PATIENCE, self.until_refused()).await;
            refused.map_err(|_| anyhow!("{failed:#}\nberth's log:\n{}", self.process.log()))?;
        }
        // If the API server refused to renew the Lease, the scheduler may have ended by itself with an error.
        let stopped = self.process.stop().await;
        let refusal = self.process.log().lines().find(|line| self.is_refusal(line)).map(str::to_owned);
        if refusal.is_none() {
            stopped?;
        }
        let mut missing = Vec::new();
        for outcome in outcomes::all() {
            if !(outcome.has_happened)(&self.scene).await? {
                missing.push(outcome.description);
            }
        }
        Ok(TrialResult { missing, refusal, log: self.process.log() })
    }

    /// Returns true if the log line reports the refusal of a request that the removed rule would allow, or any refusal
    /// if no rule was removed.
    fn is_refusal(&self, line: &str) -> bool {
        let refusal = match &self.without {
            Some(Rule { verb, resource, .. }) => format!("cannot {verb} resource \"{resource}\""),
            None => "cannot ".to_owned(),
        };
        // The log is JSON, in which the quotes of a message are escaped.
        line.contains("is forbidden") && line.replace("\\\"", "\"").contains(&refusal)
    }

    /// Waits until a refusal is logged. Does not return if the process ends without a refusal.
    async fn until_refused(&self) {
        if self.process.until_line(|line| self.is_refusal(line)).await.is_none() {
            std::future::pending().await
        }
    }

    async fn work(&self) -> Result<()> {
        self.process.until_logged("scheduling pods").await?;
        let objects = self.scene.create_environment().await?;
        self.until_cached(&objects).await?;
        self.scene.create_pods().await?;
        self.repeat_refusals().await?;
        self.scene.ask_about_new_pod(&self.process).await?;
        for Outcome { description, has_happened, .. } in &outcomes::WHILE_RUNNING {
            eventually(description, || async {
                Ok(Look::at(has_happened(&self.scene).await?, || "it has not happened yet".into()))
            })
            .await?;
        }
        Ok(())
    }

    /// Waits until the scheduler knows these objects. Each kind has its own watch, so an object can arrive later
    /// than a pod that was created after it.
    async fn until_cached(&self, objects: &[Value]) -> Result<()> {
        eventually("the scheduler's cache has all objects", || async {
            let missing = dump::missing_objects(&self.process, objects).await?;
            Ok(Look::at(missing.is_empty(), || format!("the cache does not have {missing:?}")))
        })
        .await
    }

    /// Installs the two files of [`BAD`] in turn until an event counts repetitions of a refusal.
    async fn repeat_refusals(&self) -> Result<()> {
        let mut round = 0;
        eventually("an event counts repeated refusals", || {
            let bad = BAD[round % BAD.len()];
            round += 1;
            async move {
                directory::install(&self.plugins, "bad.wasm", bad)?;
                eventually("an event reports the refusal", || async {
                    let reported = self.scene.refusals().await?;
                    Ok(Look::at(reported >= round, || format!("events report {reported} refusals, not {round}")))
                })
                .await?;
                let counted = self.scene.has_counted_event(&self.scene.own, "PluginRefused").await?;
                Ok(Look::at(counted, || format!("no event counts repetitions after {round} refusals")))
            }
        })
        .await
    }
}

/// Returns the arguments of the manifest's container, with the paths and the address of the test.
fn arguments(manifest: &Manifest, plugins: &Path) -> Result<Vec<String>> {
    // Other tests have compiled the default plugins to the user's folder. With an empty folder, hosts that start together
    // would each compile all of them.
    let cache = DiskCache::folder_of_user().context("neither XDG_CACHE_HOME nor HOME is set")?;
    let mut arguments = manifest.arguments()?;
    // Without this argument, the port is the one that `Process` sets: any free port.
    arguments.retain(|argument| !argument.starts_with("--secure-port="));
    for argument in &mut arguments {
        let (flag, _) = argument.split_once('=').unwrap_or((argument, ""));
        match flag {
            "--plugins" => *argument = format!("--plugins={}", plugins.display()),
            "--cache-dir" => *argument = format!("--cache-dir={}", cache.display()),
            "--bind-address" => "--bind-address=127.0.0.1".clone_into(argument),
            _ => {}
        }
    }
    Ok(arguments)
}
