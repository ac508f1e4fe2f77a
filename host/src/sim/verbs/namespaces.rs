//! The end of a namespace: its content is deleted, and when it is gone, the namespace goes.

use std::sync::Arc;

use serde_json::json;

use super::delete::{Deletion, delete_object};
use super::write::{Place, modify};
use crate::sim::resource::Resource;
use crate::sim::state::State;
use crate::sim::store::Span;

/// Deletes what is in the namespace called `name`, waits until it is gone, and finalizes the namespace; in the background.
pub fn empty(state: &Arc<State>, name: &str) {
    let (state, name) = (state.clone(), name.to_owned());
    tokio::spawn(async move {
        let stopped = state.stopped();
        tokio::select! {
            () = stopped => {}
            () = empty_and_finalize(&state, &name) => {}
        }
    });
}

async fn empty_and_finalize(state: &Arc<State>, name: &str) {
    let resources: Vec<Arc<Resource>> =
        state.registry.all().into_iter().filter(|resource| resource.namespaced).collect();
    for resource in &resources {
        let mut changes = resource.objects.subscribe();
        let mut asked = false;
        loop {
            changes.mark_unchanged();
            let keys = content(resource, name);
            if keys.is_empty() {
                break;
            }
            if !asked {
                for object in &keys {
                    // What is gone already, or held by a finalizer, is waited for like the rest.
                    let _ = delete_object(
                        state,
                        Place { resource, namespace: name, name: object },
                        &Deletion::default(),
                        false,
                    );
                }
                asked = true;
                continue;
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
    finalize(state, name);
}

fn content(resource: &Resource, namespace: &str) -> Vec<String> {
    let span = Span { namespace: Some(namespace.to_owned()), ..Span::default() };
    let found = resource.objects.snapshot(&span, None);
    found.map(|found| found.objects.iter().map(|object| object.name().to_owned()).collect()).unwrap_or_default()
}

fn finalize(state: &Arc<State>, name: &str) {
    let Some(resource) = state.registry.find("", "v1", "namespaces") else { return };
    // A namespace that is gone already needs no finalizing.
    let _ = modify(state, Place { resource: &resource, namespace: "", name }, false, |_, mut namespace| {
        namespace["spec"]["finalizers"] = json!([]);
        Ok(namespace)
    });
}
