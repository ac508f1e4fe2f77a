//! Changing a stored object: read, decide, write, and once more where another writer was faster.

use std::sync::Arc;

use serde_json::Value;

use super::{definitions, namespaces};
use crate::failure::Failure;
use crate::resource::Resource;
use crate::state::State;
use crate::store::{Object, WriteError, key};
use crate::value::items;

/// What became of an object.
#[derive(Debug)]
pub enum Modified {
    /// It is there, in this version.
    Stored(Arc<Object>),
    /// It is gone; this was its last version.
    Removed(Arc<Object>),
}

impl Modified {
    /// The object's version, whether it is there or gone.
    pub fn object(&self) -> &Arc<Object> {
        match self {
            Self::Stored(object) | Self::Removed(object) => object,
        }
    }
}

/// Which stored object is meant.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Its resource.
    pub resource: &'a Resource,
    /// Its namespace; empty for a cluster-wide kind.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// Puts what `decide` makes of the stored object at `place` in its stead; it may be called again when another writer came
/// in between. An object that waits for its deletion and has nothing left to wait for is removed.
///
/// # Errors
/// 404, and what `decide` answers.
pub fn modify(
    state: &Arc<State>,
    place: Place<'_>,
    dry_run: bool,
    mut decide: impl FnMut(&Object, Value) -> Result<Value, Failure>,
) -> Result<Modified, Failure> {
    let resource = place.resource;
    let stored_key = key(place.namespace, place.name);
    loop {
        let current =
            resource.objects.get(&stored_key).ok_or_else(|| Failure::not_found(resource.subject(place.name)))?;
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

/// True where an object is being deleted and neither a finalizer nor a grace period holds it any longer.
fn is_finished(resource: &Resource, object: &Value) -> bool {
    let metadata = &object["metadata"];
    let grace = metadata.get("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default();
    metadata.get("deletionTimestamp").is_some()
        && grace == 0
        && items(metadata, "finalizers").next().is_none()
        && !resource.kind().is_some_and(|kind| kind.rules.holds(object))
}

/// Does what follows from a write: serves a definition, and empties a namespace or a definition whose deletion begins.
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

fn removed(state: &Arc<State>, resource: &Resource, object: &Object) {
    if definitions::is_resource_of_definitions(resource) {
        state.registry.undefine(object.name());
    }
}
