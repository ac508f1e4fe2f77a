//! Tests that a real kube-apiserver's JSON and protobuf give the same objects. The binaries come from
//! `KUBEBUILDER_ASSETS`.

use std::collections::BTreeSet;
use std::fmt::Debug;

use berth_apimachinery::objects::{NodeObject, NodeParts, Notes, Observed, PartialObject, PodObject, PodParts};
use berth_apimachinery::protobuf::{ListReader, Part};
use berth_test_kit::{ControlPlane, control_plane};
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

const JSON: &str = "application/json";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_the_same_in_both_forms() {
    let server = ControlPlane::start(&control_plane::Options::default()).await.expect("a control plane");
    let client = server.client().await.expect("a client");
    let objects = crate::support::yaml("every-field.yaml");
    send(&client, "POST", "/api/v1/namespaces/default/serviceaccounts", &json!({"metadata": {"name": "default"}}))
        .await;
    for class in objects["classes"].as_array().expect("classes") {
        let path = if class["kind"] == "RuntimeClass" {
            "/apis/node.k8s.io/v1/runtimeclasses"
        } else {
            "/apis/scheduling.k8s.io/v1/priorityclasses"
        };
        send(&client, "POST", path, class).await;
    }
    create(&client, "/api/v1/nodes", &objects["nodes"]).await;
    create(&client, "/api/v1/namespaces/default/pods", &objects["pods"]).await;
    // Pod `all` has a finalizer, so the pod stays after this request and has a deletionTimestamp.
    send(&client, "DELETE", "/api/v1/namespaces/default/pods/all", &Value::Null).await;

    let nodes = both::<NodeObject>(&client, "/api/v1/nodes").await;
    let pods = both::<PodObject>(&client, "/api/v1/pods").await;
    assert_eq!((nodes.len(), pods.len()), (1, 3));
    let text = format!("{nodes:?}, {pods:?}");
    // The API server drops the scheduling group without the feature gate GenericWorkload.
    let mut never_set = never_set(&text);
    never_set.retain(|name| *name != "pod_group_name");
    assert_eq!(never_set, Vec::<&str>::new(), "fields that no object of the test has");
    let node = nodes.into_iter().next().expect("a node").into_model(&NodeParts::default(), &mut Notes::default());
    assert_eq!((node.taints.len(), node.images.len(), node.declared_features.len()), (4, 2, 2));
    let all = pods.into_iter().next().expect("a pod").into_model(&PodParts::default(), &mut Notes::default());
    assert!(all.deleting && all.created > 0 && all.start_time > 0);
    assert_eq!((all.spec.priority, all.spec.volumes.len(), all.spec.tolerations.len()), (-7, 14, 3));
}

/// Lists as JSON and as protobuf, checks that all fields are equal, and returns the objects.
async fn both<T: PartialObject + Debug>(client: &Client, path: &str) -> Vec<T> {
    let (form, text) = get(client, path, JSON).await;
    assert_eq!(form, JSON);
    let list: Value = serde_json::from_slice(&text).expect("JSON");
    let items = list["items"].as_array().expect("a list").iter();
    let from_json = items.map(|item| serde_json::from_str::<Observed<T>>(&item.to_string()).expect("JSON"));
    let from_json: Vec<T> = from_json.map(|observed| observed.object.expect("a readable object")).collect();

    let (form, bytes) = get(client, path, "application/vnd.kubernetes.protobuf,application/json;q=0.9").await;
    assert_eq!(form, "application/vnd.kubernetes.protobuf");
    let (mut reader, mut from_protobuf) = (ListReader::default(), Vec::new());
    for chunk in bytes.chunks(1000) {
        reader.push(chunk);
        while let Some(part) = reader.part().expect("a list") {
            if let Part::Item(item) = part {
                from_protobuf.push(Observed::<T>::from_protobuf(item).object.expect("a readable object"));
            }
        }
    }
    reader.end().expect("a whole list");
    assert_eq!(format!("{from_protobuf:#?}"), format!("{from_json:#?}"));
    from_protobuf
}

/// Returns the names of the fields that have their default in every object. `text` is the debug output of the objects.
fn never_set(text: &str) -> Vec<&str> {
    let (mut names, mut set) = (BTreeSet::new(), BTreeSet::new());
    for (at, _) in text.match_indices(": ") {
        let (before, value) = (&text[..at], &text[at + 2..]);
        let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let unwrapped = |text, newtype: &str| str::strip_prefix(text, newtype).unwrap_or(text);
        let value = ["ResourceQuantities(", "Entries(", "Seconds(", "Present("].into_iter().fold(value, unwrapped);
        let ends = |rest: &str| rest.starts_with([',', ' ', ')']);
        let empty =
            ["None", "\"\"", "[]", "0", "false"].iter().any(|empty| value.strip_prefix(empty).is_some_and(ends));
        names.insert(name);
        if !empty {
            set.insert(name);
        }
    }
    names.difference(&set).copied().collect()
}

async fn create(client: &Client, path: &str, objects: &Value) {
    for object in objects.as_array().expect("objects") {
        let made = send(client, "POST", path, object).await;
        if let Some(status) = object.get("status") {
            let path = format!("{path}/{}/status", made["metadata"]["name"].as_str().expect("a name"));
            send(client, "PATCH", &path, &json!({"status": status})).await;
        }
    }
}

async fn send(client: &Client, method: &str, path: &str, object: &Value) -> Value {
    let form = if method == "PATCH" { "application/merge-patch+json" } else { JSON };
    let body = if object.is_null() { Vec::new() } else { object.to_string().into_bytes() };
    let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, form).body(Body::from(body));
    let (head, body) = client.send(request.expect("a request")).await.expect("an answer").into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert!(head.status.is_success(), "{method} {path}: {}", body["message"]);
    body
}

async fn get(client: &Client, path: &str, accepted: &str) -> (String, Vec<u8>) {
    let request = Request::get(path).header(ACCEPT, accepted).body(Body::empty()).expect("a request");
    let (head, body) = client.send(request).await.expect("an answer").into_parts();
    let form = head.headers[CONTENT_TYPE].to_str().expect("text").to_owned();
    (form, body.collect().await.expect("a body").to_bytes().to_vec())
}
