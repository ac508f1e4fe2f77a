//! Discovery: finds the kinds that the API server serves. The controllers watch only those, and the garbage collector
//! covers custom resources.

use kube::Client;
use kube::core::ApiResource;
use kube::core::discovery::{ApiCapabilities, Scope, verbs};
use kube::discovery::Discovery;

use super::kinds::Served;

/// Kinds that own nothing and change often. They are not watched, only deleted with their namespace.
const UNWATCHED: [(&str, &str); 3] = [("", "Event"), ("events.k8s.io", "Event"), ("coordination.k8s.io", "Lease")];
/// The kind whose changes can change the served kinds.
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Discovers the kinds with aggregated discovery, or else group by group.
pub async fn discover(client: &Client) -> kube::Result<Vec<Served>> {
    let discovery = match Discovery::new(client.clone()).run_aggregated().await {
        Ok(discovery) => discovery,
        Err(_) => Discovery::new(client.clone()).run().await?,
    };
    let kinds = discovery.groups().flat_map(|group| group.resources_by_stability());
    Ok(kinds.filter_map(|(resource, capabilities)| served(resource, &capabilities)).collect())
}

/// Returns true if the kind is CustomResourceDefinition.
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
