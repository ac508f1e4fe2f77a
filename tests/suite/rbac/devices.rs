//! A pod that claims a device, on the scene's nodes a and b. The claim's status shows that the scheduler saw the
//! devices and wrote the allocation. Another pod requests an extended resource. A claim of an earlier attempt exists
//! for this pod. The scheduler must delete the earlier claim and create a new claim.

use anyhow::Result;
use berth_tests::api;
use berth_tests::objects::{NAMESPACE, pod, with};
use kube::Client;
use serde_json::{Value, json};

const VERSION: &str = "resource.k8s.io/v1";
const DRIVER: &str = "gpu.example.com";
const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// The pods with devices of one scene, and the objects that these pods need. All objects have the scene's name as a
/// part of their names.
pub struct Devices {
    client: Client,
    name: String,
    scheduler_name: String,
}

impl Devices {
    /// Returns the pods and objects of the scene `name`, for the scheduler `scheduler_name`. Creates no objects.
    pub fn new(client: &Client, name: &str, scheduler_name: &str) -> Self {
        Self { client: client.clone(), name: name.to_owned(), scheduler_name: scheduler_name.to_owned() }
    }

    /// Returns a device class, a slice with devices, and a claim.
    pub fn objects(&self) -> [Value; 3] {
        [self.class(), self.slice(), self.claim()]
    }

    /// Creates the gated pod, and the claim that an earlier attempt for this pod would have left. Returns the claim.
    pub async fn create_stale_claim(&self) -> Result<Value> {
        let asking = api::create_and_read(&self.client, &self.asking()).await?;
        api::create_and_read(&self.client, &self.stale_claim(&asking)).await
    }

    /// Creates the pod with the device claim, and removes the gate of the pod that requests the extended resource. Call
    /// this once the scheduler knows the objects.
    pub async fn create_pods(&self) -> Result<()> {
        api::create(&self.client, &self.pod()).await?;
        api::patch(&self.client, &self.asking(), json!({"spec": {"schedulingGates": null}})).await
    }

    /// Returns whether the pod's status names a claim for the extended resource, and the earlier attempt's claim is
    /// gone.
    pub async fn has_new_claim(&self) -> Result<bool> {
        let pod = api::get(&self.client, &self.asking()).await?.unwrap_or_default();
        let made = pod["status"]["extendedResourceClaimStatus"]["resourceClaimName"].is_string();
        Ok(made && api::get(&self.client, &self.stale_claim(&pod)).await?.is_none())
    }

    /// Returns whether the claim is allocated and has the finalizer that protects an allocation.
    pub async fn is_claim_allocated(&self) -> Result<bool> {
        let claim = api::get(&self.client, &self.claim()).await?.unwrap_or_default();
        let allocated = &claim["status"]["allocation"]["devices"]["results"][0]["pool"];
        Ok(*allocated == json!(self.name) && claim["metadata"]["finalizers"] == json!([FINALIZER]))
    }

    fn object(&self, kind: &str, spec: &Value) -> Value {
        json!({"apiVersion": VERSION, "kind": kind, "metadata": {"name": self.name}, "spec": spec})
    }

    fn class(&self) -> Value {
        let of_driver = json!({"cel": {"expression": format!("device.driver == '{DRIVER}'")}});
        self.object("DeviceClass", &json!({"selectors": [of_driver], "extendedResourceName": self.resource()}))
    }

    fn slice(&self) -> Value {
        let pool = json!({"name": self.name, "generation": 1, "resourceSliceCount": 1});
        let node = format!("{}-b", self.name);
        let spec =
            json!({"driver": DRIVER, "nodeName": node, "pool": pool, "devices": [{"name": "gpu"}, {"name": "other"}]});
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

    fn resource(&self) -> String {
        format!("{}.example.com/gpu", self.name)
    }

    /// Returns the gated pod that requests the extended resource. The test removes the gate once the scheduler knows
    /// the earlier attempt's claim.
    fn asking(&self) -> Value {
        let one = json!({ self.resource(): "1" });
        let container = json!({"name": "main", "image": "app", "resources": {"requests": one, "limits": one}});
        let spec = json!({
            "schedulerName": self.scheduler_name, "nodeSelector": {"pair": self.name},
            "schedulingGates": [{"name": "example.com/stale-claim"}], "containers": [container],
        });
        with(pod(&format!("extended-{}", self.name), "10m"), &json!({ "spec": spec }))
    }

    /// Returns the claim that an earlier attempt for the pod would have created.
    fn stale_claim(&self, pod: &Value) -> Value {
        let uid = &pod["metadata"]["uid"];
        let name = &pod["metadata"]["name"];
        let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": true});
        let metadata = json!({
            "name": format!("stale-{}", self.name),
            "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"}, "ownerReferences": [owner],
        });
        with(self.claim(), &json!({ "metadata": metadata }))
    }
}
