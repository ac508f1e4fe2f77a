//! The end of a custom resource definition: its objects are deleted, and when they are gone, the definition goes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::content;
use super::write::{Place, modify};
use crate::clock;
use crate::resource::Resource;
use crate::state::State;
use crate::value::set_condition;

const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";

/// Holds a definition until its objects are gone.
pub const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// True for the resource of the definitions.
pub fn is_resource_of_definitions(resource: &Resource) -> bool {
    resource.group == GROUP && resource.plural == PLURAL
}

/// Sets the condition of a definition whose deletion begins.
pub fn mark_terminating(definition: &mut Value) {
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    let condition = json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending",
        "message": message, "lastTransitionTime": clock::now()});
    set_condition(&mut definition["status"], condition);
}

/// Deletes the objects of the definition called `name`, waits until they are gone, and takes the finalizer off the
/// definition; in the background.
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
    // A definition that is gone already needs no finalizing.
    let _ = modify(state, Place { resource: &resource, namespace: "", name }, false, |_, mut definition| {
        if let Some(finalizers) = definition["metadata"]["finalizers"].as_array_mut() {
            finalizers.retain(|finalizer| finalizer != FINALIZER);
        }
        Ok(definition)
    });
}
