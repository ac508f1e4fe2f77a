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
use crate::managed_fields::{self, Place};
use crate::patch::{self, Patch};
use crate::quota::{self, Change};
use crate::request::{Query, Target};
use crate::resource::Resource;
use crate::state::State;
use crate::store::key;

const READABLE: &str = "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml";

/// Applies the patch in the body.
///
/// # Errors
/// 400, 403, 404, 406, 409, 413, 415, 422, and 500 for a malformed strategic merge patch or an applied configuration
/// that does not have the type of the object.
pub async fn patch(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let (query, dry_run, writer) = (call.query.clone(), call.query.dry_run()?, call.writer()?);
    let resource = target.resource.clone();
    let name = target.name.clone().unwrap_or_default();
    let body = read(&resource, call).await?;
    check_options(&body, &query)?;
    let place = Place { resource: &resource, sub: target.sub };
    if let Body::Apply(config) = &body {
        check_place(config, &target.namespace, Some(&name))?;
        if target.sub.is_none() && resource.objects.get(&key(&target.namespace, &name)).is_none() {
            let applied = managed_fields::apply(place, None, config, &writer, true)?;
            let mut incoming = accept(&resource, applied.object.clone(), Some(&name), &query)?;
            applied.store(&mut incoming.object, None);
            let stored = store_new(state, &resource, &target.namespace, incoming.object, dry_run)?;
            return Ok(answer::with_warnings(answer::object(201, &resource, &stored, view), &incoming.warnings));
        }
    }
    let mut warnings = Vec::new();
    let reference = ObjectRef { resource: &resource, namespace: &target.namespace, name: &name };
    let modified = modify(state, reference, dry_run, |current, old| {
        let served = resource.served(current);
        let (patched, applied) = match &body {
            Body::Patch(patch) => (patch::apply(patch, &resource, &served)?, None),
            Body::Apply(config) => {
                let applied = managed_fields::apply(place, Some(&served), config, &writer, query.flag("force"))?;
                (applied.object.clone(), Some(applied))
            }
        };
        check_place(&patched, &target.namespace, Some(&name))?;
        let incoming = accept(&resource, patched, Some(&name), &query).map_err(of_patch)?;
        warnings = incoming.warnings;
        check_version(&resource, current, &old, &incoming.object, false)?;
        let mut next = next_version(&resource, target.sub, incoming.object, &old)?;
        match applied {
            Some(applied) => applied.store(&mut next, Some(&old)),
            None => managed_fields::on_update(place, &old, &mut next, incoming.managed.as_ref(), &writer),
        }
        let (namespace, sub) = (target.namespace.as_str(), target.sub);
        let change = Change { resource: &resource, namespace, before: Some(&old), after: &next, sub };
        quota::admit(state, change, dry_run)?;
        Ok(next)
    })?;
    Ok(answer::with_warnings(answer::object(200, &resource, modified.object(), view), &warnings))
}

/// The body of a request.
enum Body {
    /// A patch.
    Patch(Patch),
    /// The configuration of a server-side apply.
    Apply(Value),
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

async fn read(resource: &Resource, call: Call) -> Result<Body, Failure> {
    let content_type = call.content_type.clone();
    let built_in = resource.kind().is_some();
    let kind: fn(Value) -> Body = match content_type.as_str() {
        "application/json-patch+json" => |list| Body::Patch(Patch::Json(list)),
        "application/merge-patch+json" => |object| Body::Patch(Patch::Merge(object)),
        "application/strategic-merge-patch+json" if built_in => |object| Body::Patch(Patch::Strategic(object)),
        "application/apply-patch+yaml" | "application/apply-patch+json" => Body::Apply,
        _ => return Err(Failure::unsupported_media_type(READABLE)),
    };
    let bytes = body::bytes(call).await?;
    let value = if content_type.ends_with("+yaml") { body::parse_yaml(&bytes) } else { body::parse_json(&bytes) }?;
    let body = kind(value);
    match &body {
        Body::Patch(Patch::Json(list)) if !list.is_array() => {
            Err(Failure::bad_request("error decoding patch: a JSON patch is a list"))
        }
        Body::Patch(Patch::Merge(object) | Patch::Strategic(object)) | Body::Apply(object) if !object.is_object() => {
            Err(Failure::bad_request("error decoding patch: it is not an object"))
        }
        _ => Ok(body),
    }
}

/// Checks the parameters that only a server-side apply needs, or can have.
fn check_options(body: &Body, query: &Query) -> Result<(), Failure> {
    let mut problems = Problems::default();
    match body {
        Body::Apply(_) if query.get("fieldManager").is_none() => {
            problems.required("fieldManager", "is required for apply patch");
        }
        Body::Patch(_) if query.get("force").is_some() => {
            problems.forbidden("force", "may not be specified for non-apply patch");
        }
        _ => return Ok(()),
    }
    Err(Failure::invalid(Subject { group: "meta.k8s.io", kind: "PatchOptions", name: "" }, &problems))
}
