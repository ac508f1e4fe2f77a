//! The namespace controller: creates the default ServiceAccount of each namespace, and empties terminating
//! namespaces.

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use kube::core::ObjectList;
use kube::core::params::{DeleteParams, ListParams, PostParams};
use kube::core::request::Request;
use kube::{Api, Client};
use serde_json::json;

use super::cluster::Cluster;
use super::kinds::{Kind, Kinds, Other, Served};
use super::metadata::{self, Key};
use super::send::{Error, Outcome};
use super::write::{Action, Plan, Write};

/// The ServiceAccount of pods that name no other.
pub const DEFAULT_ACCOUNT: &str = "default";
/// The entry of `spec.finalizers` that keeps a namespace until it is empty.
const FINALIZER: &str = "kubernetes";
/// The number of kinds that are emptied concurrently.
const CONCURRENCY: usize = 8;

/// Returns the plan for one namespace.
pub fn plan(cluster: &Cluster, key: &Key) -> Plan {
    let Some(namespace) = cluster.get::<Namespace>(key) else { return Plan::none() };
    let name = key.name();
    if metadata::deleting(&namespace.metadata) {
        let finalizers = namespace.spec.as_ref().and_then(|spec| spec.finalizers.as_deref()).unwrap_or_default();
        let ours = finalizers.iter().any(|held| held == FINALIZER);
        return Plan::of(ours.then(|| Write::new(Kind::Namespace, key.clone(), Action::Empty)));
    }
    if cluster.get::<ServiceAccount>(&Key::new(name, DEFAULT_ACCOUNT)).is_some() {
        return Plan::none();
    }
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": DEFAULT_ACCOUNT}});
    Plan::of([Write::create(Kind::ServiceAccount, name, account)])
}

/// Deletes the content of a namespace, and removes the finalizer when the namespace is empty.
pub async fn empty(client: &Client, kinds: &Kinds, name: &str) -> Result<Outcome, Error> {
    let collections: Vec<Served> = kinds.namespaced().cloned().collect();
    let left = stream::iter(collections).map(|served| async move { empty_kind(client, &served, name).await });
    let left: Vec<bool> = left.buffer_unordered(CONCURRENCY).try_collect().await?;
    if left.contains(&true) {
        return Err(Error::NotEmpty);
    }
    let api = Api::<Namespace>::all(client.clone());
    let mut namespace = api.get(name).await?;
    if let Some(spec) = &mut namespace.spec {
        spec.finalizers =
            Some(spec.finalizers.take().unwrap_or_default().into_iter().filter(|held| held != FINALIZER).collect());
    }
    api.replace_subresource("finalize", name, &PostParams::default(), &namespace).await?;
    Ok(Outcome::Done)
}

/// Deletes a namespace's objects of one kind. Returns true if there were any.
async fn empty_kind(client: &Client, served: &Served, namespace: &str) -> Result<bool, Error> {
    let request = Request::new(served.path(namespace));
    let page = client.request::<ObjectList<Other>>(request.list_metadata(&ListParams::default().limit(500))?).await?;
    if page.items.is_empty() {
        return Ok(false);
    }
    let params = DeleteParams::background();
    if served.collective {
        client.request_text(request.delete_collection(&params, &ListParams::default())?).await?;
        return Ok(true);
    }
    for object in page.items {
        match client.request_text(request.delete(metadata::name(&object.metadata), &params)?).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            answer => drop(answer?),
        }
    }
    Ok(true)
}
