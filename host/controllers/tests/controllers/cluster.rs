//! Helpers for the cases: access to objects as JSON, and waiting for conditions.

use berth_test_kit::wait::{Look, eventually};
use kube::core::params::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, Client};
use serde_json::{Value, json};

/// The kinds: name, API version, and whether the kind is namespaced.
const KINDS: [(&str, &str, bool); 21] = [
    ("Namespace", "v1", false),
    ("Node", "v1", false),
    ("Pod", "v1", true),
    ("ConfigMap", "v1", true),
    ("ServiceAccount", "v1", true),
    ("PersistentVolume", "v1", false),
    ("PersistentVolumeClaim", "v1", true),
    ("ReplicaSet", "apps/v1", true),
    ("Deployment", "apps/v1", true),
    ("StatefulSet", "apps/v1", true),
    ("DaemonSet", "apps/v1", true),
    ("Job", "batch/v1", true),
    ("CronJob", "batch/v1", true),
    ("StorageClass", "storage.k8s.io/v1", false),
    ("Lease", "coordination.k8s.io/v1", true),
    ("PodDisruptionBudget", "policy/v1", true),
    ("ResourceQuota", "v1", true),
    ("ResourceClaim", "resource.k8s.io/v1", true),
    ("ResourceClaimTemplate", "resource.k8s.io/v1", true),
    ("CustomResourceDefinition", "apiextensions.k8s.io/v1", false),
    ("Widget", "example.com/v1", true),
];

/// The API server, and the namespace of a case.
#[derive(Clone)]
pub struct Cluster {
    pub client: Client,
    pub namespace: String,
}

/// Returns the object with its API version and kind.
fn with_kind(kind: &str, mut object: Value) -> DynamicObject {
    let (_, api_version, _) = KINDS.iter().find(|(name, _, _)| *name == kind).expect("a known kind");
    object["apiVersion"] = json!(api_version);
    object["kind"] = json!(kind);
    serde_json::from_value(object).expect("an object")
}

impl Cluster {
    /// Creates a namespace for a case.
    pub async fn with_namespace(client: Client, name: &str) -> Self {
        let cluster = Cluster { client, namespace: name.to_owned() };
        cluster.create("Namespace", json!({ "metadata": { "name": name } })).await;
        cluster
    }

    /// Returns the same API server with another namespace.
    pub fn within(&self, namespace: &str) -> Self {
        Cluster { namespace: namespace.to_owned(), ..self.clone() }
    }

    fn api(&self, kind: &str) -> Api<DynamicObject> {
        let (_, group_version, namespaced) = KINDS.iter().find(|(name, _, _)| *name == kind).expect("a known kind");
        let (group, version) = group_version.rsplit_once('/').unwrap_or(("", group_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        if *namespaced {
            Api::namespaced_with(self.client.clone(), &self.namespace, &resource)
        } else {
            Api::all_with(self.client.clone(), &resource)
        }
    }

    /// Creates an object, and returns the stored object.
    pub async fn create(&self, kind: &str, object: Value) -> Value {
        let object = with_kind(kind, object);
        let created = self.api(kind).create(&PostParams::default(), &object).await;
        json!(created.unwrap_or_else(|error| panic!("{kind} {:?} isn't created: {error}", object.metadata.name)))
    }

    /// Waits until the API server refuses the object, and until the reason contains `reason`. The requests are dry runs.
    pub async fn until_refused(&self, kind: &str, object: Value, reason: &str) {
        let object = with_kind(kind, object);
        let params = PostParams { dry_run: true, ..PostParams::default() };
        let what = format!("{kind} is refused with {reason:?}");
        let refused = eventually(&what, || async {
            Ok(match self.api(kind).create(&params, &object).await {
                Err(error) if error.to_string().contains(reason) => Look::Yes(()),
                answer => Look::NotYet(format!("{answer:?}")),
            })
        });
        refused.await.unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Returns the object; null if it does not exist.
    pub async fn get(&self, kind: &str, name: &str) -> Value {
        json!(self.api(kind).get_opt(name).await.expect("a read"))
    }

    /// Returns the objects that match this label selector.
    pub async fn list(&self, kind: &str, labels: &str) -> Vec<Value> {
        let list = self.api(kind).list(&ListParams::default().labels(labels)).await.expect("a list");
        list.items.into_iter().map(|object| json!(object)).collect()
    }

    /// Merges a patch into the object.
    pub async fn patch(&self, kind: &str, name: &str, patch: Value) {
        let patched = self.api(kind).patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await;
        patched.unwrap_or_else(|error| panic!("{kind} {name} isn't patched: {error}"));
    }

    /// Merges a patch into the object's subresource.
    pub async fn patch_in(&self, kind: &str, name: &str, subresource: &str, patch: Value) {
        let (params, patch) = (PatchParams::default(), Patch::Merge(&patch));
        let patched = self.api(kind).patch_subresource(subresource, name, &params, &patch).await;
        patched.unwrap_or_else(|error| panic!("{kind} {name}'s {subresource} isn't patched: {error}"));
    }

    /// Deletes the object with background propagation, as kubectl does.
    pub async fn delete(&self, kind: &str, name: &str) {
        self.delete_with(kind, name, &DeleteParams::background()).await;
    }

    /// Deletes the object with these parameters.
    pub async fn delete_with(&self, kind: &str, name: &str, params: &DeleteParams) {
        let deleted = self.api(kind).delete(name, params).await;
        deleted.unwrap_or_else(|error| panic!("{kind} {name} isn't deleted: {error}"));
    }

    /// Binds a pod to a node, in place of a scheduler.
    pub async fn bind(&self, pod: &str, node: &str) {
        let binding = json!({
            "apiVersion": "v1", "kind": "Binding", "metadata": { "name": pod },
            "target": { "apiVersion": "v1", "kind": "Node", "name": node },
        });
        let (api, params) = (self.api("Pod"), PostParams::default());
        let bound = api.create_subresource::<Value, Value>("binding", pod, &params, &binding).await;
        bound.unwrap_or_else(|error| panic!("{pod} isn't bound: {error}"));
    }

    /// Waits until `wanted` is true for the object, which is null if it does not exist.
    pub async fn until(&self, kind: &str, name: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let what = format!("{kind} {name} is {what}");
        let found = eventually(&what, || async {
            let object = self.get(kind, name).await;
            Ok(if wanted(&object) { Look::Yes(object) } else { Look::NotYet(format!("{object:#}")) })
        });
        found.await.unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Waits until the object does not exist.
    pub async fn until_gone(&self, kind: &str, name: &str) {
        self.until(kind, name, "gone", Value::is_null).await;
    }

    /// Waits until `wanted` is true for the list.
    pub async fn until_all(
        &self,
        kind: &str,
        labels: &str,
        what: &str,
        wanted: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        let what = format!("{kind}s {labels} are {what}");
        let found = eventually(&what, || async {
            let objects = self.list(kind, labels).await;
            if wanted(&objects) {
                return Ok(Look::Yes(objects));
            }
            let phases = objects.iter().map(|object| (&object["metadata"]["name"], &object["status"]["phase"]));
            Ok(Look::NotYet(format!("{:?}", phases.collect::<Vec<_>>())))
        });
        found.await.unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Creates a node, waits until it is Ready, and returns its name, which starts with the namespace.
    pub async fn node(&self, suffix: &str) -> String {
        let name = format!("{}-{suffix}", self.namespace);
        let labels = json!({ "kubernetes.io/hostname": name, "case": self.namespace });
        self.create("Node", json!({ "metadata": { "name": name, "labels": labels } })).await;
        self.until("Node", &name, "Ready", |node| is_true(node, "Ready")).await;
        name
    }
}

/// Returns true if the object's condition is `True`.
pub fn is_true(object: &Value, type_: &str) -> bool {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.any(|held| held["type"] == type_ && held["status"] == "True")
}

/// Returns the spec of a pod template with one container, on this node.
pub fn pod_on(node: &str, image: &str) -> Value {
    json!({ "nodeName": node, "containers": [{ "name": "main", "image": image }] })
}

/// Returns `metadata.name`.
pub fn name(object: &Value) -> String {
    object["metadata"]["name"].as_str().expect("a name").to_owned()
}
