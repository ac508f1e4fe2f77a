//! Steps about nodes.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::EvictParams;
use serde_json::{Value, json};

use super::{Runner, rejected};
use crate::cluster::View;
use crate::cluster::view::node_of;
use crate::conditions::selection;
use crate::error::ScenarioError;
use crate::file::Nodes;

/// The pause before a refused eviction is tried again, as of `kubectl drain`.
const EVICTION_PAUSE: Duration = Duration::from_secs(5);

/// The longest time that a drain takes.
const DRAIN_TIME: Duration = Duration::from_secs(3600);

impl Runner<'_> {
    /// Returns the names of nodes.
    pub(super) fn nodes(&self, wanted: &Nodes) -> Result<Vec<String>, ScenarioError> {
        let view = self.cluster.view();
        let found = selection::nodes(&view, wanted).map_err(ScenarioError::Step)?;
        let names: Vec<String> = found.iter().filter_map(|node| node.metadata.name.clone()).collect();
        if names.is_empty() {
            return Err(ScenarioError::Step(format!("no node is among {}", selection::text_of_nodes(wanted))));
        }
        Ok(names)
    }

    pub(super) async fn set_unschedulable(&self, nodes: &[String], unschedulable: bool) -> Result<(), ScenarioError> {
        self.patch_nodes(nodes, &json!({ "spec": { "unschedulable": unschedulable } })).await
    }

    pub(super) async fn set_failed(&self, step: &str, nodes: &[String], failed: bool) -> Result<(), ScenarioError> {
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
    pub(super) async fn drain(&self, nodes: &[String]) -> Result<(), ScenarioError> {
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
            let is_done = |view: &View| !view.pods.values().any(|pod| is_drained(pod, nodes));
            if !self.cluster.wait_until(pause, is_done).await && self.cluster.clock.instant() >= deadline {
                let why = last.unwrap_or_else(|| "their pods do not end".to_owned());
                return Err(ScenarioError::Step(format!("draining {} took an hour: {why}", nodes.join(", "))));
            }
        }
    }
}

/// Returns whether a drain of these nodes evicts the pod.
fn is_drained(pod: &Pod, nodes: &[String]) -> bool {
    let owners = pod.metadata.owner_references.iter().flatten();
    nodes.iter().any(|node| node == node_of(pod)) && !owners.into_iter().any(|owner| owner.kind == "DaemonSet")
}
