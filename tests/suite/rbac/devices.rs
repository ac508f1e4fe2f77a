//! A pod that claims a device, on the scene's pair of nodes: what the claim says tells that the scheduler saw the devices, and
//! wrote which is the pod's.

use anyhow::Result;
use berth_tests::api;
use berth_tests::objects::{NAMESPACE, pod, with};
use kube::Client;
use serde_json::{Value, json};

const VERSION: &str = "resource.k8s.io/v1";
const DRIVER: &str = "gpu.example.com";
const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// A pod of one scheduler, and the objects that it needs. All names are made from the scheduler's.
pub struct Devices {
    client: Client,
    name: String,
    scheduler_name: String,
}

impl Devices {
    /// For the scheduler of this name.
    pub fn new(client: &Client, name: &str, scheduler_name: &str) -> Self {
        Self { client: client.clone(), name: name.to_owned(), scheduler_name: scheduler_name.to_owned() }
    }

    /// First what there is of devices, then the pod: what the scheduler has not seen by then it sees later.
    pub async fn come(&self) -> Result<()> {
        for object in [self.class(), self.slice(), self.claim(), self.pod()] {
            api::create(&self.client, &object).await?;
        }
        Ok(())
    }

    /// Whether the claim has its device, and can't go as long as it has.
    pub async fn are_allocated(&self) -> Result<bool> {
        let claim = api::get(&self.client, &self.claim()).await?.unwrap_or_default();
        let allocated = &claim["status"]["allocation"]["devices"]["results"][0]["pool"];
        Ok(*allocated == json!(self.name) && claim["metadata"]["finalizers"] == json!([FINALIZER]))
    }

    fn object(&self, kind: &str, spec: &Value) -> Value {
        json!({"apiVersion": VERSION, "kind": kind, "metadata": {"name": self.name}, "spec": spec})
    }

    fn class(&self) -> Value {
        let of_driver = json!({"cel": {"expression": format!("device.driver == '{DRIVER}'")}});
        self.object("DeviceClass", &json!({"selectors": [of_driver]}))
    }

    fn slice(&self) -> Value {
        let pool = json!({"name": self.name, "generation": 1, "resourceSliceCount": 1});
        let node = format!("{}-b", self.name);
        let spec = json!({"driver": DRIVER, "nodeName": node, "pool": pool, "devices": [{"name": "gpu"}]});
        self.object("ResourceSlice", &spec)
    }

    fn claim(&self) -> Value {
        let exactly = json!({"deviceClassName": self.name, "allocationMode": "ExactCount", "count": 1});
        let spec = json!({"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}});
        with(self.object("ResourceClaim", &spec), &json!({"metadata": {"namespace": NAMESPACE}}))
    }

    fn pod(&self) -> Value {
        let claims = json!([{"name": "gpu", "resourceClaimName": self.name}]);
        let selector = json!({"pair": self.name});
        let spec = json!({"schedulerName": self.scheduler_name, "nodeSelector": selector, "resourceClaims": claims});
        with(pod(&format!("device-{}", self.name), "10m"), &json!({ "spec": spec }))
    }
}
