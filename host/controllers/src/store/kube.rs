//! The store behind a kube client: any Kubernetes API server.

use futures::FutureExt;
use futures::stream::BoxStream;
use kube::Client;
use kube::core::discovery::{ApiCapabilities, Scope, verbs};
use kube::core::params::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::request::Request;
use kube::core::{ApiResource, DynamicObject, ObjectList, ObjectMeta, Resource};
use kube::discovery::Discovery;
use serde_json::Value;

use super::super::discovery;
use super::super::kinds::Other;
use super::{Error, Kind, Reply, Served, Store, Strategy, Target, WatchEvent, kube_watch};

/// The field manager under which the controllers write.
const MANAGER: &str = "berth-controllers";

/// The API server behind a kube client.
#[derive(Clone)]
pub struct KubeStore {
    client: Client,
}

impl std::fmt::Debug for KubeStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeStore").finish_non_exhaustive()
    }
}

impl KubeStore {
    /// Returns the store of this client's API server.
    #[must_use]
    pub fn new(client: Client) -> Self {
        KubeStore { client }
    }

    /// Sends a request. An error of building the request counts as a failure of the request.
    async fn send(&self, request: Result<http::Request<Vec<u8>>, kube::core::request::Error>) -> Result<String, Error> {
        Ok(self.client.request_text(request.map_err(kube::Error::BuildRequest)?).await?)
    }

    async fn discovered(&self) -> Result<Vec<Served>, Error> {
        let aggregated = Discovery::new(self.client.clone()).run_aggregated().await;
        let discovery = match aggregated {
            Ok(discovery) => discovery,
            // An API server without aggregated discovery needs a request for each group.
            Err(_) => Discovery::new(self.client.clone()).run().await?,
        };
        let kinds = discovery.groups().flat_map(|group| group.resources_by_stability());
        Ok(kinds.filter_map(|(resource, capabilities)| served(resource, &capabilities)).collect())
    }
}

impl Store for KubeStore {
    fn discover(&self) -> Reply<'_, Vec<Served>> {
        self.discovered().boxed()
    }

    fn watch(&self, kind: Kind, served: &Served) -> BoxStream<'static, WatchEvent> {
        kube_watch::watch(kind, served, self.client.clone())
    }

    fn get(&self, target: Target) -> Reply<'_, String> {
        async move { self.send(collection(&target).get(&target.name, &GetParams::default())).await }.boxed()
    }

    fn list(&self, target: Target, limit: u32) -> Reply<'_, Vec<ObjectMeta>> {
        async move {
            let request = collection(&target).list_metadata(&ListParams::default().limit(limit));
            let request = request.map_err(kube::Error::BuildRequest)?;
            let page = self.client.request::<ObjectList<Other>>(request).await?;
            Ok(page.items.into_iter().map(|object| object.metadata).collect())
        }
        .boxed()
    }

    fn create<'a>(&'a self, target: Target, object: &'a Value) -> Reply<'a, String> {
        async move { self.send(collection(&target).create(&post(), object.to_string().into_bytes())).await }.boxed()
    }

    fn patch<'a>(
        &'a self,
        target: Target,
        subresource: &'static str,
        strategy: Strategy,
        patch: &'a Value,
    ) -> Reply<'a, String> {
        let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let patch = match strategy {
            Strategy::Merge => Patch::Merge(patch),
            Strategy::Strategic => Patch::Strategic(patch),
        };
        async move {
            let request = collection(&target);
            self.send(match subresource {
                "" => request.patch(&target.name, &params, &patch),
                subresource => request.patch_subresource(subresource, &target.name, &params, &patch),
            })
            .await
        }
        .boxed()
    }

    fn replace<'a>(&'a self, target: Target, subresource: &'static str, object: &'a Value) -> Reply<'a, String> {
        async move {
            let body = object.to_string().into_bytes();
            self.send(collection(&target).replace_subresource(subresource, &target.name, &post(), body)).await
        }
        .boxed()
    }

    fn delete<'a>(&'a self, target: Target, params: &'a DeleteParams) -> Reply<'a, String> {
        async move { self.send(collection(&target).delete(&target.name, params)).await }.boxed()
    }

    fn delete_collection<'a>(&'a self, target: Target, params: &'a DeleteParams) -> Reply<'a, ()> {
        async move {
            self.send(collection(&target).delete_collection(params, &ListParams::default())).await?;
            Ok(())
        }
        .boxed()
    }
}

fn post() -> PostParams {
    PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() }
}

/// Returns the requests for the collection of the target.
fn collection(target: &Target) -> Request {
    let namespace = Some(target.namespace.as_str()).filter(|namespace| !namespace.is_empty());
    Request::new(DynamicObject::url_path(&target.resource, namespace))
}

/// Returns the kind, if the controllers can list and delete its objects.
fn served(resource: ApiResource, capabilities: &ApiCapabilities) -> Option<Served> {
    let can = |verb| capabilities.supports_operation(verb);
    if !(can(verbs::LIST) && can(verbs::DELETE)) {
        return None;
    }
    Some(Served {
        namespaced: capabilities.scope == Scope::Namespaced,
        collective: can(verbs::DELETE_COLLECTION),
        watched: discovery::is_worth_watching(&resource) && can(verbs::WATCH),
        resource,
    })
}
