//! scale: reads and changes the replica count of a workload as an autoscaling/v1 Scale.

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;
use serde_json::{Value, json};

use super::update::next_version;
use super::write::{ObjectRef, modify};
use crate::failure::{Failure, Problems};
use crate::http::{Call, answer, body};
use crate::kinds::Sub;
use crate::managed_fields::{self, Place, Writer};
use crate::patch::{self, Patch};
use crate::request::Target;
use crate::resource::Resource;
use crate::state::State;
use crate::store::{Object, key};
use crate::value::{items, text};

/// The JSON pointers to the fields of a resource that a Scale shows.
struct Paths<'a> {
    spec: &'a str,
    status: &'a str,
    selector: &'a str,
}

fn paths(resource: &Resource) -> Paths<'_> {
    match resource.definition().and_then(|definition| definition.scale.as_ref()) {
        Some(scale) => {
            Paths { spec: &scale.spec, status: &scale.status, selector: scale.selector.as_deref().unwrap_or("/-") }
        }
        None => Paths { spec: "/spec/replicas", status: "/status/replicas", selector: "/spec/selector" },
    }
}

/// Reads or changes the replica count.
///
/// # Errors
/// 400, 404, 405, 409, 413, 415, 422.
pub async fn scale(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let resource = target.resource.clone();
    let name = target.name.clone().unwrap_or_default();
    let (dry_run, writer) = (call.query.dry_run()?, call.writer()?);
    let reference = ObjectRef { resource: &resource, namespace: &target.namespace, name: &name };
    let modified = match call.method.clone() {
        Method::GET => {
            let object = resource.objects.get(&key(&target.namespace, &name));
            let object = object.ok_or_else(|| Failure::not_found(resource.subject(&name)))?;
            return Ok(answer::json(200, &to_scale(&resource, &object)));
        }
        Method::PUT => {
            let wanted = body::object(call).await?;
            modify(state, reference, dry_run, |current, old| set(&resource, current, old, &wanted, &writer))?
        }
        Method::PATCH => {
            let patch = read_patch(call).await?;
            modify(state, reference, dry_run, |current, old| {
                let wanted = patch::apply_plain(&patch, &to_scale(&resource, current))?;
                set(&resource, current, old, &wanted, &writer)
            })?
        }
        _ => return Err(Failure::method_not_allowed()),
    };
    Ok(answer::json(200, &to_scale(&resource, modified.object())))
}

async fn read_patch(call: Call) -> Result<Patch, Failure> {
    let content_type = call.content_type.clone();
    let value = body::parse_json(&body::bytes(call).await?)?;
    match content_type.as_str() {
        "application/json-patch+json" => Ok(Patch::Json(value)),
        // A Scale has no lists, so a strategic merge patch equals a merge patch.
        "application/merge-patch+json" | "application/strategic-merge-patch+json" => Ok(Patch::Merge(value)),
        _ => Err(Failure::unsupported_media_type("application/json-patch+json, application/merge-patch+json")),
    }
}

fn set(resource: &Resource, current: &Object, old: Value, wanted: &Value, writer: &Writer) -> Result<Value, Failure> {
    let version = text(&wanted["metadata"], "resourceVersion");
    if !version.is_empty() && version != current.rv().to_string() {
        return Err(Failure::modified(resource.subject(current.name())));
    }
    let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or_default();
    if replicas < 0 {
        let mut problems = Problems::default();
        problems.invalid("spec.replicas", &replicas.into(), "must be greater than or equal to 0");
        let subject = crate::failure::Subject { group: "autoscaling", kind: "Scale", name: current.name() };
        return Err(Failure::invalid(subject, &problems));
    }
    let mut next = old.clone();
    set_at(&mut next, paths(resource).spec, replicas.into());
    let mut next = next_version(resource, None, next, &old)?;
    let place = Place { resource, sub: Some(Sub::Scale) };
    managed_fields::on_update(place, &old, &mut next, None, writer);
    Ok(next)
}

/// Sets the value at a JSON pointer, creating missing objects.
fn set_at(value: &mut Value, pointer: &str, new: Value) {
    let mut at = value;
    for step in pointer.split('/').filter(|step| !step.is_empty()) {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[step];
    }
    *at = new;
}

fn to_scale(resource: &Resource, object: &Object) -> Value {
    let value = resource.served(object);
    let paths = paths(resource);
    let count = |pointer: &str| value.pointer(pointer).and_then(Value::as_i64).unwrap_or_default();
    let metadata = &value["metadata"];
    let mut scale = json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"], "creationTimestamp": metadata["creationTimestamp"]},
        "spec": {"replicas": count(paths.spec)},
        "status": {"replicas": count(paths.status)},
    });
    if let Some(selector) = value.pointer(paths.selector) {
        scale["status"]["selector"] = selector_text(selector).into();
    }
    scale
}

/// Returns a selector in the query syntax.
fn selector_text(selector: &Value) -> String {
    if let Some(text) = selector.as_str() {
        return text.to_owned();
    }
    let plain = if selector.get("matchLabels").is_some() || selector.get("matchExpressions").is_some() {
        &selector["matchLabels"]
    } else {
        selector
    };
    let mut parts: Vec<String> = plain
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?)))
        .collect();
    for expression in items(selector, "matchExpressions") {
        let values = items(expression, "values").filter_map(Value::as_str).collect::<Vec<_>>().join(",");
        let key = text(expression, "key");
        parts.push(match text(expression, "operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_become_text() {
        for (selector, expected) in [
            (json!({"a": "b"}), "a=b"),
            (json!({"matchLabels": {"a": "b", "c": "d"}}), "a=b,c=d"),
            (json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["x", "y"]}]}), "a in (x,y)"),
            (json!("a=b"), "a=b"),
        ] {
            assert_eq!(selector_text(&selector), expected);
        }
    }
}
