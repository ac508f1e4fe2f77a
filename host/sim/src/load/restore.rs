//! Converts an object of another API server to the stored form, and keeps what that server decided.

use serde_json::Value;

use crate::clock;
use crate::failure::Failure;
use crate::request::Query;
use crate::resource::Resource;
use crate::state::State;
use crate::store::Object;
use crate::value::{items, remove, set_default, text, text_at};
use crate::verbs;

/// An object in the stored form.
#[derive(Debug)]
pub struct Restored {
    /// The object.
    pub object: Object,
    /// The UIDs of its owners.
    pub owners: Vec<String>,
    /// Whether the object is a pod with a node.
    pub has_node: bool,
    /// The warnings about unknown fields.
    pub warnings: Vec<String>,
}

/// Converts an object that has a UID.
///
/// # Errors
/// 400 if the object is not of its kind; 422 if it is invalid.
pub fn restore(state: &State, resource: &Resource, object: Value) -> Result<Restored, Failure> {
    let incoming = verbs::accept(resource, object, None, &Query::default())?;
    let mut object = incoming.object;
    let metadata = &mut object["metadata"];
    match (resource.namespaced, text(metadata, "namespace")) {
        (true, "") => metadata["namespace"] = "default".into(),
        (false, _) => remove(metadata, "namespace"),
        _ => {}
    }
    set_default(metadata, "creationTimestamp", clock::seconds(state.now()));
    if resource.counted() {
        set_default(metadata, "generation", 1);
    }
    complete_status(resource, &mut object);
    let invalid = |problems| Failure::invalid(resource.kind_subject(text_at(&object, "/metadata/name")), &problems);
    verbs::check(resource, &object).map_err(invalid)?;
    let owners = items(&object["metadata"], "ownerReferences").map(|owner| text(owner, "uid").to_owned()).collect();
    let has_node = resource.kind == "Pod" && !text_at(&object, "/spec/nodeName").is_empty();
    Ok(Restored { object: resource.draft(object), owners, has_node, warnings: incoming.warnings })
}

/// Sets the status that the server decides, where the object has none, and that of a definition, because it tells what
/// this server serves.
fn complete_status(resource: &Resource, object: &mut Value) {
    let Some(kind) = resource.kind() else { return };
    let has_phase = matches!(resource.kind.as_str(), "Namespace" | "Pod");
    let lacks_phase = has_phase && text_at(object, "/status/phase").is_empty();
    if lacks_phase || verbs::is_resource_of_definitions(resource) {
        kind.rules.create(object);
    }
}

/// Returns the object with only the owner references that `is_kept` accepts by UID.
pub fn with_owners(resource: &Resource, object: &Object, is_kept: impl Fn(&str) -> bool) -> Object {
    let mut value = resource.stored(object);
    keep_owners(&mut value, is_kept);
    resource.draft(value)
}

/// Removes the owner references that `is_kept` does not accept by UID. Returns whether there was one.
pub fn keep_owners(object: &mut Value, is_kept: impl Fn(&str) -> bool) -> bool {
    let metadata = &mut object["metadata"];
    let Some(owners) = metadata.get_mut("ownerReferences").and_then(Value::as_array_mut) else { return false };
    let before = owners.len();
    owners.retain(|owner| is_kept(text(owner, "uid")));
    let (after, is_changed) = (owners.len(), owners.len() < before);
    if after == 0 {
        remove(metadata, "ownerReferences");
    }
    is_changed
}
