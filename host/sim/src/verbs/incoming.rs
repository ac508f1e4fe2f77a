//! Converts an object from a client to the stored form: checks its kind, validates its fields and sets its defaults.

use serde_json::{Map, Value, json};

use crate::custom;
use crate::failure::Failure;
use crate::kinds::{KINDS, Sub};
use crate::request::Query;
use crate::resource::{Resource, Source, api_version};
use crate::value::{remove, text};
use berth_apimachinery::schema::{self, Shape};

/// An object in the stored form, with the warnings for the client.
#[derive(Debug)]
pub struct Incoming {
    /// The object.
    pub object: Value,
    /// The object's `managedFields`, if the client sent them. The object no longer has them.
    pub managed: Option<Value>,
    /// The warnings for the response.
    pub warnings: Vec<String>,
}

/// The treatment of unknown fields: the `fieldValidation` parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Ignore,
    Warn,
    Strict,
}

/// Converts an object from the served form to the stored form. `name` is the name in the path, if the path has one.
///
/// # Errors
/// 400 if the object has another kind, cannot be decoded as its kind, or has unknown fields under strict validation.
pub fn accept(resource: &Resource, mut object: Value, name: Option<&str>, query: &Query) -> Result<Incoming, Failure> {
    check_kind(resource, &object)?;
    if !object["metadata"].is_object() {
        object["metadata"] = Value::Object(Map::new());
    }
    if let Some(name) = name {
        object["metadata"]["name"] = name.into();
    }
    remove(&mut object["metadata"], "selfLink");
    let managed = object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("managedFields"));
    let strictness = strictness(query)?;
    let unknown = match &resource.source {
        Source::BuiltIn(_) => check_built_in(resource, &mut object)?,
        Source::Custom(custom) => check_custom(resource, custom, &mut object)?,
    };
    let warnings: Vec<String> = unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
    if strictness == Strictness::Strict && !warnings.is_empty() {
        let list = warnings.join(", ");
        return Err(Failure::bad_request(format!("{} strict decoding error: {list}", cannot_be(resource))));
    }
    let warnings = if strictness == Strictness::Warn { warnings } else { Vec::new() };
    let mut object = resource.to_stored(object);
    default(resource, &mut object);
    Ok(Incoming { object, managed, warnings })
}

fn strictness(query: &Query) -> Result<Strictness, Failure> {
    match query.get("fieldValidation") {
        None | Some("Warn") => Ok(Strictness::Warn),
        Some("Ignore") => Ok(Strictness::Ignore),
        Some("Strict") => Ok(Strictness::Strict),
        Some(other) => Err(Failure::bad_request(format!(
            "fieldValidation: Unsupported value: {other:?}: supported values: \"Ignore\", \"Strict\", \"Warn\""
        ))),
    }
}

fn cannot_be(resource: &Resource) -> String {
    format!("{} in version \"{}\" cannot be handled as a {}:", resource.kind, resource.version, resource.kind)
}

fn check_kind(resource: &Resource, object: &Value) -> Result<(), Failure> {
    let (kind, version, expected) = (text(object, "kind"), text(object, "apiVersion"), resource.api_version());
    let fits = |given: &str, own: &str| given.is_empty() || given == own;
    if fits(kind, &resource.kind) && fits(version, &expected) {
        return Ok(());
    }
    let known = KINDS.iter().any(|known| api_version(known.group, known.version) == version && known.kind == kind);
    let message = match version.rsplit('/').next().unwrap_or_default() {
        _ if kind == resource.kind && known => {
            format!("the API version in the data ({version}) does not match the expected API version ({expected})")
        }
        short if known => {
            let kinds = format!("({short}.{kind}) to ({})", resource.kind);
            format!(
                "{kind} in version {short:?} cannot be handled as a {}: converting {kinds}: unknown conversion",
                resource.kind
            )
        }
        _ => format!("{} no kind {kind:?} is registered for version {version:?}", cannot_be(resource)),
    };
    Err(Failure::bad_request(message))
}

fn check_built_in(resource: &Resource, object: &mut Value) -> Result<Vec<String>, Failure> {
    let name = resource.type_name();
    remove(object, "kind");
    remove(object, "apiVersion");
    let checked = schema::check(&name, object, "")
        .map_err(|problem| Failure::bad_request(format!("{} {problem}", cannot_be(resource))))?;
    // In Go, these fields are structs, so kube-apiserver always serializes them.
    for member in ["spec", "status"] {
        let field = schema::type_named(&name).and_then(|found| found.field(member));
        if field.is_some_and(|field| matches!(field.shape, Shape::Object(_))) && object.get(member).is_none() {
            object[member] = json!({});
        }
    }
    Ok(checked.unknown)
}

fn check_custom(resource: &Resource, definition: &custom::Custom, object: &mut Value) -> Result<Vec<String>, Failure> {
    let read = schema::check("meta.v1.ObjectMeta", &mut object["metadata"], "metadata");
    let mut unknown =
        read.map_err(|problem| Failure::bad_request(format!("{} {problem}", cannot_be(resource))))?.unknown;
    if let Some(schema) = &definition.schema {
        unknown.extend(custom::prune(schema, object));
        custom::default(schema, object);
    }
    Ok(unknown)
}

/// Sets the defaults of a built-in kind.
fn default(resource: &Resource, object: &mut Value) {
    if let Some(kind) = resource.kind() {
        kind.rules.default(object);
    }
}

/// Removes the status of a new object, if the kind has a status subresource.
pub fn drop_status(resource: &Resource, object: &mut Value) {
    let keeps = resource.kind().is_some_and(|kind| kind.rules.keeps_status());
    if resource.has(Sub::Status) && !keeps {
        match resource.source {
            Source::BuiltIn(_) => object["status"] = json!({}),
            Source::Custom(_) => remove(object, "status"),
        }
    }
}
