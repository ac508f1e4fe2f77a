//! Discovery: which kinds the API server serves, so that nothing is watched in vain and custom resources are collected.

use kube::Client;
use kube::core::ApiResource;
use kube::core::discovery::{ApiCapabilities, Scope, verbs};
use kube::discovery::Discovery;

use super::kinds::Served;

/// Kinds that own nothing and whose objects come and go fast: they are emptied with their namespaces, not watched.
const UNWATCHED: [(&str, &str); 3] = [("", "Event"), ("events.k8s.io", "Event"), ("coordination.k8s.io", "Lease")];
/// The kind whose changes change what is served.
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Asks the API server for its kinds: in one go where it can, else group by group.
pub async fn discover(client: &Client) -> kube::Result<Vec<Served>> {
    let discovery = match Discovery::new(client.clone()).run_aggregated().await {
        Ok(discovery) => discovery,
        Err(_) => Discovery::new(client.clone()).run().await?,
    };
    let kinds = discovery.groups().flat_map(|group| group.resources_by_stability());
    Ok(kinds.filter_map(|(resource, capabilities)| served(resource, &capabilities)).collect())
}

/// Whether the kind is that of custom resource definitions.
pub fn is_definition(served: &Served) -> bool {
    (served.resource.group.as_str(), served.resource.kind.as_str()) == DEFINITIONS
}

fn served(resource: ApiResource, capabilities: &ApiCapabilities) -> Option<Served> {
    let can = |verb| capabilities.supports_operation(verb);
    if !(can(verbs::LIST) && can(verbs::DELETE)) {
        return None;
    }
    let seldom = !UNWATCHED.contains(&(resource.group.as_str(), resource.kind.as_str()));
    Some(Served {
        namespaced: capabilities.scope == Scope::Namespaced,
        collective: can(verbs::DELETE_COLLECTION),
        watched: seldom && can(verbs::WATCH),
        resource,
    })
}
