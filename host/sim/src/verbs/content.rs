//! Deletes the content of a namespace, or all objects of a custom resource.

use std::collections::HashSet;
use std::sync::Arc;

use super::delete::{Deletion, delete_object};
use super::write::ObjectRef;
use crate::resource::Resource;
use crate::state::State;
use crate::store::{Object, Span};

/// Deletes the objects of a resource, in one namespace or in all, and waits until all of them are gone.
pub async fn delete_all(state: &Arc<State>, resource: &Resource, namespace: Option<&str>) {
    let mut changes = resource.objects.subscribe();
    let mut requested: HashSet<String> = HashSet::new();
    loop {
        changes.mark_unchanged();
        let objects = content(resource, namespace);
        if objects.is_empty() {
            return;
        }
        let mut waits = true;
        for object in objects {
            if requested.insert(object.key().to_owned()) {
                let reference = ObjectRef { resource, namespace: object.namespace(), name: object.name() };
                // Ignore errors: the loop ends only when no object is left, and a failed deletion usually means that
                // the object is already gone.
                let _ = delete_object(state, reference, &Deletion::default(), false);
                waits = false;
            }
        }
        if waits && changes.changed().await.is_err() {
            return;
        }
    }
}

fn content(resource: &Resource, namespace: Option<&str>) -> Vec<Arc<Object>> {
    let span = Span { namespace: namespace.map(str::to_owned), ..Span::default() };
    // A snapshot of the current state cannot be too old.
    resource.objects.snapshot(&span, None).map(|found| found.objects).unwrap_or_default()
}

/// Runs `work` in the background until it ends or the server stops.
pub fn spawn(state: &Arc<State>, work: impl Future<Output = ()> + Send + 'static) {
    let stopped = state.stopped();
    tokio::spawn(async move {
        tokio::select! {
            biased;
            () = stopped => {}
            () = work => {}
        }
    });
}
