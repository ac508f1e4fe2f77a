//! Tests that the garbage collector deletes objects whose owners are gone, and completes deletions that wait for
//! dependents.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::collector;
use super::super::kinds::Kind;
use super::{ago, cluster, key, lines, owned_by, pod, text, with};

fn set(name: &str, more: Value) -> Value {
    let set = json!({
        "kind": "ReplicaSet",
        "metadata": { "namespace": "default", "name": name },
        "spec": { "replicas": 1, "selector": { "matchLabels": { "app": "a" } } },
    });
    with(set, more)
}

fn owned(name: &str, owners: &[&str]) -> Value {
    let owners: Vec<Value> = owners.iter().map(|owner| owned_by("apps/v1", "ReplicaSet", owner)[0].clone()).collect();
    pod(name, json!({ "metadata": { "ownerReferences": owners } }))
}

fn deleting(finalizer: &str) -> Value {
    json!({ "metadata": { "deletionTimestamp": ago(1), "finalizers": [finalizer] } })
}

fn of_pod(cluster: &Cluster) -> Vec<String> {
    lines(&collector::plan(cluster, Kind::Pod, &key("default/p")))
}

fn of_set(cluster: &Cluster) -> Vec<String> {
    lines(&collector::plan(cluster, Kind::ReplicaSet, &key("default/r")))
}

#[test]
fn a_dependent_is_kept_while_an_owner_exists() {
    let mut gone = cluster([set("r", json!({})), owned("p", &["r"])]);
    assert_eq!(of_pod(&gone), [] as [String; 0]);
    gone.remove(Kind::ReplicaSet, &key("default/r"), "r-uid");
    assert_eq!(of_pod(&gone), ["delete Pod default/p"]);
}

#[test]
fn an_unknown_owner_is_looked_up_first() {
    let cluster = cluster([owned("p", &["r"])]);
    assert_eq!(of_pod(&cluster), ["delete Pod default/p unless ReplicaSet r"]);
}

#[test]
fn a_reference_to_a_deleted_owner_is_removed() {
    let mut cluster = cluster([set("r", json!({})), set("s", json!({})), owned("p", &["r", "s"])]);
    cluster.remove(Kind::ReplicaSet, &key("default/r"), "r-uid");
    let left = owned_by("apps/v1", "ReplicaSet", "s");
    assert_eq!(
        of_pod(&cluster),
        [format!("patch Pod default/p {}", text(&json!({ "metadata": { "ownerReferences": left } })))]
    );
}

#[test]
fn an_owner_in_another_namespace_does_not_count() {
    let stranger = set("r", json!({ "metadata": { "namespace": "other" } }));
    assert_eq!(of_pod(&cluster([stranger, owned("p", &["r"])])), ["delete Pod default/p unless ReplicaSet r"]);
}

#[test]
fn a_foreground_deletion_waits_for_the_dependents_that_block_it() {
    let waiting = set("r", deleting("foregroundDeletion"));
    let both = cluster([waiting.clone(), owned("p", &["r"])]);
    assert_eq!(of_set(&both), [] as [String; 0]);
    assert_eq!(of_pod(&both), ["delete Pod default/p"]);
    let mut free = owned("p", &["r"]);
    free["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = json!(false);
    let release = r#"patch ReplicaSet default/r {"metadata":{"finalizers":[]}}"#;
    assert_eq!(of_set(&cluster([waiting.clone(), free])), [release]);
    assert_eq!(of_set(&cluster([waiting])), [release]);
}

#[test]
fn a_foreground_deletion_reaches_all_descendants() {
    let deployment = with(
        json!({ "kind": "Deployment", "metadata": { "namespace": "default", "name": "d" } }),
        deleting("foregroundDeletion"),
    );
    let middle = set("r", json!({ "metadata": { "ownerReferences": owned_by("apps/v1", "Deployment", "d") } }));
    let cluster = cluster([deployment, middle, owned("p", &["r"])]);
    assert_eq!(of_set(&cluster), ["delete ReplicaSet default/r foreground"]);
}

#[test]
fn an_orphaning_deletion_releases_the_dependents_first() {
    let leaving = set("r", deleting("orphan"));
    let both = cluster([leaving.clone(), owned("p", &["r"])]);
    assert_eq!(of_set(&both), [r#"patch Pod default/p {"metadata":{"ownerReferences":[]}}"#]);
    assert_eq!(of_set(&cluster([leaving])), [r#"patch ReplicaSet default/r {"metadata":{"finalizers":[]}}"#]);
}
