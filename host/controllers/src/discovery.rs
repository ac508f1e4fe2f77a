//! The kinds with a special role in discovery. The controllers watch only kinds that the API serves, and the garbage
//! collector covers custom resources.

use kube::core::ApiResource;

use super::kinds::Served;

/// Kinds that own nothing and change often. They are not watched, only deleted with their namespace.
const UNWATCHED: [(&str, &str); 3] = [("", "Event"), ("events.k8s.io", "Event"), ("coordination.k8s.io", "Lease")];
/// The kind whose changes can change the served kinds.
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Returns true if the controllers read the objects of the kind.
pub fn is_worth_watching(resource: &ApiResource) -> bool {
    !UNWATCHED.contains(&(resource.group.as_str(), resource.kind.as_str()))
}

/// Returns true if the kind is CustomResourceDefinition.
pub fn is_definition(served: &Served) -> bool {
    (served.resource.group.as_str(), served.resource.kind.as_str()) == DEFINITIONS
}
