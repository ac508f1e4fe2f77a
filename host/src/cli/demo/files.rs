//! The demo's files: a cluster of node pools, a workload of ordinary manifests, and what should become of it.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

const CLUSTER: &str = include_str!("../../../demo/cluster.yaml");
const WORKLOAD: &str = include_str!("../../../demo/workload.yaml");
const EXPECTED: &str = include_str!("../../../demo/expected.yaml");

/// `cluster.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cluster {
    pools: Vec<Pool>,
}

/// Nodes that are equal but for name and zone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Pool {
    name: String,
    count: usize,
    zones: Vec<String>,
    labels: BTreeMap<String, String>,
    #[serde(default)]
    taints: Vec<Value>,
    #[serde(default)]
    unschedulable: bool,
    allocatable: BTreeMap<String, String>,
    #[serde(default)]
    images: Vec<Image>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Image {
    name: String,
    size_bytes: i64,
}

/// What should become of one Deployment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// How many of its pods have a node.
    pub placed: usize,
    /// How many have none.
    #[serde(default)]
    pub pending: usize,
    /// What the message of those says, among other things.
    #[serde(default)]
    pub because: String,
}

/// The nodes, as objects of the API.
pub fn nodes() -> Result<Vec<Value>> {
    let cluster: Cluster = serde_saphyr::from_str(CLUSTER).context("reading demo/cluster.yaml")?;
    Ok(cluster.pools.iter().flat_map(|pool| (0..pool.count).map(|n| pool.node(n))).collect())
}

/// The manifests, as objects of the API.
pub fn workload() -> Result<Vec<Value>> {
    serde_saphyr::from_multiple(WORKLOAD).context("reading demo/workload.yaml")
}

/// By the Deployment's name.
pub fn expected() -> Result<BTreeMap<String, Expectation>> {
    serde_saphyr::from_str(EXPECTED).context("reading demo/expected.yaml")
}

impl Pool {
    fn node(&self, n: usize) -> Value {
        let name = format!("{}-{n}", self.name);
        let mut labels = self.labels.clone();
        labels.insert("kubernetes.io/hostname".into(), name.clone());
        labels.insert("kubernetes.io/os".into(), "linux".into());
        if let Some(zone) = self.zones.get(n % self.zones.len().max(1)) {
            labels.insert("topology.kubernetes.io/zone".into(), zone.clone());
        }
        let images: Vec<Value> =
            self.images.iter().map(|image| json!({"names": [image.name], "sizeBytes": image.size_bytes})).collect();
        json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "spec": {"taints": self.taints, "unschedulable": self.unschedulable},
            "status": {
                "capacity": self.allocatable,
                "allocatable": self.allocatable,
                "images": images,
                "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
                "nodeInfo": {
                    "architecture": labels.get("kubernetes.io/arch"), "operatingSystem": "linux",
                    "kubeletVersion": "v1.36.3", "containerRuntimeVersion": "containerd://2.0.0", "osImage": "Linux",
                    "kernelVersion": "6.1.0", "bootID": "", "machineID": "", "systemUUID": "", "kubeProxyVersion": "",
                },
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_agree_with_each_other() -> Result<()> {
        let workload = workload()?;
        let expected = expected()?;
        let mut replicas = BTreeMap::new();
        for object in &workload {
            let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            replicas.insert(name, object["spec"]["replicas"].as_u64().unwrap_or(1) as usize);
        }
        let planned: BTreeMap<String, usize> = expected
            .iter()
            .map(|(name, expectation)| (name.clone(), expectation.placed + expectation.pending))
            .collect();
        assert_eq!(replicas, planned);
        assert_eq!(nodes()?.len(), 50);
        Ok(())
    }
}
