//! Changes a stored object: reads, decides and writes, and repeats after a concurrent write.

use std::sync::Arc;

use serde_json::Value;

use super::{definitions, namespaces};
use crate::failure::Failure;
use crate::resource::Resource;
use crate::state::State;
use crate::store::{Object, WriteError, key};
use crate::value::items;

/// The result of a write.
#[derive(Debug)]
pub enum Modified {
    /// The object is stored in this version. After a dry run: the version that a write would store.
    Stored(Arc<Object>),
    /// The object is removed, or would be without a dry run. This is the version before the removal.
    Removed(Arc<Object>),
}

impl Modified {
    /// Returns the stored version, or the last version of a removed object.
    pub fn object(&self) -> &Arc<Object> {
        match self {
            Self::Stored(object) | Self::Removed(object) => object,
        }
    }
}

/// The identity of a stored object.
#[derive(Debug, Clone, Copy)]
pub struct ObjectRef<'a> {
    /// The resource.
    pub resource: &'a Resource,
    /// The namespace; empty for a cluster-wide kind.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
}

/// Replaces the stored object of `reference` with the result of `decide`, or removes the object if the result is being
/// deleted and nothing keeps it. Calls `decide` again after a concurrent write. A dry run writes nothing, and a result
/// that equals the stored object is not written.
///
/// # Errors
/// 404 if the object does not exist, and the errors of `decide`.
pub fn modify(
    state: &Arc<State>,
    reference: ObjectRef<'_>,
    dry_run: bool,
    mut decide: impl FnMut(&Object, Value) -> Result<Value, Failure>,
) -> Result<Modified, Failure> {
    let resource = reference.resource;
    let stored_key = key(reference.namespace, reference.name);
    loop {
        let current =
            resource.objects.get(&stored_key).ok_or_else(|| Failure::not_found(resource.subject(reference.name)))?;
        let next = decide(&current, resource.stored(&current))?;
        let done = match is_finished(resource, &next) {
            true => remove(state, resource, &current, dry_run),
            false => replace(state, resource, &current, next, dry_run),
        };
        match done {
            Ok(modified) => return Ok(modified),
            Err(WriteError::Stale | WriteError::Exists) => {}
        }
    }
}

fn remove(
    state: &Arc<State>,
    resource: &Resource,
    current: &Arc<Object>,
    dry_run: bool,
) -> Result<Modified, WriteError> {
    if !dry_run {
        resource.objects.remove(current)?;
        removed(state, resource, current);
    }
    Ok(Modified::Removed(current.clone()))
}

fn replace(
    state: &Arc<State>,
    resource: &Resource,
    current: &Arc<Object>,
    next: Value,
    dry_run: bool,
) -> Result<Modified, WriteError> {
    let draft = resource.draft(next);
    if draft.same_content(current) {
        return Ok(Modified::Stored(current.clone()));
    }
    if dry_run {
        return Ok(Modified::Stored(Arc::new(draft.at(current.rv()))));
    }
    let stored = resource.objects.replace(current, draft)?;
    written(state, resource, Some(current), &stored);
    Ok(Modified::Stored(stored))
}

/// Removes an object, whatever keeps it, and whatever a client writes meanwhile.
pub fn erase(state: &State, resource: &Resource, object: &Object) {
    while let Some(current) = resource.objects.get(object.key()) {
        if resource.objects.remove(&current).is_ok() {
            removed(state, resource, &current);
        }
    }
}

/// Returns true if the object is being deleted and neither a finalizer, a grace period nor its kind's rules keep it.
fn is_finished(resource: &Resource, object: &Value) -> bool {
    let metadata = &object["metadata"];
    let grace = metadata.get("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default();
    metadata.get("deletionTimestamp").is_some()
        && grace == 0
        && items(metadata, "finalizers").next().is_none()
        && !resource.kind().is_some_and(|kind| kind.rules.holds(object))
}

/// Handles the effects of a write: serves a changed definition, and starts to delete the content of a namespace or
/// definition whose deletion begins.
pub fn written(state: &Arc<State>, resource: &Resource, before: Option<&Object>, after: &Object) {
    let is_ending = |object: &Object| resource.stored(object)["metadata"].get("deletionTimestamp").is_some();
    let begins_to_end = || is_ending(after) && !before.is_some_and(is_ending);
    if definitions::is_resource_of_definitions(resource) {
        state.registry.define(&resource.stored(after));
        if begins_to_end() {
            definitions::empty(state, after.name());
        }
    } else if resource.group.is_empty() && resource.kind == "Namespace" && begins_to_end() {
        namespaces::empty(state, after.name());
    }
}

fn removed(state: &State, resource: &Resource, object: &Object) {
    if definitions::is_resource_of_definitions(resource) {
        state.registry.undefine(object.name());
    }
}
