//! OpenAPI documents: the types of the kinds with their merge keys. kubectl reads the documents to validate and patch
//! objects, and for `kubectl explain`.

mod protobuf;

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;
use serde_json::{Map, Value, json};

use crate::discovery::KUBERNETES;
use crate::failure::Failure;
use crate::http::{Call, answer};
use crate::resource::Resource;
use crate::state::State;
use berth_apimachinery::schema::{self, Field, Shape};

/// Answers an OpenAPI path. Returns `None` for any other path.
///
/// # Errors
/// 404 for an unknown document, 405 for another method than GET, 406 if the client accepts neither JSON nor, for
/// version 2, protobuf.
pub fn route(state: &State, path: &str, call: &Call) -> Result<Option<Response>, Failure> {
    let Some(rest) = path.strip_prefix("/openapi/") else { return Ok(None) };
    if call.method != Method::GET {
        return Err(Failure::method_not_allowed());
    }
    if !call.accept.takes_json() {
        return match rest {
            "v2" if call.accept.takes(protobuf::MEDIA_TYPES) => {
                Ok(Some(answer::with_type(200, protobuf::MEDIA_TYPES[0], protobuf::document(&version_2(state)))))
            }
            _ => Err(Failure::not_acceptable()),
        };
    }
    let found = match rest {
        "v2" => version_2(state),
        "v3" => index(state),
        rest => match rest.strip_prefix("v3/") {
            Some(place) => version_3(state, place)?,
            None => return Err(Failure::no_such_path()),
        },
    };
    Ok(Some(answer::json(200, &found)))
}

/// Returns `api/v1` or `apis/GROUP/VERSION`.
fn place(resource: &Resource) -> String {
    match resource.group.as_str() {
        "" => format!("api/{}", resource.version),
        _ => format!("apis/{}", resource.api_version()),
    }
}

fn index(state: &State) -> Value {
    let places: BTreeSet<String> = state.registry.all().iter().map(|resource| place(resource)).collect();
    let paths: Map<String, Value> = places
        .into_iter()
        .map(|place| (place.clone(), json!({"serverRelativeURL": format!("/openapi/v3/{place}")})))
        .collect();
    json!({"paths": paths})
}

fn version_3(state: &State, wanted: &str) -> Result<Value, Failure> {
    let resources: Vec<Arc<Resource>> =
        state.registry.all().into_iter().filter(|resource| place(resource) == wanted).collect();
    if resources.is_empty() {
        return Err(Failure::no_such_path());
    }
    let mut writer = Writer { prefix: "#/components/schemas/", done: Map::new() };
    let mut paths = Map::new();
    for resource in &resources {
        writer.resource(resource);
        add_paths(resource, &mut paths);
    }
    let info = json!({"title": "Kubernetes", "version": KUBERNETES});
    Ok(json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": writer.done}}))
}

fn version_2(state: &State) -> Value {
    let mut writer = Writer { prefix: "#/definitions/", done: Map::new() };
    for resource in state.registry.all() {
        writer.resource(&resource);
    }
    json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": KUBERNETES}, "paths": {}, "definitions": writer.done})
}

fn group_version_kind(resource: &Resource) -> Value {
    json!({"group": resource.group, "version": resource.version, "kind": resource.kind})
}

/// Adds the operations of a resource, with the parameters that kubectl looks for.
fn add_paths(resource: &Resource, paths: &mut Map<String, Value>) {
    let base = format!("/{}", place(resource));
    let base = if resource.namespaced {
        format!("{base}/namespaces/{{namespace}}/{}", resource.plural)
    } else {
        format!("{base}/{}", resource.plural)
    };
    let identity = group_version_kind(resource);
    let query = |names: &[&str]| -> Vec<Value> {
        names.iter().map(|name| json!({"name": name, "in": "query", "schema": {"type": "string"}})).collect()
    };
    let operation = |action: &str, names: &[&str], media: &[&str]| {
        let content: Map<String, Value> = media.iter().map(|media| ((*media).to_owned(), json!({}))).collect();
        let mut operation = json!({"parameters": query(names), "responses": {"200": {"description": "OK"}},
            "x-kubernetes-action": action, "x-kubernetes-group-version-kind": identity});
        if !content.is_empty() {
            operation["requestBody"] = json!({"content": content});
        }
        operation
    };
    let writes = ["dryRun", "fieldManager", "fieldValidation"];
    let mut patches =
        vec!["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
    if resource.kind().is_some() {
        patches.push("application/strategic-merge-patch+json");
    }
    let path_parameters = |names: &[&str]| -> Vec<Value> {
        names
            .iter()
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect()
    };
    let scope: &[&str] = if resource.namespaced { &["namespace"] } else { &[] };
    let named: Vec<&str> = scope.iter().copied().chain(["name"]).collect();
    paths.insert(base.clone(), json!({"parameters": path_parameters(scope), "get": operation("list", &["limit", "continue", "watch"], &[]),
        "post": operation("post", &writes, &["application/json"]), "delete": operation("deletecollection", &["dryRun"], &[])}));
    paths.insert(format!("{base}/{{name}}"), json!({"parameters": path_parameters(&named), "get": operation("get", &[], &[]),
        "put": operation("put", &writes, &["application/json"]), "patch": operation("patch", &[&writes[..], &["force"]].concat(), &patches),
        "delete": operation("delete", &["dryRun"], &[])}));
}

/// Writes schemas and the schemas that they refer to.
struct Writer {
    prefix: &'static str,
    done: Map<String, Value>,
}

impl Writer {
    fn resource(&mut self, resource: &Resource) {
        let identity = json!([group_version_kind(resource)]);
        let (name, mut schema) = match resource.definition() {
            None => {
                let name = resource.type_name();
                self.object(&name);
                let name = full_name(&name);
                let schema = self.done.remove(&name).unwrap_or_default();
                (name, schema)
            }
            Some(definition) => {
                let reversed: Vec<&str> = definition.group.rsplit('.').collect();
                let name = format!("{}.{}.{}", reversed.join("."), resource.version, resource.kind);
                let mut schema = definition
                    .schema
                    .clone()
                    .unwrap_or_else(|| json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}));
                self.object("meta.v1.ObjectMeta");
                schema["properties"]["metadata"] = self.reference("meta.v1.ObjectMeta");
                (name, schema)
            }
        };
        schema["properties"]["apiVersion"] = json!({"type": "string"});
        schema["properties"]["kind"] = json!({"type": "string"});
        schema["x-kubernetes-group-version-kind"] = identity;
        self.done.insert(name, schema);
    }

    fn object(&mut self, name: &str) {
        let full = full_name(name);
        if self.done.contains_key(&full) {
            return;
        }
        let Some(found) = schema::type_named(name) else { return };
        self.done.insert(full.clone(), Value::Null);
        let mut properties = Map::new();
        for field in &found.fields {
            properties.insert(field.name.to_owned(), self.field(field));
        }
        let required: Vec<&str> = found.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if found.atomic {
            schema["x-kubernetes-map-type"] = "atomic".into();
        }
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        self.done.insert(full, schema);
    }

    fn field(&mut self, field: &Field) -> Value {
        let mut schema = self.shape(&field.shape);
        let strategies: Vec<&str> = [(field.merges, "merge"), (field.retain_keys, "retainKeys")]
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, name)| name)
            .collect();
        if !strategies.is_empty() {
            schema["x-kubernetes-patch-strategy"] = strategies.join(",").into();
        }
        if let Some(key) = field.merge_key {
            schema["x-kubernetes-patch-merge-key"] = key.into();
        }
        match &field.shape {
            Shape::List(_) if !field.map_keys.is_empty() => {
                schema["x-kubernetes-list-type"] = "map".into();
                schema["x-kubernetes-list-map-keys"] = field.map_keys.clone().into();
            }
            Shape::List(_) if field.set => schema["x-kubernetes-list-type"] = "set".into(),
            Shape::List(_) if field.atomic || !field.merges => schema["x-kubernetes-list-type"] = "atomic".into(),
            _ if field.atomic => schema["x-kubernetes-map-type"] = "atomic".into(),
            _ => {}
        }
        schema
    }

    fn shape(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Text => json!({"type": "string"}),
            Shape::Bytes => json!({"type": "string", "format": "byte"}),
            Shape::Bool => json!({"type": "boolean"}),
            Shape::Int => json!({"type": "integer", "format": "int32"}),
            Shape::Long => json!({"type": "integer", "format": "int64"}),
            Shape::Number => json!({"type": "number", "format": "double"}),
            Shape::Quantity => json!({"type": "string"}),
            Shape::IntOrString => json!({"type": "string", "format": "int-or-string"}),
            Shape::Time | Shape::MicroTime => json!({"type": "string", "format": "date-time"}),
            Shape::Any => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            Shape::Object(name) => {
                self.object(name);
                self.reference(name)
            }
            Shape::List(item) => json!({"type": "array", "items": self.shape(item)}),
            Shape::Map(item) => json!({"type": "object", "additionalProperties": self.shape(item)}),
        }
    }

    /// Returns a reference to a schema. The reference is inside `allOf`, because OpenAPI ignores attributes beside a
    /// `$ref`.
    fn reference(&self, name: &str) -> Value {
        json!({"allOf": [{"$ref": format!("{}{}", self.prefix, full_name(name))}]})
    }
}

/// Returns the name of a type in Kubernetes' OpenAPI documents.
fn full_name(name: &str) -> String {
    match name.split('.').next() {
        Some("meta") => format!("io.k8s.apimachinery.pkg.apis.{name}"),
        Some("apiextensions") => format!("io.k8s.apiextensions-apiserver.pkg.apis.{name}"),
        _ => format!("io.k8s.api.{name}"),
    }
}
