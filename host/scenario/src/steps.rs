//! The steps of a scenario.

use std::path::Path;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{DeleteParams, DynamicObject, EvictParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::view::node_of;
use crate::conditions::{self, Problem, selection};
use crate::error::ScenarioError;
use crate::expand::{ExpandedStep, expanded};
use crate::file::{Condition, ConfigSource, Nodes, Objects, PolicyChange, Step, Wait};
use crate::policy::{Policies, PolicySource};

/// The field manager of a scenario.
const MANAGER: &str = "berth-scenario";

/// The time without a change of a pod after which `expect` looks at the cluster.
const QUIET: Duration = Duration::from_secs(3);

/// The longest time for which `expect` waits.
const MOST_UNREST: Duration = Duration::from_secs(600);

/// The longest wait if `wait` gives none.
const WITHIN: Duration = Duration::from_secs(60);

/// The pause before a refused eviction is tried again, as of `kubectl drain`.
const EVICTION_PAUSE: Duration = Duration::from_secs(5);

/// The longest time that a drain takes.
const DRAIN_TIME: Duration = Duration::from_secs(3600);

/// The largest size of a file of objects in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Does the steps of a scenario.
pub struct Runner<'a> {
    pub cluster: Cluster,
    /// The directory of the scenario.
    pub directory: &'a Path,
    pub policies: &'a dyn Policies,
    /// The objects that steps created, for a cluster that outlives the scenario.
    pub created: Vec<(Api<DynamicObject>, String)>,
    /// The number of conditions that were true.
    pub conditions: usize,
}

impl<'a> Runner<'a> {
    /// Returns a runner that has done no step.
    pub fn new(cluster: Cluster, directory: &'a Path, policies: &'a dyn Policies) -> Self {
        Self { cluster, directory, policies, created: Vec::new(), conditions: 0 }
    }

    /// Does a step. Returns what was found instead of what the step says.
    ///
    /// # Errors
    /// The step can't be done.
    pub async fn run(&mut self, step: &ExpandedStep) -> Result<Vec<Problem>, ScenarioError> {
        let done = self.action(step).await;
        match (&step.step.rejected, done) {
            (None, done) => done,
            (Some(expected), Ok(_)) => Err(ScenarioError::Step(format!(
                "the API server accepted the step, which should fail with {expected:?}"
            ))),
            (Some(expected), Err(ScenarioError::Step(why))) if why.contains(expected) => {
                self.conditions += 1;
                Ok(Vec::new())
            }
            (Some(expected), Err(error)) => {
                Err(ScenarioError::Step(format!("the step failed with another error than {expected:?}: {error}")))
            }
        }
    }

    async fn action(
        &mut self,
        ExpandedStep { path, step, variables }: &ExpandedStep,
    ) -> Result<Vec<Problem>, ScenarioError> {
        let nodes = |nodes: &Nodes| self.nodes(nodes);
        match step {
            Step { create: Some(objects), .. } => {
                for object in self.objects(objects, variables, path)? {
                    self.create(&object).await?;
                }
            }
            Step { apply: Some(objects), .. } => {
                for object in self.objects(objects, variables, path)? {
                    self.apply(&object).await?;
                }
            }
            Step { delete: Some(wanted), .. } => {
                let api =
                    self.cluster.kinds.api(wanted.api_version.as_deref(), &wanted.kind, wanted.namespace.as_deref());
                let (api, params) = (api.await?, DeleteParams::default());
                match (&wanted.name, &wanted.selector) {
                    (Some(name), None) => drop(api.delete(name, &params).await.map_err(rejected)?),
                    (None, Some(selector)) => {
                        let list = ListParams::default().labels(selector);
                        drop(api.delete_collection(&params, &list).await.map_err(rejected)?);
                    }
                    _ => return Err(ScenarioError::field(format!("{path}.delete"), "give either name or selector")),
                }
            }
            Step { patch: Some(patch), .. } => {
                let api = self.cluster.kinds.api(patch.api_version.as_deref(), &patch.kind, patch.namespace.as_deref());
                self.merge(&api.await?, &patch.name, patch.subresource.as_deref(), &patch.patch).await?;
            }
            Step { scale: Some(scale), .. } => {
                let api = self.cluster.kinds.api(None, &scale.kind, scale.namespace.as_deref()).await?;
                let patch = json!({ "spec": { "replicas": scale.replicas } });
                self.merge(&api, &scale.name, Some("scale"), &patch).await?;
            }
            Step { cordon: Some(wanted), .. } => self.set_unschedulable(&nodes(wanted)?, true).await?,
            Step { uncordon: Some(wanted), .. } => self.set_unschedulable(&nodes(wanted)?, false).await?,
            Step { drain: Some(wanted), .. } => self.drain(&nodes(wanted)?).await?,
            Step { fail: Some(wanted), .. } => self.set_failed("fail", &nodes(wanted)?, true).await?,
            Step { recover: Some(wanted), .. } => self.set_failed("recover", &nodes(wanted)?, false).await?,
            Step { advance: Some(time), .. } => {
                self.simulated("advance")?;
                self.cluster.clock.sleep(duration(time, &format!("{path}.advance"))?).await;
            }
            Step { scheduler: Some(change), .. } => {
                self.simulated("scheduler")?;
                let policy = self.policies.load(&source(change, self.directory))?;
                if let Some(simulated) = &mut self.cluster.simulated {
                    simulated.exchange(policy).await?;
                }
            }
            Step { wait: Some(wait), .. } => return self.wait(wait, path).await,
            Step { expect: Some(expected), .. } => return self.expect(expected, path).await,
            _ => return Err(ScenarioError::field(path, "the step does nothing")),
        }
        Ok(Vec::new())
    }

    /// Checks that the cluster is simulated.
    fn simulated(&self, step: &str) -> Result<(), ScenarioError> {
        let why =
            format!("the step `{step}` needs a simulated cluster, and can't be done on an API server of --kubeconfig");
        if self.cluster.simulated.is_some() { Ok(()) } else { Err(ScenarioError::Step(why)) }
    }

    /// Returns the objects of a step.
    fn objects(
        &self,
        objects: &Objects,
        variables: &crate::expression::Variables,
        path: &str,
    ) -> Result<Vec<Value>, ScenarioError> {
        let mut all = objects.objects.clone();
        for file in &objects.files {
            let whole = self.directory.join(file);
            let unreadable = |why: &dyn std::fmt::Display| ScenarioError::Step(format!("{}: {why}", whole.display()));
            let size = std::fs::metadata(&whole).map_err(|error| unreadable(&error))?.len();
            if size > MOST_BYTES {
                return Err(unreadable(&format_args!("the file has {size} bytes, more than {MOST_BYTES}")));
            }
            let text = std::fs::read_to_string(&whole).map_err(|error| unreadable(&error))?;
            let documents: Vec<Value> = serde_saphyr::from_multiple(&text).map_err(|error| unreadable(&error))?;
            for document in documents.into_iter().filter(|document| !document.is_null()) {
                all.push(expanded(&document, variables, file)?);
            }
        }
        if all.is_empty() {
            return Err(ScenarioError::field(path, "the step has no objects; give it objects or files"));
        }
        Ok(all)
    }

    async fn create(&mut self, object: &Value) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api_of(object).await?;
        let typed: DynamicObject = read(object)?;
        let created = api.create(&PostParams::default(), &typed).await.map_err(rejected)?;
        self.created.push((api, created.metadata.name.unwrap_or_default()));
        Ok(())
    }

    async fn apply(&mut self, object: &Value) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api_of(object).await?;
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let is_new = api.get_opt(&name).await.map_err(rejected)?.is_none();
        let params = PatchParams::apply(MANAGER).force();
        api.patch(&name, &params, &Patch::Apply(object)).await.map_err(rejected)?;
        if is_new {
            self.created.push((api, name));
        }
        Ok(())
    }

    async fn merge(
        &self,
        api: &Api<DynamicObject>,
        name: &str,
        subresource: Option<&str>,
        patch: &Value,
    ) -> Result<(), ScenarioError> {
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        let sent = match subresource {
            Some(subresource) => api.patch_subresource(subresource, name, &params, &patch).await,
            None => api.patch(name, &params, &patch).await,
        };
        sent.map(drop).map_err(rejected)
    }

    /// Returns the names of nodes.
    fn nodes(&self, wanted: &Nodes) -> Result<Vec<String>, ScenarioError> {
        let view = self.cluster.view();
        let found = selection::nodes(&view, wanted).map_err(ScenarioError::Step)?;
        let names: Vec<String> = found.iter().filter_map(|node| node.metadata.name.clone()).collect();
        if names.is_empty() {
            return Err(ScenarioError::Step(format!("no node is among {}", selection::text_of_nodes(wanted))));
        }
        Ok(names)
    }

    async fn set_unschedulable(&self, nodes: &[String], unschedulable: bool) -> Result<(), ScenarioError> {
        self.patch_nodes(nodes, &json!({ "spec": { "unschedulable": unschedulable } })).await
    }

    async fn set_failed(&self, step: &str, nodes: &[String], failed: bool) -> Result<(), ScenarioError> {
        self.simulated(step)?;
        let (name, value) = (berth_controllers::KUBELET, "stopped");
        let value = if failed { json!(value) } else { Value::Null };
        self.patch_nodes(nodes, &json!({ "metadata": { "annotations": { name: value } } })).await
    }

    async fn patch_nodes(&self, nodes: &[String], patch: &Value) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api(None, "Node", None).await?;
        for node in nodes {
            self.merge(&api, node, None, patch).await?;
        }
        Ok(())
    }

    /// Evicts the pods of nodes, except those of DaemonSets.
    async fn drain(&self, nodes: &[String]) -> Result<(), ScenarioError> {
        self.set_unschedulable(nodes, true).await?;
        let deadline = self.cluster.clock.instant() + DRAIN_TIME;
        let mut evicted: Vec<String> = Vec::new();
        loop {
            let pods: Vec<Pod> =
                self.cluster.view().pods.values().filter(|pod| is_drained(pod, nodes)).cloned().collect();
            if pods.is_empty() {
                return Ok(());
            }
            let mut last = None;
            for pod in pods {
                let meta = &pod.metadata;
                let uid = meta.uid.clone().unwrap_or_default();
                if evicted.contains(&uid) {
                    continue;
                }
                let api: Api<Pod> =
                    Api::namespaced(self.cluster.client.clone(), meta.namespace.as_deref().unwrap_or_default());
                match api.evict(meta.name.as_deref().unwrap_or_default(), &EvictParams::default()).await {
                    Ok(_) => evicted.push(uid),
                    Err(kube::Error::Api(status)) if status.code == 404 => evicted.push(uid),
                    // A disruption budget allows no eviction now.
                    Err(kube::Error::Api(status)) if status.code == 429 => last = Some(status.message.clone()),
                    Err(error) => return Err(rejected(error)),
                }
            }
            let pause = (self.cluster.clock.instant() + EVICTION_PAUSE).min(deadline);
            let is_done = |view: &crate::cluster::View| !view.pods.values().any(|pod| is_drained(pod, nodes));
            if !self.cluster.wait_until(pause, is_done).await && self.cluster.clock.instant() >= deadline {
                let why = last.unwrap_or_else(|| "their pods do not end".to_owned());
                return Err(ScenarioError::Step(format!("draining {} took an hour: {why}", nodes.join(", "))));
            }
        }
    }

    async fn wait(&mut self, wait: &Wait, path: &str) -> Result<Vec<Problem>, ScenarioError> {
        let within = wait.within.as_deref().map(|text| duration(text, &format!("{path}.wait.within"))).transpose()?;
        let deadline = self.cluster.clock.instant() + within.unwrap_or(WITHIN);
        let mut last = Ok(Vec::new());
        let place = |index: usize| format!("{path}.wait.until[{index}]");
        let is_true = |view: &crate::cluster::View| {
            last = check_all(&wait.until, view, &place);
            last.as_ref().map_or(true, Vec::is_empty)
        };
        self.cluster.wait_until(deadline, is_true).await;
        self.count(&wait.until, last)
    }

    async fn expect(&mut self, expected: &[Condition], path: &str) -> Result<Vec<Problem>, ScenarioError> {
        self.cluster.settle(QUIET, MOST_UNREST).await;
        let found = check_all(expected, &self.cluster.view(), &|index| format!("{path}.expect[{index}]"));
        self.count(expected, found)
    }

    fn count(
        &mut self,
        conditions: &[Condition],
        found: Result<Vec<Problem>, ScenarioError>,
    ) -> Result<Vec<Problem>, ScenarioError> {
        let problems = found?;
        self.conditions += conditions.len() - problems.len();
        Ok(problems)
    }
}

/// Returns what a policy is made of.
pub fn source(change: &PolicyChange, directory: &Path) -> PolicySource {
    PolicySource {
        config: change.config.as_ref().map(|config| match config {
            ConfigSource::Path(path) => Ok(directory.join(path)),
            ConfigSource::Inline(text) => Err(text.clone()),
        }),
        plugins: change.plugins.as_ref().map(|plugins| plugins.iter().map(|plugin| directory.join(plugin)).collect()),
    }
}

fn check_all(
    conditions: &[Condition],
    view: &crate::cluster::View,
    place: &dyn Fn(usize) -> String,
) -> Result<Vec<Problem>, ScenarioError> {
    let mut problems = Vec::new();
    for (index, condition) in conditions.iter().enumerate() {
        let checked = conditions::check(condition, view);
        problems.extend(checked.map_err(|why| ScenarioError::field(place(index), why))?);
    }
    Ok(problems)
}

/// Returns whether a drain of these nodes evicts the pod.
fn is_drained(pod: &Pod, nodes: &[String]) -> bool {
    let owners = pod.metadata.owner_references.iter().flatten();
    nodes.iter().any(|node| node == node_of(pod)) && !owners.into_iter().any(|owner| owner.kind == "DaemonSet")
}

fn read(object: &Value) -> Result<DynamicObject, ScenarioError> {
    serde_json::from_value(object.clone()).map_err(|error| ScenarioError::Step(format!("an object is wrong: {error}")))
}

fn rejected(error: kube::Error) -> ScenarioError {
    ScenarioError::Step(match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    })
}

/// Reads a duration.
fn duration(text: &str, path: &str) -> Result<Duration, ScenarioError> {
    berth_config::parse_duration(text).map_err(|why| ScenarioError::field(path, why))
}
