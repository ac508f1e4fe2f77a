//! Tests that claims are created from pods' templates, and freed when the pods finish.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::kinds::Kind;
use super::super::{pod_claims, resource_claim};
use super::{ago, cluster, created, heads, key, lines, owned_by, pod, status, text, with};

fn template() -> Value {
    json!({
        "kind": "ResourceClaimTemplate",
        "metadata": { "namespace": "default", "name": "t" },
        "spec": { "metadata": { "labels": { "l": "v" } }, "spec": { "devices": { "requests": [] } } },
    })
}

fn wanting(more: Value) -> Value {
    pod("p", with(json!({ "spec": { "resourceClaims": [{ "name": "gpu", "resourceClaimTemplateName": "t" }] } }), more))
}

fn claim(more: Value) -> Value {
    let claim = json!({
        "kind": "ResourceClaim",
        "metadata": {
            "namespace": "default",
            "name": "c",
            "annotations": { "resource.kubernetes.io/pod-claim-name": "gpu" },
            "ownerReferences": owned_by("v1", "Pod", "p"),
            "finalizers": ["resource.kubernetes.io/delete-protection"],
        },
        "spec": {},
    });
    with(claim, more)
}

fn reserved() -> Value {
    claim(json!({ "status": {
        "allocation": {}, "reservedFor": [{ "resource": "pods", "name": "p", "uid": "p-uid" }],
    } }))
}

fn of_pod(objects: impl IntoIterator<Item = Value>) -> super::Plan {
    pod_claims::plan(&cluster(objects), &key("default/p"))
}

fn of_claim(cluster: &Cluster) -> Vec<String> {
    lines(&resource_claim::plan(cluster, &key("default/c")))
}

#[test]
fn a_claim_template_creates_a_claim_and_its_status_entry() {
    let first = of_pod([template(), wanting(json!({}))]);
    assert_eq!(heads(&first), ["create ResourceClaim default/p-gpu-*"]);
    let made = created(&first);
    assert_eq!(made["metadata"]["annotations"]["resource.kubernetes.io/pod-claim-name"], "gpu");
    assert_eq!(made["metadata"]["labels"], json!({ "l": "v" }));
    assert_eq!(made["metadata"]["ownerReferences"], owned_by("v1", "Pod", "p"));
    let second = of_pod([template(), wanting(json!({})), claim(json!({}))]);
    let written = status(&second, Kind::Pod);
    assert_eq!(written["resourceClaimStatuses"], json!([{ "name": "gpu", "resourceClaimName": "c" }]));
    let known = wanting(json!({ "status": written }));
    assert!(heads(&of_pod([template(), known])).is_empty());
    assert!(heads(&of_pod([wanting(json!({}))])).is_empty(), "the template isn't there yet");
    assert!(heads(&of_pod([template(), wanting(json!({ "status": { "phase": "Failed" } }))])).is_empty());
}

#[test]
fn an_ephemeral_volume_has_a_claim() {
    let source = json!({ "volumeClaimTemplate": { "spec": { "accessModes": ["ReadWriteOnce"] } } });
    let user = pod("p", json!({ "spec": { "volumes": [{ "name": "scratch", "ephemeral": source }] } }));
    assert_eq!(heads(&of_pod([user])), ["create PersistentVolumeClaim default/p-scratch"]);
}

#[test]
fn a_claim_is_freed_when_its_pod_has_ended() {
    let free = r#"patch ResourceClaim/status default/c {"status":{"allocation":null,"reservedFor":null}}"#;
    let running = wanting(json!({ "spec": { "nodeName": "n" }, "status": { "phase": "Running" } }));
    assert_eq!(of_claim(&cluster([reserved(), running.clone()])), [] as [&str; 0]);
    let ended = with(running.clone(), json!({ "status": { "phase": "Succeeded" } }));
    assert_eq!(of_claim(&cluster([reserved(), ended])), [free]);
    let mut gone = cluster([reserved(), running]);
    gone.remove(Kind::Pod, &key("default/p"), "p-uid");
    assert_eq!(of_claim(&gone), [free]);
    assert_eq!(of_claim(&cluster([reserved()])), [format!("{free} unless Pod default/p")], "it may be new");
}

#[test]
fn reservations_of_other_consumers_stay() {
    let shared = claim(json!({ "status": { "allocation": {}, "reservedFor": [
        { "resource": "pods", "name": "p", "uid": "p-uid" },
        { "apiGroup": "example.com", "resource": "jobs", "name": "x", "uid": "x" },
    ] } }));
    let ended = wanting(json!({ "status": { "phase": "Failed" } }));
    let left = json!({ "status": { "reservedFor": [
        { "apiGroup": "example.com", "name": "x", "resource": "jobs", "uid": "x" },
    ] } });
    assert_eq!(of_claim(&cluster([shared, ended])), [format!("patch ResourceClaim/status default/c {}", text(&left))]);
}

#[test]
fn a_claim_ends_after_its_allocation() {
    let going = |more: Value| claim(with(json!({ "metadata": { "deletionTimestamp": ago(1) } }), more));
    let allocated = going(json!({ "status": { "allocation": {} } }));
    assert_eq!(
        of_claim(&cluster([allocated])),
        [r#"patch ResourceClaim/status default/c {"status":{"allocation":null}}"#]
    );
    let release = r#"patch ResourceClaim default/c {"metadata":{"finalizers":[]}}"#;
    assert_eq!(of_claim(&cluster([going(json!({}))])), [release]);
    let ended = wanting(json!({ "status": { "phase": "Failed" } }));
    assert_eq!(of_claim(&cluster([claim(json!({})), ended])), ["delete ResourceClaim default/c"], "made for this pod");
}
