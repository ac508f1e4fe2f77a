//! The files of the demo: a cluster of node pools, a workload of ordinary manifests, and the expected outcome.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

const CLUSTER: &str = include_str!("../../../demo/cluster.yaml");
const WORKLOAD: &str = include_str!("../../../demo/workload.yaml");
const EXPECTED: &str = include_str!("../../../demo/expected.yaml");

/// The content of `cluster.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cluster {
    pools: Vec<Pool>,
}

/// A pool of nodes that differ only in name and zone.
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

/// The expected outcome of a Deployment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The number of pods with a node.
    pub placed: usize,
    /// The number of pods without a node.
    #[serde(default)]
    pub pending: usize,
    /// A part of the message of each pod without a node.
    #[serde(default)]
    pub because: String,
}

/// Returns the Node objects.
pub fn nodes() -> Result<Vec<Value>> {
    let cluster: Cluster = serde_saphyr::from_str(CLUSTER).context("reading demo/cluster.yaml")?;
    Ok(cluster.pools.iter().flat_map(|pool| (0..pool.count).map(|n| pool.node(n))).collect())
}

/// Returns the manifests of the workload.
pub fn workload() -> Result<Vec<Value>> {
    serde_saphyr::from_multiple(WORKLOAD).context("reading demo/workload.yaml")
}

/// Returns the expected outcome by Deployment name.
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
