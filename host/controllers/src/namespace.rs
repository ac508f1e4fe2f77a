//! The namespace controller: creates the default ServiceAccount and the ConfigMap `kube-root-ca.crt` of each namespace, and
//! empties terminating namespaces.

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use kube::core::params::DeleteParams;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::config_map::ConfigMap;
use super::kinds::{Kind, Kinds, Served};
use super::metadata::{self, Key};
use super::outcome::{Error, Outcome};
use super::store::{Store, Target};
use super::write::{Action, Plan, Write};

/// The ServiceAccount of pods that name no other.
pub const DEFAULT_ACCOUNT: &str = "default";
/// The ConfigMap with the certificate authorities of the API server, for the processes in pods.
pub const ROOT_CERTIFICATES: &str = "kube-root-ca.crt";
/// The entry of `spec.finalizers` that keeps a namespace until it is empty.
const FINALIZER: &str = "kubernetes";
/// The number of kinds that are emptied concurrently.
const CONCURRENCY: usize = 8;
/// The maximum number of objects in one list. For a kind without `deletecollection`, one run deletes at most this many
/// objects.
const PAGE: u32 = 500;

/// Returns the plan for one namespace.
pub fn plan(cluster: &Cluster, key: &Key) -> Plan {
    let Some(namespace) = cluster.get::<Namespace>(key) else { return Plan::none() };
    let name = key.name();
    if metadata::deleting(&namespace.metadata) {
        let finalizers = namespace.spec.as_ref().and_then(|spec| spec.finalizers.as_deref()).unwrap_or_default();
        let ours = finalizers.iter().any(|finalizer| finalizer == FINALIZER);
        return Plan::of(ours.then(|| Write::new(Kind::Namespace, key.clone(), Action::Empty)));
    }
    let has_account = cluster.get::<ServiceAccount>(&Key::new(name, DEFAULT_ACCOUNT)).is_some();
    let has_certificates = cluster.get::<ConfigMap>(&Key::new(name, ROOT_CERTIFICATES)).is_some();
    let account = || json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": DEFAULT_ACCOUNT}});
    let account = (!has_account).then(|| Write::create(Kind::ServiceAccount, name, account()));
    let certificates = (!has_certificates).then(|| Write::create(Kind::ConfigMap, name, root_certificates()));
    Plan::of(account.into_iter().chain(certificates))
}

fn root_certificates() -> Value {
    let description = "The containers of this cluster are simulated and verify no certificates, so this has none.";
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": ROOT_CERTIFICATES, "annotations": { "kubernetes.io/description": description } },
        "data": { "ca.crt": "" },
    })
}

/// Deletes the objects in a namespace, and removes the finalizer if there are none. Returns [`Error::NotEmpty`] if
/// there were objects.
pub async fn empty(store: &dyn Store, kinds: &Kinds, name: &str) -> Result<Outcome, Error> {
    let collections: Vec<Served> = kinds.namespaced().cloned().collect();
    let left = stream::iter(collections).map(|served| async move { empty_kind(store, &served, name).await });
    let left: Vec<bool> = left.buffer_unordered(CONCURRENCY).try_collect().await?;
    if left.contains(&true) {
        return Err(Error::NotEmpty);
    }
    let namespace = Target::of(kinds.get(Kind::Namespace).ok_or(Error::Unserved(Kind::Namespace))?, "", name);
    let mut object: Value = serde_json::from_str(&store.get(namespace.clone()).await?)?;
    if let Some(finalizers) = object.pointer_mut("/spec/finalizers").and_then(Value::as_array_mut) {
        finalizers.retain(|finalizer| finalizer != FINALIZER);
    }
    store.replace(namespace, "finalize", &object).await?;
    Ok(Outcome::Done)
}

/// Deletes a namespace's objects of one kind. Returns true if there were objects.
async fn empty_kind(store: &dyn Store, served: &Served, namespace: &str) -> Result<bool, Error> {
    let page = store.list(Target::of(served, namespace, ""), PAGE).await?;
    if page.is_empty() {
        return Ok(false);
    }
    let params = DeleteParams::background();
    if served.collective {
        store.delete_collection(Target::of(served, namespace, ""), &params).await?;
        return Ok(true);
    }
    for object in page {
        match store.delete(Target::of(served, namespace, metadata::name(&object)), &params).await {
            Err(error) if error.is_missing() => {}
            answer => drop(answer?),
        }
    }
    Ok(true)
}
