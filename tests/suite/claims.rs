//! ResourceClaims: the pod goes to the node that has the device, and the claim gets an allocation. For an extended
//! resource of a DeviceClass, the scheduler creates a claim. If a pod can only go to another node, the allocation of a
//! claim that no other pod uses is replaced.

use anyhow::{Context, Result, ensure};
use berth_tests::objects::{NAMESPACE, nodes, pod, with};
use berth_tests::{Session, Target, api};
use kube::Client;
use serde_json::{Value, json};

crate::case::cases!(Both:
    a_claim_is_allocated_on_the_node_with_its_device,
    an_extended_resource_becomes_a_claim_of_its_class,
    an_unused_claim_is_allocated_again_on_another_node,
);

const VERSION: &str = "resource.k8s.io/v1";
const DRIVER: &str = "gpu.example.com";
const CLAIM: &str = "claims-large";
const RESOURCE: &str = "example.com/claimed-gpu";

async fn a_claim_is_allocated_on_the_node_with_its_device(target: &Target) -> Result<()> {
    with_devices(target, vec![claim()], placed(target)).await
}

async fn an_extended_resource_becomes_a_claim_of_its_class(target: &Target) -> Result<()> {
    with_devices(target, Vec::new(), extended(target)).await
}

async fn an_unused_claim_is_allocated_again_on_another_node(target: &Target) -> Result<()> {
    with_devices(target, vec![claim()], allocated_again(target)).await
}

/// Runs `test` while a DeviceClass, devices of two nodes, and these claims exist.
async fn with_devices(
    target: &Target,
    claims: Vec<Value>,
    test: impl Future<Output = Result<()>> + Send,
) -> Result<()> {
    let mut made = vec![class(), slice("claims-0", "40Gi"), slice("claims-1", "80Gi")];
    made.extend(claims);
    api::create_all(&target.client, made.clone()).await?;
    let result = test.await;
    // The objects are removed whether or not the test succeeds, so that the next test does not find them.
    for object in &made {
        remove(&target.client, object).await?;
    }
    result
}

async fn remove(client: &Client, object: &Value) -> Result<()> {
    if object["kind"] == "ResourceClaim" {
        api::patch(client, object, json!({"metadata": {"finalizers": null}})).await?;
    }
    api::delete(client, object).await
}

async fn extended(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("claims", 2, 4)).await?;
    let one = json!({ RESOURCE: "1" });
    let container = json!({"name": "main", "image": "app", "resources": {"requests": one, "limits": one}});
    let pod = with(pod("asking", "10m"), &json!({"spec": {"containers": [container]}}));
    session.create(&pod).await?;
    let node = session.journal.until_pod_placed("asking").await?;
    // The scheduler writes the pod's status before it binds the pod.
    let found = api::get(session.client(), &pod).await?.context("the pod is gone")?;
    let named = &found["status"]["extendedResourceClaimStatus"];
    let mapping = json!({"containerName": "main", "resourceName": RESOURCE, "requestName": "container-0-request-0"});
    ensure!(named["requestMappings"] == json!([mapping]), "the pod's status has another request mapping: {named}");
    let made = with(claim(), &json!({"metadata": {"name": named["resourceClaimName"]}}));
    let claim = api::get(session.client(), &made).await?.context("the claim is gone")?;
    let metadata = &claim["metadata"];
    ensure!(
        metadata["annotations"] == json!({"resource.kubernetes.io/extended-resource-claim": "true"}),
        "the claim has other annotations: {metadata}"
    );
    ensure!(
        metadata["ownerReferences"][0]["uid"] == found["metadata"]["uid"],
        "the claim is not owned by the pod: {metadata}"
    );
    ensure!(
        metadata["finalizers"] == json!(["resource.kubernetes.io/delete-protection"]),
        "the claim has other finalizers: {metadata}"
    );
    let status = &claim["status"];
    ensure!(
        status["allocation"]["devices"]["results"][0]["pool"] == json!(node),
        "the allocated device is not on {node}: {status}"
    );
    ensure!(
        status["reservedFor"][0]["uid"] == found["metadata"]["uid"],
        "the claim is not reserved for the pod: {status}"
    );
    remove(session.client(), &made).await?;
    session.end().await
}

/// The claim is allocated on the node `claims-0`, and the pod may only go to the node `claims-1`.
async fn allocated_again(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("claims", 2, 4)).await?;
    let here = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["claims-0"]}]});
    let result = json!({"request": "gpu", "driver": DRIVER, "pool": "claims-0", "device": "gpu"});
    let allocation = json!({"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [here]}});
    api::patch_status(session.client(), &claim(), json!({ "allocation": allocation })).await?;
    let spec = json!({
        "resourceClaims": [{"name": "gpu", "resourceClaimName": CLAIM}],
        "nodeSelector": {"kubernetes.io/hostname": "claims-1"},
    });
    let pod = with(pod("mover", "10m"), &json!({ "spec": spec }));
    session.create(&pod).await?;
    let node = session.journal.until_pod_placed("mover").await?;
    ensure!(node == "claims-1", "the pod is on {node}, not on claims-1");
    check_allocation(session.client(), &pod).await?;
    session.end().await
}

async fn placed(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("claims", 2, 4)).await?;
    let claims = json!({"spec": {"resourceClaims": [{"name": "gpu", "resourceClaimName": CLAIM}]}});
    let pod = with(pod("claimant", "10m"), &claims);
    session.create(&pod).await?;
    let node = session.journal.until_pod_placed("claimant").await?;
    ensure!(node == "claims-1", "the pod is on {node}, whose device is too small");
    // The scheduler writes the claim's allocation before it binds the pod.
    check_allocation(session.client(), &pod).await?;
    session.end().await
}

async fn check_allocation(client: &Client, pod: &Value) -> Result<()> {
    let claim = api::get(client, &claim()).await?.context("the claim is gone")?;
    let pod = api::get(client, pod).await?.context("the pod is gone")?;
    let result = &claim["status"]["allocation"]["devices"]["results"][0];
    ensure!(
        (&result["driver"], &result["pool"], &result["device"]) == (&json!(DRIVER), &json!("claims-1"), &json!("gpu")),
        "the claim has another device than gpu of claims-1: {result}"
    );
    let user = &claim["status"]["reservedFor"][0];
    ensure!(user["uid"] == pod["metadata"]["uid"], "the claim is reserved for {user}");
    let finalizers = &claim["metadata"]["finalizers"];
    ensure!(
        finalizers == &json!(["resource.kubernetes.io/delete-protection"]),
        "the claim has the finalizers {finalizers}"
    );
    Ok(())
}

fn class() -> Value {
    let of_driver = json!({"cel": {"expression": format!("device.driver == '{DRIVER}'")}});
    json!({
        "apiVersion": VERSION, "kind": "DeviceClass",
        "metadata": {"name": "gpu.example.com"},
        "spec": {"selectors": [of_driver], "extendedResourceName": RESOURCE},
    })
}

/// Returns a ResourceSlice with one device on the node. The device has this much memory.
fn slice(node: &str, memory: &str) -> Value {
    json!({
        "apiVersion": VERSION, "kind": "ResourceSlice",
        "metadata": {"name": node},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "gpu", "capacity": {"memory": {"value": memory}}}],
        },
    })
}

fn claim() -> Value {
    let large = format!("device.capacity['{DRIVER}'].memory.compareTo(quantity('64Gi')) >= 0");
    let exactly = json!({
        "deviceClassName": "gpu.example.com",
        "allocationMode": "ExactCount",
        "count": 1,
        "selectors": [{"cel": {"expression": large}}],
    });
    json!({
        "apiVersion": VERSION, "kind": "ResourceClaim",
        "metadata": {"name": CLAIM, "namespace": NAMESPACE},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}},
    })
}
