//! A case: a cluster, pods to schedule, and changes of the cluster. Both schedulers are asked about the pods before the
//! first change and after each change.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The input of both schedulers. Objects are Kubernetes objects as the API server would send them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The difference that a case in `cases/` once showed. Empty in a drawn case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// `pluginConfig[].args` by plugin.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The objects in the cluster.
    pub objects: Vec<Value>,
    /// The pods to ask about, one after the other. They do not become pods of the cluster.
    pub pods: Vec<Value>,
    /// The changes of the cluster, in order.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// A change of the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Adds an object, or replaces the object with the same kind, namespace and name.
    Set(Value),
    /// Removes an object, given by apiVersion, kind and metadata.
    Remove(Value),
}

impl Case {
    /// Reads a case from a file in `cases/`.
    ///
    /// # Errors
    /// Returns an error if the file can't be read or is not a valid case.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file)?;
        serde_json::from_str(&text).with_context(|| format!("{} is not a valid case", file.display()))
    }

    /// Returns the initial objects, then the objects that the changes set, in order. The pods to schedule are not
    /// included.
    pub fn set_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let later = self.changes.iter_mut().filter_map(|change| match change {
            Change::Set(object) => Some(object),
            Change::Remove(_) => None,
        });
        self.objects.iter_mut().chain(later)
    }

    /// Returns the state that a change's object had before the change, or `None` if the object did not exist. `change`
    /// is an index into `changes`.
    pub fn before(&self, change: usize) -> Option<&Value> {
        let (Change::Set(object) | Change::Remove(object)) = self.changes.get(change)?;
        let is_same = |other: &Value| {
            let name = |of: &Value| [&of["metadata"]["namespace"], &of["metadata"]["name"]].map(Value::clone);
            other["kind"] == object["kind"] && name(other) == name(object)
        };
        let earlier = self.changes.iter().take(change).rev().find_map(|earlier| match earlier {
            Change::Set(other) => is_same(other).then_some(Some(other)),
            Change::Remove(other) => is_same(other).then_some(None),
        });
        earlier.unwrap_or_else(|| self.objects.iter().find(|other| is_same(other)))
    }

    /// Returns the pods whose order in the queue is compared: first the pods among the initial objects, then the pods
    /// to schedule.
    pub fn queue(&self) -> impl Iterator<Item = &Value> {
        self.objects.iter().filter(|object| object["kind"] == "Pod").chain(&self.pods)
    }

    /// Returns true if a pod without a node has a nominated node. Only the initial objects and the changes count, not
    /// the pods to schedule.
    pub fn has_nominated_pods(&self) -> bool {
        let later = self.changes.iter().filter_map(|change| match change {
            Change::Set(object) => Some(object),
            Change::Remove(_) => None,
        });
        let waits = |pod: &Value| pod["spec"].get("nodeName").is_none();
        let mut all = self.objects.iter().chain(later);
        all.any(|object| waits(object) && object["status"].get("nominatedNodeName").is_some())
    }

    /// Returns the KubeSchedulerConfiguration of both schedulers: the default profile with the case's arguments.
    pub fn configuration(&self) -> Value {
        let config = self.arguments.iter().map(|(name, arguments)| json!({"name": name, "args": arguments}));
        json!({
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{
                "schedulerName": PROFILE,
                "pluginConfig": config.collect::<Vec<_>>(),
            }],
        })
    }
}

/// The name of the profile that all pods use.
pub const PROFILE: &str = "default-scheduler";
