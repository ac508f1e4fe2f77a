//! Pods with volume claims, on the scene's nodes a and b. A pod's node, a claim's selected node and a volume's
//! `claimRef` show that the scheduler saw the storage objects.

use anyhow::Result;
use berth_tests::api;
use berth_tests::objects::{NAMESPACE, pod, with};
use kube::Client;
use serde_json::{Value, json};

const DRIVER: &str = "csi.example.com";

/// The pods with volume claims of one scene, and the objects that these pods need. All objects have the scene's name
/// as a part of their names.
pub struct Volumes {
    client: Client,
    name: String,
    scheduler_name: String,
}

impl Volumes {
    /// Returns the pods and objects of the scene `name`, for the scheduler `scheduler_name`. Creates no objects.
    pub fn new(client: &Client, name: &str, scheduler_name: &str) -> Self {
        Self { client: client.clone(), name: name.to_owned(), scheduler_name: scheduler_name.to_owned() }
    }

    /// Returns the storage objects.
    pub fn objects(&self) -> [Value; 12] {
        // Pods prefer node a, because node b has a pod with a large request. The only volume slot of node a is taken.
        let preferred = format!("{}-a", self.name);
        [
            self.csi_node(&preferred),
            self.attachment(&preferred),
            self.volume("attached"),
            self.volume("bound"),
            self.bound_claim(),
            self.driver(),
            self.capacity(),
            self.class(&self.named("made"), &self.driver_name()),
            self.class(&self.named("local"), "kubernetes.io/no-provisioner"),
            self.waiting_claim("made"),
            self.waiting_claim("local"),
            with(self.volume("local"), &json!({"spec": {"storageClassName": self.named("local")}})),
        ]
    }

    /// Marks the volume `local` as available, as the PersistentVolume controller would.
    pub async fn mark_available(&self) -> Result<()> {
        api::patch_status(&self.client, &self.volume("local"), json!({"phase": "Available"})).await
    }

    /// Creates the pods. Call this once the scheduler knows the objects.
    pub async fn create_pods(&self) -> Result<()> {
        for pod in ["bound", "made", "local"] {
            api::create(&self.client, &self.pod(pod)).await?;
        }
        Ok(())
    }

    /// Returns whether the pod `bound` is on node b. The only volume slot of node a is taken.
    pub async fn is_on_node_with_free_slot(&self) -> Result<bool> {
        Ok(self.node_of("bound").await? == json!(format!("{}-b", self.name)))
    }

    /// Returns whether the selected node of the claim `made` is node b, the only node with storage capacity.
    pub async fn is_node_selected(&self) -> Result<bool> {
        let claim = api::get(&self.client, &self.waiting_claim("made")).await?.unwrap_or_default();
        let selected = &claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"];
        Ok(*selected == json!(format!("{}-b", self.name)))
    }

    /// Returns whether the volume `local` is reserved for the claim `local`.
    pub async fn is_volume_reserved(&self) -> Result<bool> {
        let volume = api::get(&self.client, &self.volume("local")).await?.unwrap_or_default();
        Ok(volume["spec"]["claimRef"]["name"] == json!(self.named("local")))
    }

    async fn node_of(&self, pod: &str) -> Result<Value> {
        let pod = api::get(&self.client, &self.pod(pod)).await?;
        Ok(pod.map_or(Value::Null, |pod| pod["spec"]["nodeName"].clone()))
    }

    fn named(&self, prefix: &str) -> String {
        format!("{prefix}-{}", self.name)
    }

    /// Returns a pod that uses the claim with the pod's name.
    fn pod(&self, prefix: &str) -> Value {
        let name = self.named(prefix);
        let volume = json!({"name": "data", "persistentVolumeClaim": {"claimName": name}});
        let selector = json!({"pair": self.name});
        let spec = json!({"schedulerName": self.scheduler_name, "nodeSelector": selector, "volumes": [volume]});
        with(pod(&name, "10m"), &json!({ "spec": spec }))
    }

    fn csi_node(&self, node: &str) -> Value {
        let driver = json!({"name": DRIVER, "nodeID": node, "topologyKeys": null, "allocatable": {"count": 1}});
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": node},
            "spec": {"drivers": [driver]},
        })
    }

    fn attachment(&self, node: &str) -> Value {
        let source = json!({"persistentVolumeName": self.named("attached")});
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": self.named("attached")},
            "spec": {"attacher": DRIVER, "nodeName": node, "source": source},
        })
    }

    fn volume(&self, prefix: &str) -> Value {
        let name = self.named(prefix);
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"],
                "csi": {"driver": DRIVER, "volumeHandle": name},
            },
        })
    }

    fn claim(&self, prefix: &str, spec: &Value) -> Value {
        let bare = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": self.named(prefix), "namespace": NAMESPACE},
            "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
        });
        with(bare, &json!({ "spec": spec }))
    }

    /// Returns a claim that is bound to the volume `bound`, with the fields that the PersistentVolume controller sets.
    fn bound_claim(&self) -> Value {
        let bound = self.claim("bound", &json!({"volumeName": self.named("bound"), "storageClassName": ""}));
        with(bound, &json!({"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}))
    }

    /// Returns an unbound claim. The claim and the claim's StorageClass have the same name.
    fn waiting_claim(&self, prefix: &str) -> Value {
        self.claim(prefix, &json!({"storageClassName": self.named(prefix)}))
    }

    fn class(&self, name: &str, provisioner: &str) -> Value {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer",
        })
    }

    /// Returns a driver name that is unique to the scene, because CSIDrivers are cluster-scoped.
    fn driver_name(&self) -> String {
        format!("{}.example.com", self.name)
    }

    /// Returns a driver that reports storage capacity.
    fn driver(&self) -> Value {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": self.driver_name()},
            "spec": {"storageCapacity": true},
        })
    }

    /// Returns a CSIStorageCapacity for node b, which pods prefer less than node a.
    fn capacity(&self) -> Value {
        let node = json!({"matchLabels": {"kubernetes.io/hostname": format!("{}-b", self.name)}});
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
            "metadata": {"name": self.named("capacity"), "namespace": NAMESPACE},
            "storageClassName": self.named("made"), "capacity": "10Gi", "nodeTopology": node,
        })
    }
}
