//! The kinds that the controllers do not watch, and the kind that defines custom resources. The controllers watch all
//! other kinds that the API server serves, because the garbage collector needs the owner references of all objects.

use kube::core::ApiResource;

use super::kinds::Served;

/// Kinds that own nothing and change often. The controllers do not watch these kinds, and delete such objects with the
/// namespace.
const UNWATCHED: [(&str, &str); 3] = [("", "Event"), ("events.k8s.io", "Event"), ("coordination.k8s.io", "Lease")];
/// The kind whose changes can change the served kinds.
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Returns true if the controllers watch the kind, provided that the API server supports watches of the kind.
pub fn is_worth_watching(resource: &ApiResource) -> bool {
    !UNWATCHED.contains(&(resource.group.as_str(), resource.kind.as_str()))
}

/// Returns true if the kind is CustomResourceDefinition.
pub fn is_definition(served: &Served) -> bool {
    (served.resource.group.as_str(), served.resource.kind.as_str()) == DEFINITIONS
}
