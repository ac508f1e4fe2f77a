//! Tests the cluster state: old versions are ignored, and the indexes follow the objects.

use serde_json::json;

use super::super::cluster::Cluster;
use super::super::kinds::{Kind, Object};
use super::super::metadata::Key;
use super::super::pod::Pod;
use super::{key, object_of, pod};

fn put(cluster: &mut Cluster, name: &str, uid: &str, version: usize, node: Option<&str>) -> usize {
    let object = pod(name, json!({ "metadata": { "uid": uid }, "spec": { "nodeName": node } }));
    cluster.put(object_of(object, version)).len()
}

fn on_node(cluster: &Cluster, node: &str) -> Vec<Key> {
    cluster.pods_of_node(node).map(|(key, _)| key.clone()).collect()
}

#[test]
fn older_versions_are_ignored() {
    let mut cluster = Cluster::default();
    assert_eq!(put(&mut cluster, "a", "1", 5, Some("n1")), 1);
    assert_eq!(put(&mut cluster, "a", "1", 4, None), 0, "an older state");
    assert_eq!(put(&mut cluster, "a", "1", 5, None), 0, "the echo of a known state");
    assert_eq!(on_node(&cluster, "n1"), [key("default/a")]);
}

#[test]
fn a_deleted_object_never_comes_back() {
    let mut cluster = Cluster::default();
    put(&mut cluster, "a", "1", 5, Some("n1"));
    assert!(cluster.remove(Kind::Pod, &key("default/a"), "1").is_some());
    assert_eq!(put(&mut cluster, "a", "1", 6, Some("n1")), 0, "news from before the deletion");
    assert!(cluster.is_gone("1"));
    assert_eq!(on_node(&cluster, "n1"), [] as [Key; 0]);
    assert_eq!(put(&mut cluster, "a", "2", 7, None), 1, "its namesake may come");
}

#[test]
fn the_deletion_of_a_predecessor_leaves_the_successor() {
    let mut cluster = Cluster::default();
    put(&mut cluster, "a", "1", 5, None);
    assert_eq!(put(&mut cluster, "a", "2", 9, None), 2, "one went, one came");
    assert!(cluster.remove(Kind::Pod, &key("default/a"), "1").is_none());
    assert!(cluster.get::<Pod>(&key("default/a")).is_some());
    assert!(cluster.is_gone("1"));
}

#[test]
fn a_list_removes_objects_that_it_lacks() {
    let mut cluster = Cluster::default();
    for name in ["gone", "stays", "answered"] {
        put(&mut cluster, name, name, 1, None);
    }
    cluster.begin(Kind::Pod);
    put(&mut cluster, "stays", "stays", 1, None);
    put(&mut cluster, "new", "new", 3, None);
    // The response to a write that arrived during the list.
    put(&mut cluster, "answered", "answered", 4, None);
    let gone: Vec<Key> = cluster.finish(Kind::Pod).into_iter().map(|change| change.key).collect();
    assert_eq!(gone, [key("default/gone")]);
}

#[test]
fn dependents_follow_owner_references() {
    let mut cluster = Cluster::default();
    let owned = |uid: &str| {
        pod(
            "a",
            json!({ "metadata": { "ownerReferences": [
        { "apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": uid },
    ] } }),
        )
    };
    cluster.put(object_of(owned("one"), 1));
    cluster.put(object_of(owned("two"), 2));
    let dependents = |uid: &str| cluster.dependents(uid).count();
    assert_eq!((dependents("one"), dependents("two")), (0, 1));
}

#[test]
fn objects_of_different_namespaces_are_distinct() {
    let mut cluster = Cluster::default();
    for (namespace, name) in [("a", "x"), ("a-b", "y"), ("a0", "z")] {
        let object = pod(name, json!({ "metadata": { "namespace": namespace } }));
        cluster.put(object_of(object, 1));
    }
    let within: Vec<_> = cluster.within::<Pod>("a").map(|(key, _)| key.clone()).collect();
    assert_eq!(within, [key("a/x")]);
}

#[test]
fn explicit_nulls_are_decoded() {
    let object = pod("a", json!({ "spec": { "nodeName": "n" } })).to_string();
    let object = object.replace("\"spec\":{", "\"status\":null,\"spec\":{\"volumes\":null,\"hostNetwork\":null,");
    let mut value: serde_json::Value = serde_json::from_str(&object).expect("JSON");
    value["metadata"]["uid"] = json!("u");
    assert!(matches!(Object::decode(Kind::Pod, &value.to_string()), Ok(Object::Pod(_))));
}
