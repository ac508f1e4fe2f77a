//! Loads the plugins and profiles of scenarios, each only once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use berth_config::Configuration;
use berth_config::v1alpha1::BerthConfiguration;
use berth_core::queue::Backoff;
use berth_plugin_host::{ComponentSet, LoaderOptions};
use berth_replay::patient;
use berth_scenario::{Policies, Policy, PolicySource, ScenarioError};
use tempfile::TempDir;

use crate::cli::chain;

/// The policies of a run.
pub(super) struct LoadedPolicies {
    /// The configuration of the command line.
    config: Option<PathBuf>,
    /// The plugins directory of the command line.
    plugins: Option<PathBuf>,
    kept: Mutex<Kept>,
}

/// What was loaded.
#[derive(Default)]
struct Kept {
    policies: BTreeMap<PolicySource, Policy>,
    paths: BTreeSet<PathBuf>,
}

impl LoadedPolicies {
    /// Returns policies for scenarios that name no configuration or no plugins: those of the command line.
    pub fn new(config: Option<PathBuf>, plugins: Option<PathBuf>) -> Self {
        Self { config, plugins, kept: Mutex::default() }
    }

    /// Returns the files and directories of the policies that were loaded.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.kept().paths.iter().cloned().collect()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the source with what the command line says in place of what is missing.
    fn completed(&self, source: &PolicySource) -> PolicySource {
        PolicySource {
            config: source.config.clone().or_else(|| self.config.clone().map(Ok)),
            plugins: source.plugins.clone().or_else(|| self.plugins.clone().map(|directory| vec![directory])),
        }
    }
}

impl Policies for LoadedPolicies {
    fn load(&self, source: &PolicySource) -> Result<Policy, ScenarioError> {
        let source = self.completed(source);
        // The lock is held while a policy is loaded, so that two scenarios do not compile the same plugins.
        let mut kept = self.kept();
        if let Some(policy) = kept.policies.get(&source) {
            return Ok(policy.clone());
        }
        kept.paths.extend(source.paths());
        let policy = load(&source).map_err(|error| ScenarioError::Policy(chain(&error)))?;
        kept.policies.insert(source, policy.clone());
        Ok(policy)
    }
}

fn load(source: &PolicySource) -> Result<Policy> {
    let configuration = match &source.config {
        Some(Ok(file)) => berth_config::load(file)?,
        Some(Err(text)) => berth_config::parse(text, "the configuration in the scenario")?,
        None => Configuration::default_profile(None),
    };
    let Configuration { berth, profiles, extenders, pod_initial_backoff, pod_max_backoff, .. } = configuration;
    ensure!(
        extenders.is_empty(),
        "the configuration has extenders, which a scenario in simulated time can't ask; remove them, or use --kubeconfig"
    );
    let own = berth.plugin_directory.clone().map(|directory| vec![directory]);
    let components = components(&source.plugins.clone().or(own).unwrap_or_default(), &berth)?;
    let backoff = Backoff { initial: pod_initial_backoff, max: pod_max_backoff };
    Ok(Policy { components: Arc::new(components), specs: profiles, backoff })
}

/// Loads the default plugins and the components of these files and directories. A later one replaces an earlier one of the
/// same plugin.
fn components(paths: &[PathBuf], berth: &BerthConfiguration) -> Result<ComponentSet> {
    let limits = Arc::new(patient(&berth.limits()));
    let options = |directory: Option<PathBuf>| crate::loader_options(berth, directory, Arc::clone(&limits));
    // Most scenarios have one directory, which needs no copies.
    let (first, others) = match paths {
        [first, others @ ..] if first.is_dir() => (Some(first.clone()), others),
        all => (None, all),
    };
    let mut set = ComponentSet::load(&options(first)?)?;
    for path in others {
        let more = load_one(path, options(None)?).with_context(|| path.display().to_string())?;
        let loaded: Vec<_> = more.components().map(Arc::clone).collect();
        for component in loaded {
            set = set.with(component);
        }
    }
    Ok(set)
}

/// Loads the components of a directory, or one component.
fn load_one(path: &Path, options: LoaderOptions) -> Result<ComponentSet> {
    ensure!(path.exists(), "the file or directory does not exist");
    let copy;
    let directory = if path.is_dir() {
        path.to_owned()
    } else {
        copy = TempDir::with_prefix("berth-").context("creating a temporary directory for the component")?;
        std::fs::copy(path, copy.path().join("plugin.wasm")).context("copying the component")?;
        copy.path().to_owned()
    };
    let set = ComponentSet::load(&LoaderOptions { plugins_dir: Some(directory), built_in: Vec::new(), ..options })?;
    if !path.is_dir()
        && let Some(why) = set.refused().next()
    {
        bail!("the component is refused: {why}");
    }
    Ok(set)
}
