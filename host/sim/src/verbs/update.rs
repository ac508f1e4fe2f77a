//! update: replaces a stored object, its status, or the fields of another subresource.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use super::create::{check, store_new};
use super::delete::keep_deletion;
use super::incoming::accept;
use super::write::{ObjectRef, modify};
use super::{check_place, read};
use crate::failure::{Failure, Problems};
use crate::http::{Call, answer};
use crate::kinds::Sub;
use crate::managed_fields::{self, Place};
use crate::quota::{self, Change};
use crate::request::Target;
use crate::resource::{Resource, Source};
use crate::state::State;
use crate::store::{Object, key};
use crate::value::{copy_member, items, remove, text};

/// Replaces the stored object with the object in the body.
///
/// # Errors
/// 400, 403, 404, 406, 409, 413, 415, 422.
pub async fn update(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let (query, dry_run, writer) = (call.query.clone(), call.query.dry_run()?, call.writer()?);
    let body = read(&target.resource, call).await?;
    let resource = target.resource.clone();
    let name = target.name.clone().unwrap_or_default();
    check_place(&body, &target.namespace, Some(&name))?;
    let mut incoming = accept(&resource, body, Some(&name), &query)?;
    let creates = target.sub.is_none() && resource.kind().is_some_and(|kind| kind.creates_on_update);
    if creates && resource.objects.get(&key(&target.namespace, &name)).is_none() {
        managed_fields::on_create(&resource, &mut incoming.object, &writer);
        let object = store_new(state, &resource, &target.namespace, incoming.object, dry_run)?;
        return Ok(answer::with_warnings(answer::object(201, &resource, &object, view), &incoming.warnings));
    }
    let reference = ObjectRef { resource: &resource, namespace: &target.namespace, name: &name };
    let modified = modify(state, reference, dry_run, |current, old| {
        let next = incoming.object.clone();
        check_version(&resource, current, &old, &next, true)?;
        let mut next = next_version(&resource, target.sub, next, &old)?;
        let place = Place { resource: &resource, sub: target.sub };
        managed_fields::on_update(place, &old, &mut next, incoming.managed.as_ref(), &writer);
        let (namespace, sub) = (target.namespace.as_str(), target.sub);
        let change = Change { resource: &resource, namespace, before: Some(&old), after: &next, sub };
        quota::admit(state, change, dry_run)?;
        Ok(next)
    })?;
    Ok(answer::with_warnings(answer::object(200, &resource, modified.object(), view), &incoming.warnings))
}

/// Checks that the resource version and the UID in `next`, if they are set, are those of the stored object.
/// `wants_version` is true for an update and false for a patch.
///
/// # Errors
/// 409 if the version or the UID differs; 422 if `wants_version` is true, the kind requires a resource version, and
/// `next` has none.
pub fn check_version(
    resource: &Resource,
    current: &Object,
    old: &Value,
    next: &Value,
    wants_version: bool,
) -> Result<(), Failure> {
    let metadata = &next["metadata"];
    let version = text(metadata, "resourceVersion");
    if version.is_empty() || version == "0" {
        if wants_version && resource.conditional() {
            let mut problems = Problems::default();
            problems.invalid("metadata.resourceVersion", &json!(0), "must be specified for an update");
            return Err(Failure::invalid(resource.kind_subject(current.name()), &problems));
        }
    } else if version != current.rv().to_string() {
        return Err(Failure::modified(resource.subject(current.name())));
    }
    let (uid, actual) = (text(metadata, "uid"), text(&old["metadata"], "uid"));
    if !uid.is_empty() && uid != actual {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {actual}",
            current.key()
        );
        return Err(Failure::conflict(resource.subject(current.name()), &why));
    }
    Ok(())
}

/// Returns the object to store when `next` replaces `old`, after validation. Through a subresource `sub`, only the
/// fields of the subresource change and, for the status of a built-in kind, the metadata. Without a subresource,
/// everything changes except the status of a kind that has a status subresource.
///
/// # Errors
/// 422 if the result is invalid.
pub fn next_version(resource: &Resource, sub: Option<Sub>, mut next: Value, old: &Value) -> Result<Value, Failure> {
    let kind = resource.kind();
    keep_identity(&mut next, old);
    match sub {
        None => {
            if resource.has(Sub::Status) {
                copy_member(&mut next, old, "status");
            }
            if let Some(kind) = kind {
                kind.rules.update(&mut next, old);
            }
        }
        Some(Sub::Status) => keep_all_but_status(resource, &mut next, old),
        Some(Sub::Finalize) => {
            let finalizers = next["spec"]["finalizers"].take();
            next = old.clone();
            next["spec"]["finalizers"] = if finalizers.is_null() { json!([]) } else { finalizers };
        }
        Some(Sub::Resize) => next = resized(next, old),
        Some(Sub::EphemeralContainers) => {
            let containers = next["spec"]["ephemeralContainers"].take();
            next = old.clone();
            next["spec"]["ephemeralContainers"] = containers;
        }
        Some(Sub::Scale | Sub::Binding | Sub::Eviction) => return Err(Failure::method_not_allowed()),
    }
    count_generation(resource, &mut next, old);
    let mut problems = Problems::default();
    check_finalizers(&next, old, &mut problems);
    match (kind, sub) {
        (Some(kind), None) => kind.rules.check_update(&next, old, &mut problems),
        (Some(kind), Some(Sub::Status)) => kind.rules.check_status_update(&next, old, &mut problems),
        _ => {}
    }
    let name = text(&old["metadata"], "name");
    if !problems.is_empty() {
        return Err(Failure::invalid(resource.kind_subject(name), &problems));
    }
    check(resource, &next).map_err(|problems| Failure::invalid(resource.kind_subject(name), &problems))?;
    Ok(next)
}

/// Restores the metadata that no update can change.
fn keep_identity(next: &mut Value, old: &Value) {
    for member in ["uid", "creationTimestamp", "generation", "generateName", "name", "namespace"] {
        copy_member(&mut next["metadata"], &old["metadata"], member);
    }
    keep_deletion(next, old);
}

fn keep_all_but_status(resource: &Resource, next: &mut Value, old: &Value) {
    let status = next.get("status").cloned();
    let metadata = next["metadata"].take();
    *next = old.clone();
    match status {
        Some(status) => next["status"] = status,
        None => remove(next, "status"),
    }
    if let Source::BuiltIn(kind) = &resource.source {
        next["metadata"] = metadata;
        kind.rules.update_status(next, old);
    }
}

/// Returns the pod `old` with the resources of `next`, and with the resources and resize policies of its containers,
/// which are matched by name.
fn resized(next: Value, old: &Value) -> Value {
    let mut pod = old.clone();
    for list in ["containers", "initContainers"] {
        for container in crate::value::items_mut(&mut pod["spec"], list) {
            let name = text(container, "name").to_owned();
            if let Some(source) = items(&next["spec"], list).find(|one| text(one, "name") == name) {
                copy_member(container, source, "resources");
                copy_member(container, source, "resizePolicy");
            }
        }
    }
    copy_member(&mut pod["spec"], &next["spec"], "resources");
    pod
}

/// Increases the generation if the spec changed; for a custom resource, if anything except metadata and status
/// changed.
fn count_generation(resource: &Resource, next: &mut Value, old: &Value) {
    let without = |value: &Value| {
        let mut value = value.clone();
        for member in ["metadata", "status", "apiVersion", "kind"] {
            remove(&mut value, member);
        }
        value
    };
    let changed = match resource.source {
        Source::BuiltIn(_) => next.get("spec") != old.get("spec"),
        Source::Custom(_) => without(next) != without(old),
    };
    if resource.counted() && changed {
        let count = old["metadata"]["generation"].as_i64().unwrap_or_default();
        next["metadata"]["generation"] = (count + 1).into();
    }
}

fn check_finalizers(next: &Value, old: &Value, problems: &mut Problems) {
    if old["metadata"].get("deletionTimestamp").is_none() {
        return;
    }
    let before: Vec<&Value> = items(&old["metadata"], "finalizers").collect();
    let added: Vec<&Value> = items(&next["metadata"], "finalizers").filter(|one| !before.contains(one)).collect();
    if !added.is_empty() {
        let list = added.iter().filter_map(|one| one.as_str()).collect::<Vec<_>>().join("\", \"");
        problems.forbidden("metadata.finalizers", &format!("no new finalizers can be added if the object is being deleted, found new finalizers []string{{\"{list}\"}}"));
    }
}
