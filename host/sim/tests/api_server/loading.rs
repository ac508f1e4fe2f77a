//! Objects of other clusters: what a loader keeps, completes and refuses.

use berth_sim::{Loaded, Refused, Server};
use serde_json::{Value, json};

use crate::support::server;

fn load(server: &Server, objects: &[Value]) -> Loaded {
    let mut loader = server.objects().loader();
    objects.iter().for_each(|object| loader.add(object.clone()));
    loader.finish()
}

fn all(server: &Server) -> Vec<Value> {
    let mut objects = Vec::new();
    let each: Result<(), ()> = server.objects().each(|object| {
        objects.push(object);
        Ok(())
    });
    each.unwrap();
    objects
}

/// A running pod of another API server.
fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "shop", "uid": format!("uid-{name}"), "resourceVersion": "12",
            "creationTimestamp": "2026-01-02T03:04:05Z", "generation": 3,
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "uid-web", "controller": true},
            ],
        },
        "spec": {"nodeName": "n", "priority": 7, "priorityClassName": "elsewhere",
            "containers": [{"name": "c", "image": "nginx"}]},
        "status": {"phase": "Running", "podIP": "10.0.0.1", "startTime": "2026-01-02T03:04:06Z"},
    })
}

fn replica_set() -> Value {
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": "web", "namespace": "shop", "uid": "uid-web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template},
        "status": {"replicas": 1, "readyReplicas": 1},
    })
}

#[tokio::test]
async fn objects_of_an_api_server_stay_as_they_are() {
    let (server, _) = server().await;
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "uid": "uid-default"}});
    let loaded = load(&server, &[pod("p"), replica_set(), namespace]);
    assert_eq!((loaded.refused.len(), loaded.without_owner, loaded.repeated), (0, 0, 0), "{loaded:?}");
    assert_eq!(
        loaded.counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>(),
        ["1 Namespace", "1 Pod", "1 ReplicaSet"]
    );
    assert_eq!(loaded.namespaces.iter().collect::<Vec<_>>(), ["shop"]);

    let stored = server.store().value("", "pods", "shop", "p").unwrap();
    for field in ["uid", "creationTimestamp", "generation", "ownerReferences"] {
        assert_eq!(stored["metadata"][field], pod("p")["metadata"][field], "{field}");
    }
    assert_eq!(stored["status"], pod("p")["status"]);
    assert_eq!((&stored["spec"]["nodeName"], &stored["spec"]["priority"]), (&json!("n"), &json!(7)));
    assert_eq!(stored["spec"]["restartPolicy"], "Always", "defaults are set");
    assert_ne!(stored["metadata"]["resourceVersion"], "12");
    let set = server.store().value("apps", "replicasets", "shop", "web").unwrap();
    assert_eq!(set["status"], replica_set()["status"]);
    let namespace = server.store().value("", "namespaces", "", "default").unwrap();
    assert_eq!(namespace["metadata"]["uid"], "uid-default", "an object that every server has is replaced");
}

#[tokio::test]
async fn an_owner_that_is_not_loaded_is_no_owner() {
    let (server, _) = server().await;
    let loaded = load(&server, &[pod("p")]);
    assert_eq!(loaded.without_owner, 1);
    let stored = server.store().value("", "pods", "shop", "p").unwrap();
    assert!(stored["metadata"].get("ownerReferences").is_none());
    assert_eq!(stored["metadata"]["uid"], "uid-p");
}

#[tokio::test]
async fn objects_without_a_uid_are_created() {
    let (server, _) = server().await;
    let container = json!({"name": "c", "image": "nginx"});
    let new = |class: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": class, "namespace": "new", "resourceVersion": "3"},
            "spec": {"priorityClassName": class, "containers": [container]}, "status": {"phase": "Running"}})
    };
    // The class comes after the pod that needs it.
    let class = |name: &str| json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 5});
    let known = class("system-node-critical");
    let loaded = load(&server, &[new("high"), new("none"), class("high"), known]);
    assert_eq!(
        loaded.refused,
        [Refused {
            kind: "Pod".to_owned(),
            name: "new/none".to_owned(),
            reason: "pods \"none\" is forbidden: no PriorityClass with name none was found".to_owned(),
        }]
    );
    let stored = server.store().value("", "pods", "new", "high").unwrap();
    assert_eq!((&stored["spec"]["priority"], &stored["status"]["phase"]), (&json!(5), &json!("Pending")));
    let kept = server.store().value("scheduling.k8s.io", "priorityclasses", "", "system-node-critical").unwrap();
    assert_eq!(kept["value"], 2_000_001_000);
}

#[tokio::test]
async fn custom_resources_need_their_definition() {
    let (server, _) = server().await;
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com", "uid": "uid-crd"},
        "spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema, "subresources": {"status": {}}}]},
    });
    let thing = |version: &str| {
        json!({"apiVersion": version, "kind": "Thing", "status": {"ready": true},
            "metadata": {"name": "t", "namespace": "shop", "uid": "uid-thing"}})
    };
    let claimed = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"}});
    let loaded = load(&server, &[thing("example.com/v1"), thing("example.org/v1"), claimed, definition]);
    assert_eq!((loaded.counts["Thing"], loaded.counts["CustomResourceDefinition"]), (1, 1));
    let reasons: Vec<&str> = loaded.refused.iter().map(|refused| refused.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "the simulated cluster does not serve example.org/v1; import the CustomResourceDefinition, too",
            "the simulated cluster does not serve autoscaling/v2",
        ]
    );
    let stored = server.store().value("example.com", "things", "shop", "t").unwrap();
    assert_eq!((&stored["metadata"]["uid"], &stored["status"]["ready"]), (&json!("uid-thing"), &json!(true)));
}

#[tokio::test]
async fn invalid_objects_are_left_out() {
    let (server, _) = server().await;
    let wrong = |patch: Value| {
        let mut object = pod("p");
        object["spec"]["containers"][0] = patch;
        object
    };
    let mut unknown = pod("p");
    unknown["spec"]["fromTheFuture"] = true.into();
    let loaded = load(&server, &[wrong(json!({"name": "c"})), wrong(json!("text")), unknown.clone(), unknown]);
    assert_eq!(loaded.refused.len(), 2, "{loaded:?}");
    assert!(loaded.refused[0].reason.contains("spec.containers[0].image: Required value"), "{loaded:?}");
    assert!(loaded.refused[1].reason.contains("spec.containers"), "{loaded:?}");
    assert_eq!(loaded.unknown_fields, Some((2, "unknown field \"spec.fromTheFuture\" of Pod shop/p".to_owned())));
    assert_eq!((loaded.repeated, loaded.counts["Pod"]), (1, 1));
}

#[tokio::test]
async fn what_is_loaded_is_stored_in_the_same_form_again() {
    let (first, _) = server().await;
    let node =
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"capacity": {"cpu": "4"}}});
    load(&first, &[pod("p"), replica_set(), node]);
    let (second, _) = server().await;
    let loaded = load(&second, &all(&first));
    assert!(loaded.refused.is_empty() && loaded.namespaces.is_empty(), "{loaded:?}");
    let without_version = |server: &Server| {
        let mut objects = all(server);
        for object in &mut objects {
            object["metadata"]["resourceVersion"] = Value::Null;
        }
        objects
    };
    assert_eq!(without_version(&first), without_version(&second));
}

/// A namespace that is being deleted is emptied after the load.
#[tokio::test]
async fn a_deletion_goes_on() {
    let (server, _) = server().await;
    let metadata = json!({"name": "shop", "uid": "uid-shop", "deletionTimestamp": "2026-01-02T03:04:05Z"});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata,
        "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Terminating"}});
    let loaded = load(&server, &[namespace, replica_set()]);
    assert!(loaded.refused.is_empty(), "{loaded:?}");
    crate::support::in_time("the namespace is empty", async {
        while server.store().value("", "namespaces", "", "shop").is_some() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(server.store().value("apps", "replicasets", "shop", "web").is_none());
}

#[tokio::test]
async fn a_reset_leaves_what_every_server_has() {
    let (server, _) = server().await;
    let first = all(&server);
    let thing = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t", "uid": "uid-t"}});
    let mut kept = pod("p");
    kept["metadata"]["finalizers"] = json!(["example.com/keep"]);
    let loaded = load(&server, &[definition("uid-d"), thing, kept, replica_set()]);
    assert_eq!(loaded.refused, []);
    server.objects().reset();
    assert_eq!(all(&server), first);
    assert!(server.store().registry.find("example.com", "v1", "things").is_none());
}

#[tokio::test]
async fn a_replacing_loader_removes_the_objects_that_are_there() {
    let (server, _) = server().await;
    let node = |name: &str| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}});
    load(&server, &[node("old"), pod("old"), replica_set(), definition("uid-old")]);
    let thing = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t", "uid": "uid-t"}});
    let mut loader = server.objects().replacing_loader();
    let mut waiting = pod("waiting");
    waiting["spec"].as_object_mut().unwrap().remove("nodeName");
    for object in [waiting, pod("first"), replica_set(), thing, pod("first"), node("new"), definition("uid-new")] {
        loader.add(object);
    }
    assert!(names(&server).contains(&"Node old".to_owned()), "nothing is removed before the end");
    let loaded = loader.finish();
    assert_eq!((loaded.refused.len(), loaded.repeated), (0, 1), "{loaded:?}");
    let names = names(&server);
    for name in ["Node new", "Pod first", "Pod waiting", "ReplicaSet web", "Thing t"] {
        assert!(names.iter().any(|found| found == name), "{name} is not in {names:?}");
    }
    assert!(!names.iter().any(|name| name.ends_with(" old")), "{names:?}");
    let version = |name: &str| {
        let pod = server.store().object("", "pods", "shop", name).unwrap();
        pod.rv()
    };
    assert!(version("first") < version("waiting"), "a pod with a node comes first");
    assert!(server.store().object("apps", "replicasets", "shop", "web").unwrap().rv() < version("first"));
}

/// Returns the kinds and names of all objects.
fn names(server: &Server) -> Vec<String> {
    let name = |object: &Value| {
        format!("{} {}", object["kind"].as_str().unwrap(), object["metadata"]["name"].as_str().unwrap())
    };
    all(server).iter().map(name).collect()
}

fn definition(uid: &str) -> Value {
    let version = json!({"name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com", "uid": uid},
        "spec": {"group": "example.com", "scope": "Cluster", "versions": [version],
            "names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"}},
    })
}
