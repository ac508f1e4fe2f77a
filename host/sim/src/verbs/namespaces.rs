//! The end of a namespace: its content is deleted, and when it is gone, the namespace goes.

use std::sync::Arc;

use serde_json::json;

use super::content;
use super::write::{Place, modify};
use crate::state::State;

/// Deletes what is in the namespace called `name`, waits until it is gone, and finalizes the namespace; in the background.
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
    // A namespace that is gone already needs no finalizing.
    let _ = modify(state, Place { resource: &resource, namespace: "", name }, false, |_, mut namespace| {
        namespace["spec"]["finalizers"] = json!([]);
        Ok(namespace)
    });
}
