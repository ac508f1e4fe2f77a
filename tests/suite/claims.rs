//! A pod's claim of a device: the pod goes where the device is, and the claim says so.

use anyhow::{Context, Result, ensure};
use berth_tests::objects::{NAMESPACE, nodes, pod, with};
use berth_tests::{Session, Target, api};
use kube::Client;
use serde_json::{Value, json};

crate::case::cases!(Both: a_claim_is_allocated_where_its_device_is);

const VERSION: &str = "resource.k8s.io/v1";
const DRIVER: &str = "gpu.example.com";
const CLAIM: &str = "claims-large";

async fn a_claim_is_allocated_where_its_device_is(target: &Target) -> Result<()> {
    let made = [class(), slice("claims-0", "40Gi"), slice("claims-1", "80Gi"), claim()];
    api::create_all(&target.client, made.iter().cloned()).await?;
    let placed = placed(target).await;
    // Whatever came of it, the next test finds none of this.
    for object in &made {
        let unprotected = json!({"metadata": {"finalizers": null}});
        if object["kind"] == "ResourceClaim" {
            api::patch(&target.client, object, unprotected).await?;
        }
        api::delete(&target.client, object).await?;
    }
    placed
}

async fn placed(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("claims", 2, 4)).await?;
    let claims = json!({"spec": {"resourceClaims": [{"name": "gpu", "resourceClaimName": CLAIM}]}});
    let pod = with(pod("claimant", "10m"), &claims);
    session.create(&pod).await?;
    let node = session.journal.placed_pod("claimant").await?;
    ensure!(node == "claims-1", "it is on {node}, whose device is too small");
    // It is written before the bind, so it is there.
    is_written(session.client(), &pod).await?;
    session.end().await
}

async fn is_written(client: &Client, pod: &Value) -> Result<()> {
    let claim = api::get(client, &claim()).await?.context("the claim is gone")?;
    let pod = api::get(client, pod).await?.context("the pod is gone")?;
    let result = &claim["status"]["allocation"]["devices"]["results"][0];
    ensure!(
        (&result["driver"], &result["pool"], &result["device"]) == (&json!(DRIVER), &json!("claims-1"), &json!("gpu")),
        "{result} is not the device that was asked for"
    );
    let user = &claim["status"]["reservedFor"][0];
    ensure!(user["uid"] == pod["metadata"]["uid"], "the claim is reserved for {user}");
    let finalizers = &claim["metadata"]["finalizers"];
    ensure!(finalizers == &json!(["resource.kubernetes.io/delete-protection"]), "the claim has {finalizers}");
    Ok(())
}

fn class() -> Value {
    let of_driver = json!({"cel": {"expression": format!("device.driver == '{DRIVER}'")}});
    json!({
        "apiVersion": VERSION, "kind": "DeviceClass",
        "metadata": {"name": "gpu.example.com"},
        "spec": {"selectors": [of_driver]},
    })
}

/// A device of so much memory on the node.
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
