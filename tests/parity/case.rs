//! A case: a cluster, pods to be placed, and changes after each of which they are asked about again.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What both sides are asked. Objects are Kubernetes' own, as the API server would send them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Of a case that is kept: what differed once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// `pluginConfig[].args` by plugin.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// All that is in the cluster.
    pub objects: Vec<Value>,
    /// Asked about one after the other, and never placed.
    pub pods: Vec<Value>,
    /// What happens then.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// Something that happens to the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// An object appears, or takes the place of the one of its name.
    Set(Value),
    /// An object goes: its apiVersion, kind and metadata.
    Remove(Value),
}

impl Case {
    /// Reads one that is kept.
    ///
    /// # Errors
    /// It can't be read.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file)?;
        serde_json::from_str(&text).with_context(|| format!("{} is no case", file.display()))
    }

    /// All objects that are there at some time, those to be placed apart: first those at the beginning.
    pub fn set_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let later = self.changes.iter_mut().filter_map(|change| match change {
            Change::Set(object) => Some(object),
            Change::Remove(_) => None,
        });
        self.objects.iter_mut().chain(later)
    }

    /// What a change is made to: the object as it was before, if it was there.
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

    /// All pods as if they waited: those that run came first.
    pub fn queue(&self) -> impl Iterator<Item = &Value> {
        self.objects.iter().filter(|object| object["kind"] == "Pod").chain(&self.pods)
    }

    /// Whether a pod that does not run is promised room.
    pub fn has_promises(&self) -> bool {
        let later = self.changes.iter().filter_map(|change| match change {
            Change::Set(object) => Some(object),
            Change::Remove(_) => None,
        });
        let waits = |pod: &Value| pod["spec"].get("nodeName").is_none();
        let mut all = self.objects.iter().chain(later);
        all.any(|object| waits(object) && object["status"].get("nominatedNodeName").is_some())
    }

    /// The KubeSchedulerConfiguration of both: the default profile.
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

/// The profile that all pods are asked about for.
pub const PROFILE: &str = "default-scheduler";
