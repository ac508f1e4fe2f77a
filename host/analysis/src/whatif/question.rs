//! The data of a question.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A change of the cluster or of the scheduler's profiles. Without any field, the question is which of the pending pods
/// fit now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Question {
    /// Objects to create, as for `kubectl create`: pods, workloads with a pod template, and what these pods need, such
    /// as PersistentVolumeClaims.
    pub manifests: Vec<Value>,
    /// The namespace of manifests without a namespace; `default` if empty.
    pub namespace: String,
    /// Nodes to remove with all their pods, as if the machines had failed.
    pub remove_nodes: Vec<String>,
    /// Nodes to drain, as `kubectl drain --ignore-daemonsets` does.
    pub drain: Vec<String>,
    /// Nodes to add.
    pub add_nodes: Option<AddNodes>,
    /// Allow pods to preempt others.
    pub preempt: bool,
    /// The content of a configuration file, as `berth run --config` reads it. Its profiles replace those of the
    /// scheduler that is asked. They use the plugins that the scheduler has loaded. Other settings have no effect.
    pub configuration: Option<String>,
    /// Find the fewest nodes that still run all running pods. Excludes all other changes.
    pub compact: Option<Compact>,
}

/// Nodes to add.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddNodes {
    /// The number of nodes.
    pub count: usize,
    /// The existing node to copy, with its DaemonSet pods and its CSINode.
    pub like: String,
}

/// How to compact the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Compact {
    /// The seed of the orders in which nodes are removed.
    pub seed: u64,
    /// The number of trials, each with an order of its own.
    pub trials: usize,
}

impl Default for Compact {
    /// As in the paper of Verma, Korupolu and Wilkes: 11 trials.
    fn default() -> Self {
        Self { seed: 0, trials: 11 }
    }
}

impl Question {
    /// Returns whether the question changes nodes.
    pub(super) fn changes_nodes(&self) -> bool {
        !self.remove_nodes.is_empty() || !self.drain.is_empty() || self.add_nodes.is_some()
    }

    /// Returns the namespace of manifests without a namespace.
    pub(super) fn namespace(&self) -> &str {
        if self.namespace.is_empty() { "default" } else { &self.namespace }
    }
}
