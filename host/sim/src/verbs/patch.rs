//! patch: changes an object by a patch in one of four forms.

use std::sync::Arc;

use axum::response::Response;
use serde_json::Value;

use super::check_place;
use super::create::store_new;
use super::incoming::accept;
use super::update::{check_version, next_version};
use super::write::{ObjectRef, modify};
use crate::failure::{Failure, Problems, Subject};
use crate::http::{Call, answer, body};
use crate::patch::{self, Patch};
use crate::request::{Query, Target};
use crate::resource::Resource;
use crate::state::State;
use crate::store::key;
use crate::value::text;

const READABLE: &str = "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml";

/// Applies the patch in the body.
///
/// # Errors
/// 400, 403, 404, 406, 409, 413, 415, 422, and 500 for a malformed strategic merge patch.
pub async fn patch(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let (query, dry_run) = (call.query.clone(), call.query.dry_run()?);
    let resource = target.resource.clone();
    let name = target.name.clone().unwrap_or_default();
    let patch = read(&resource, call).await?;
    let reference = ObjectRef { resource: &resource, namespace: &target.namespace, name: &name };
    if let Patch::Apply(object) = &patch {
        check_apply(object, &target, &name, &query)?;
        if target.sub.is_none() && resource.objects.get(&key(&target.namespace, &name)).is_none() {
            let incoming = accept(&resource, object.clone(), Some(&name), &query)?;
            let stored = store_new(state, &resource, &target.namespace, incoming.object, dry_run)?;
            return Ok(answer::with_warnings(answer::object(201, &resource, &stored, view), &incoming.warnings));
        }
    }
    let mut warnings = Vec::new();
    let modified = modify(state, reference, dry_run, |current, old| {
        let served = resource.served(current);
        let patched = patch::apply(&patch, &resource, &served)?;
        check_place(&patched, &target.namespace, Some(&name))?;
        let incoming = accept(&resource, patched, Some(&name), &query).map_err(of_patch)?;
        warnings = incoming.warnings;
        check_version(&resource, current, &old, &incoming.object, false)?;
        next_version(&resource, target.sub, incoming.object, &old)
    })?;
    Ok(answer::with_warnings(answer::object(200, &resource, modified.object(), view), &warnings))
}

/// Converts a strict decoding error of a patched object from 400 to 422, as in kube-apiserver. Returns other errors
/// unchanged.
fn of_patch(failure: Failure) -> Failure {
    match failure.message.split_once("strict decoding error:") {
        Some((_, fields)) => {
            Failure::unprocessable(format!(" \"\" is invalid: patch: Invalid value: strict decoding error:{fields}"))
        }
        None => failure,
    }
}

async fn read(resource: &Resource, call: Call) -> Result<Patch, Failure> {
    let content_type = call.content_type.clone();
    let built_in = resource.kind().is_some();
    let kind: fn(Value) -> Patch = match content_type.as_str() {
        "application/json-patch+json" => Patch::Json,
        "application/merge-patch+json" => Patch::Merge,
        "application/strategic-merge-patch+json" if built_in => Patch::Strategic,
        "application/apply-patch+yaml" | "application/apply-patch+json" => Patch::Apply,
        _ => return Err(Failure::unsupported_media_type(READABLE)),
    };
    let bytes = body::bytes(call).await?;
    let value = if content_type.ends_with("+yaml") { body::parse_yaml(&bytes) } else { body::parse_json(&bytes) }?;
    let patch = kind(value);
    match &patch {
        Patch::Json(list) if !list.is_array() => {
            Err(Failure::bad_request("error decoding patch: a JSON patch is a list"))
        }
        Patch::Merge(object) | Patch::Strategic(object) | Patch::Apply(object) if !object.is_object() => {
            Err(Failure::bad_request("error decoding patch: it is not an object"))
        }
        _ => Ok(patch),
    }
}

fn check_apply(object: &Value, target: &Target, name: &str, query: &Query) -> Result<(), Failure> {
    if query.get("fieldManager").is_none() {
        let mut problems = Problems::default();
        problems.required("fieldManager", "is required for apply patch");
        return Err(Failure::invalid(Subject { group: "meta.k8s.io", kind: "PatchOptions", name: "" }, &problems));
    }
    if text(object, "kind").is_empty() || text(object, "apiVersion").is_empty() {
        return Err(Failure::bad_request("invalid object type: /, Kind="));
    }
    check_place(object, &target.namespace, Some(name))
}
