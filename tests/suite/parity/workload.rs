//! The recorded workload in workload.yaml, converted to objects.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use berth_tests::objects::{self, NAMESPACE, with};
use serde::Deserialize;
use serde_json::{Value, json};

/// The content of workload.yaml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    seed: u64,
    nodes: Vec<Nodes>,
    /// The objects of the cluster that are neither nodes nor pods.
    pub objects: Vec<Value>,
    /// Groups of pods.
    pub pods: Vec<Pods>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nodes {
    name: String,
    count: usize,
    zones: Vec<String>,
    cpu: u32,
    #[serde(default)]
    labels: Value,
    #[serde(default)]
    images: Value,
    #[serde(default)]
    taints: Value,
    #[serde(default)]
    amounts: Value,
}

/// A group of pods that differ only by their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pods {
    /// The prefix of the pods' names.
    pub name: String,
    /// The number of pods.
    pub count: usize,
    placed: Option<usize>,
    #[serde(default)]
    first: bool,
    cpu: String,
    #[serde(default)]
    labels: Value,
    #[serde(default)]
    amounts: Value,
    image: Option<String>,
    port: Option<u16>,
    #[serde(default)]
    spec: Value,
}

impl Workload {
    /// Reads workload.yaml.
    ///
    /// # Errors
    /// Returns an error if the file is not a valid workload.
    pub fn read() -> Result<Self> {
        serde_saphyr::from_str(include_str!("workload.yaml")).context("workload.yaml")
    }

    /// Returns all nodes.
    pub fn nodes(&self) -> impl Iterator<Item = Value> {
        self.nodes.iter().flat_map(|nodes| (0..nodes.count).map(|n| nodes.node(n)))
    }

    /// Returns the zone of each node, by the node's name.
    pub fn zones(&self) -> BTreeMap<String, String> {
        let all = self.nodes.iter().flat_map(|nodes| (0..nodes.count).map(move |n| (nodes, n)));
        all.map(|(nodes, n)| (format!("{}-{n}", nodes.name), nodes.zone(n).to_owned())).collect()
    }

    /// Returns all pods in the order in which they are created: the groups with `first`, then all other pods, shuffled
    /// with the workload's seed.
    pub fn pods(&self) -> Vec<Value> {
        let of = |first: bool| {
            let groups = self.pods.iter().filter(move |pods| pods.first == first);
            groups.flat_map(|pods| (0..pods.count).map(|n| pods.pod(n))).collect::<Vec<Value>>()
        };
        let mut mixed = of(false);
        fastrand::Rng::with_seed(self.seed).shuffle(&mut mixed);
        of(true).into_iter().chain(mixed).collect()
    }
}

impl Nodes {
    fn zone(&self, n: usize) -> &str {
        &self.zones[n % self.zones.len()]
    }

    fn node(&self, n: usize) -> Value {
        let labels = with(json!({"topology.kubernetes.io/zone": self.zone(n)}), &object_or_empty(&self.labels));
        let amounts = object_or_empty(&self.amounts);
        let change = json!({
            "metadata": {"labels": labels},
            "spec": {"taints": self.taints},
            "status": {"capacity": amounts, "allocatable": amounts, "images": self.images},
        });
        with(objects::node(&format!("{}-{n}", self.name), self.cpu), &change)
    }
}

impl Pods {
    /// Returns how many pods of the group can be placed.
    pub fn placed(&self) -> usize {
        self.placed.unwrap_or(self.count)
    }

    fn pod(&self, n: usize) -> Value {
        let mut pod = objects::pod(&format!("{}-{n}", self.name), &self.cpu);
        let container = &mut pod["spec"]["containers"][0];
        let amounts = object_or_empty(&self.amounts);
        json_patch::merge(&mut container["resources"], &json!({"requests": amounts, "limits": amounts}));
        if let Some(image) = &self.image {
            container["image"] = image.as_str().into();
        }
        if let Some(port) = self.port {
            container["ports"] = json!([{"containerPort": port, "hostPort": port}]);
        }
        with(
            pod,
            &json!({"metadata": {"labels": self.labels, "namespace": NAMESPACE}, "spec": object_or_empty(&self.spec)}),
        )
    }
}

fn object_or_empty(value: &Value) -> Value {
    if value.is_null() { json!({}) } else { value.clone() }
}
