//! Policy files, the configuration of old versions of kube-scheduler. Each predicate must keep a pod off a node, and
//! each priority must prefer a node.

mod predicates;
mod priorities;

use std::path::Path;

use anyhow::{Context, Result};
use berth_tests::objects::{pod, with};
use berth_tests::{Journal, Process, Target, api};
use serde_json::{Value, json};

crate::case::cases!(Both:
    every_predicate_keeps_a_pod_off,
    every_priority_prefers_a_node,
);

async fn every_predicate_keeps_a_pod_off(target: &Target) -> Result<()> {
    predicates::each_keeps_a_pod_off(&Scene::start(target).await?).await
}

async fn every_priority_prefers_a_node(target: &Target) -> Result<()> {
    priorities::each_prefers_a_node(&Scene::start(target).await?).await
}

/// An API server, and a journal of its pods.
struct Scene<'a> {
    target: &'a Target,
    journal: Journal,
}

impl<'a> Scene<'a> {
    async fn start(target: &'a Target) -> Result<Self> {
        Ok(Self { target, journal: Journal::start(&target.client).await? })
    }

    async fn create(&self, objects: Vec<Value>) -> Result<()> {
        api::create_all(&self.target.client, objects).await
    }

    /// Deletes these objects, whose kinds `Target::clean_up` does not cover.
    async fn delete(&self, objects: &[Value]) -> Result<()> {
        for object in objects {
            api::delete(&self.target.client, object).await?;
        }
        Ok(())
    }

    /// Starts a scheduler with a Policy file of the folder suite/policy and no other configuration.
    fn scheduler(&self, policy: &str) -> Result<Process> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/policy").join(policy);
        let file = file.to_str().context("the repository's path is text")?;
        Process::start(&self.target.kubeconfig, &["--leader-elect=false", "--policy-config-file", file])
    }
}

/// Returns a pod that is already on the node, with minimal requests and then the change.
fn resident(name: &str, node: &str, change: &Value) -> Value {
    let small = json!({"requests": {"cpu": "1m", "memory": "1Mi"}});
    let there = json!({"spec": {"nodeName": node, "containers": [{"name": "main", "image": "a", "resources": small}]}});
    with(with(pod(name, "1m"), &there), change)
}

/// Returns an object with these `metadata.labels`.
fn labels(labels: &Value) -> Value {
    json!({"metadata": {"labels": labels}})
}
