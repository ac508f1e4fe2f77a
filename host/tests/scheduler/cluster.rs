//! An in-memory API server for tests of the running scheduler.

use std::path::PathBuf;

use berth_kube::lease::Record;
use berth_sim as sim;
use berth_test_kit::wait::until_some;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};
use tempfile::TempDir;

pub struct Cluster {
    server: sim::Server,
    pub client: Client,
    pub directory: TempDir,
    pub kubeconfig: PathBuf,
}

impl Cluster {
    pub async fn start() -> Self {
        let server = sim::Server::start(sim::Options::default()).await.expect("a server");
        let client = berth_kube::connect_to(&server.kubeconfig()).await.expect("a client");
        let directory = TempDir::new().expect("a directory");
        let kubeconfig = directory.path().join("kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig()).expect("written");
        Self { server, client, directory, kubeconfig }
    }

    pub async fn stop(self) {
        self.server.shutdown().await.expect("an orderly end");
    }

    pub async fn create(&self, object: &Value) {
        let text = |field: &str| object[field].as_str().expect("text");
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", text("apiVersion"), text("kind")));
        let api: Api<DynamicObject> = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        };
        let object = serde_json::from_value(object.clone()).expect("an object");
        api.create(&PostParams::default(), &object).await.expect("created");
    }

    pub async fn until_bound(&self, name: &str) {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), "default");
        until_some(&format!("pod {name} is bound"), async || {
            let pod = pods.get(name).await.expect("a pod");
            pod.spec.and_then(|spec| spec.node_name)
        })
        .await;
    }

    pub async fn until_lease_is(&self, what: &str, matches: impl Fn(&Record) -> bool) -> Record {
        let leases: Api<Lease> = Api::namespaced(self.client.clone(), "kube-system");
        until_some(&format!("the Lease is {what}"), async || {
            let lease = leases.get_opt("berth").await.expect("an answer")?;
            Some(Record::of_lease(&serde_json::to_value(lease).expect("JSON"))).filter(|record| matches(record))
        })
        .await
    }
}

/// Returns a node with ample resources.
pub fn node(name: &str) -> Value {
    let resources = json!({"cpu": "8", "memory": "16Gi", "pods": "100"});
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "status": {"capacity": resources, "allocatable": resources},
    })
}

/// Returns a small pod for this scheduler.
pub fn pod(name: &str, scheduler_name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "schedulerName": scheduler_name,
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}],
        },
    })
}
