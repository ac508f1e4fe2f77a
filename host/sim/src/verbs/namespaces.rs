//! The deletion of a namespace: deletes its content, then the namespace.

use std::sync::Arc;

use serde_json::json;

use super::content;
use super::write::{ObjectRef, modify};
use crate::state::State;

/// Starts a background task that deletes the content of the namespace called `name`, waits until the content is gone,
/// and removes the namespace's finalizers.
pub fn empty(state: &Arc<State>, name: &str) {
    let (shared, name) = (state.clone(), name.to_owned());
    content::spawn(state, async move {
        for resource in shared.registry.all().into_iter().filter(|resource| resource.namespaced) {
            content::delete_all(&shared, &resource, Some(&name)).await;
        }
        finalize(&shared, &name);
    });
}

fn finalize(state: &Arc<State>, name: &str) {
    let Some(resource) = state.registry.find("", "v1", "namespaces") else { return };
    // Ignore errors: a namespace that is already gone has no finalizers.
    let _ = modify(state, ObjectRef { resource: &resource, namespace: "", name }, false, |_, mut namespace| {
        namespace["spec"]["finalizers"] = json!([]);
        Ok(namespace)
    });
}
