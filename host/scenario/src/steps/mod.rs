//! The steps of a scenario.

mod checks;
mod nodes;
mod objects;

use std::path::Path;
use std::time::Duration;

use kube::Api;
use kube::api::DynamicObject;

use crate::cluster::Cluster;
use crate::conditions::Problem;
use crate::error::ScenarioError;
use crate::expand::ExpandedStep;
use crate::file::{ConfigSource, Nodes, PolicyChange, Step};
use crate::policy::{Policies, PolicySource};

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
            Step { delete: Some(wanted), .. } => self.delete(wanted, &format!("{path}.delete")).await?,
            Step { patch: Some(patch), .. } => self.patch(patch).await?,
            Step { scale: Some(scale), .. } => self.scale(scale).await?,
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
