//! create: stores a new object.

use std::sync::Arc;

use axum::response::Response;
use serde_json::Value;

use super::incoming::{accept, drop_status};
use super::{check_place, read, write};
use crate::failure::{Failure, Problems};
use crate::http::{Call, answer};
use crate::kinds::Naming;
use crate::quota::{self, Change};
use crate::request::Target;
use crate::resource::Resource;
use crate::state::State;
use crate::store::{Object, WriteError, key};
use crate::value::{members, remove, text};
use crate::{clock, custom, managed_fields, names};

/// The number of attempts to generate a name that is not in use.
const ATTEMPTS: usize = 8;

/// Creates the object in the body.
///
/// # Errors
/// 400, 403, 404 if the namespace does not exist, 406, 409 if the name is in use, 413, 415, 422.
pub async fn create(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let (query, dry_run, writer) = (call.query.clone(), call.query.dry_run()?, call.writer()?);
    let body = read(&target.resource, call).await?;
    check_place(&body, &target.namespace, None)?;
    let resource = &target.resource;
    if resource.namespaced && target.namespace.is_empty() {
        return Err(Failure::bad_request("an empty namespace may not be set during creation"));
    }
    let mut incoming = accept(resource, body, None, &query)?;
    managed_fields::on_create(resource, &mut incoming.object, &writer);
    let object = store_new(state, resource, &target.namespace, incoming.object, dry_run)?;
    Ok(answer::with_warnings(answer::object(201, resource, &object, view), &incoming.warnings))
}

/// Creates `object` in `namespace`. The object is in the stored form and has its defaults.
///
/// # Errors
/// 403, 404 if the namespace does not exist, 409 if the name is in use, 422.
pub fn store_new(
    state: &Arc<State>,
    resource: &Resource,
    namespace: &str,
    object: Value,
    dry_run: bool,
) -> Result<Arc<Object>, Failure> {
    if resource.definition().is_some_and(|definition| definition.terminating) {
        let why = "create not allowed while custom resource definition is terminating";
        return Err(Failure::forbidden(resource.subject(text(&object["metadata"], "name")), why));
    }
    check_namespace(state, resource, namespace, text(&object["metadata"], "name"))?;
    let generated =
        text(&object["metadata"], "name").is_empty() && !text(&object["metadata"], "generateName").is_empty();
    let attempts = if generated { ATTEMPTS } else { 1 };
    let mut outcome = Err(Failure::internal("no attempt was made"));
    for _ in 0..attempts {
        outcome = store_once(state, resource, namespace, object.clone(), dry_run);
        match &outcome {
            Err(failure) if failure.reason == "AlreadyExists" => {}
            _ => break,
        }
    }
    outcome
}

fn store_once(
    state: &Arc<State>,
    resource: &Resource,
    namespace: &str,
    mut object: Value,
    dry_run: bool,
) -> Result<Arc<Object>, Failure> {
    identify(state, resource, &mut object, namespace);
    drop_status(resource, &mut object);
    if let Some(kind) = resource.kind() {
        kind.rules.admit(state, &mut object)?;
        kind.rules.create(&mut object);
    }
    let name = text(&object["metadata"], "name").to_owned();
    check(resource, &object).map_err(|problems| Failure::invalid(resource.kind_subject(&name), &problems))?;
    let change = Change { resource, namespace, before: None, after: &object, sub: None };
    quota::admit(state, change, dry_run)?;
    let draft = resource.draft(object);
    if dry_run {
        return match resource.objects.get(&key(namespace, &name)) {
            Some(_) => Err(Failure::already_exists(resource.subject(&name))),
            None => Ok(Arc::new(draft)),
        };
    }
    let stored = resource.objects.create(draft).map_err(|error| match error {
        WriteError::Exists | WriteError::Stale => Failure::already_exists(resource.subject(&name)),
    })?;
    write::written(state, resource, None, &stored);
    Ok(stored)
}

/// Sets the metadata that the server decides for a new object: UID, creation time, generation, generated name.
fn identify(state: &State, resource: &Resource, object: &mut Value, namespace: &str) {
    let metadata = &mut object["metadata"];
    for decided in ["deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion", "generation"] {
        remove(metadata, decided);
    }
    metadata["uid"] = state.names.uid().into();
    metadata["creationTimestamp"] = clock::seconds(state.now()).into();
    if text(metadata, "name").is_empty() && !text(metadata, "generateName").is_empty() {
        metadata["name"] = state.names.name(text(metadata, "generateName")).into();
    }
    match resource.namespaced {
        true => metadata["namespace"] = namespace.into(),
        false => remove(metadata, "namespace"),
    }
    if resource.counted() {
        metadata["generation"] = 1.into();
    }
    // The defaults of a namespace include a label with its name, which may have been generated just now.
    if resource.kind == "Namespace"
        && resource.group.is_empty()
        && let Some(kind) = resource.kind()
    {
        kind.rules.default(object);
    }
}

fn check_namespace(state: &State, resource: &Resource, namespace: &str, name: &str) -> Result<(), Failure> {
    if !resource.namespaced {
        return Ok(());
    }
    let subject = crate::failure::Subject { group: "", kind: "namespaces", name: namespace };
    let found = state.value("", "namespaces", "", namespace).ok_or_else(|| Failure::not_found(subject))?;
    if found["metadata"].get("deletionTimestamp").is_some() {
        let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
        let cause = serde_json::json!([{"reason": "NamespaceTerminating", "message": format!("namespace {namespace} is being terminated"), "field": "metadata.namespace"}]);
        return Err(Failure::forbidden(resource.subject(name), &why).with_detail("causes", cause));
    }
    Ok(())
}

/// Validates the metadata of a new or changed object, and the object by its kind's rules or its definition's schema.
pub fn check(resource: &Resource, object: &Value) -> Result<(), Problems> {
    let mut problems = Problems::default();
    check_metadata(resource, &object["metadata"], &mut problems);
    if let Some(kind) = resource.kind() {
        kind.rules.check(object, &mut problems);
    }
    if let Some(schema) = resource.definition().and_then(|definition| definition.schema.as_ref()) {
        custom::validate(schema, object, "", &mut problems);
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and \
                         end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn check_metadata(resource: &Resource, metadata: &Value, problems: &mut Problems) {
    let name = text(metadata, "name");
    let fine = match resource.naming() {
        Naming::Subdomain => names::is_dns_subdomain(name),
        Naming::Label => names::is_dns_label(name),
        Naming::PathSegment => names::is_path_segment(name),
    };
    if name.is_empty() {
        problems.required("metadata.name", "name or generateName is required");
    } else if !fine {
        problems.invalid("metadata.name", &name.into(), SUBDOMAIN);
    }
    for (key, value) in members(metadata, "labels") {
        if !names::is_label_key(key) {
            problems.invalid("metadata.labels", &key.as_str().into(), "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character");
        }
        if !value.as_str().is_some_and(names::is_label_value) {
            problems.invalid("metadata.labels", value, "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character");
        }
    }
    let size: usize =
        members(metadata, "annotations").map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
    if size > 256 << 10 {
        problems.forbidden("metadata.annotations", "may not be more than 262144 bytes");
    }
    for (key, _) in members(metadata, "annotations") {
        if !names::is_label_key(&key.to_lowercase()) {
            problems.invalid("metadata.annotations", &key.as_str().into(), "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character");
        }
    }
}
