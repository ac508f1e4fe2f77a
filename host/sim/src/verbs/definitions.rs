//! The deletion of a CustomResourceDefinition: deletes its objects, then the definition.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::content;
use super::write::{ObjectRef, modify};
use crate::clock;
use crate::resource::Resource;
use crate::state::State;
use crate::value::set_condition;

const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";

/// The finalizer that keeps a definition until its objects are deleted.
pub const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Returns true for the resource of CustomResourceDefinitions.
pub fn is_resource_of_definitions(resource: &Resource) -> bool {
    resource.group == GROUP && resource.plural == PLURAL
}

/// Sets the `Terminating` condition of a definition.
pub fn mark_terminating(definition: &mut Value, now: Timestamp) {
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    let condition = json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending",
        "message": message, "lastTransitionTime": clock::seconds(now)});
    set_condition(&mut definition["status"], condition);
}

/// Starts a background task that deletes the objects of the definition called `name`, waits until they are gone, and
/// removes the definition's finalizer.
pub fn empty(state: &Arc<State>, name: &str) {
    let (shared, name) = (state.clone(), name.to_owned());
    content::spawn(state, async move {
        if let Some(resource) = shared.registry.defined_by(&name) {
            content::delete_all(&shared, &resource, None).await;
        }
        finalize(&shared, &name);
    });
}

fn finalize(state: &Arc<State>, name: &str) {
    let Some(resource) = state.registry.find(GROUP, "v1", PLURAL) else { return };
    // Ignore errors: a definition that is already gone has no finalizer.
    let _ = modify(state, ObjectRef { resource: &resource, namespace: "", name }, false, |_, mut definition| {
        if let Some(finalizers) = definition["metadata"]["finalizers"].as_array_mut() {
            finalizers.retain(|finalizer| finalizer != FINALIZER);
        }
        Ok(definition)
    });
}
