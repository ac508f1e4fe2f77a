//! Tables for kubectl: the columns of a kind, and one row for each object.

mod core;
mod custom;
mod pods;
mod storage;
mod workloads;

use jiff::Timestamp;
use serde_json::{Value, json};

pub use core::{
    CONFIG_MAPS, DEFINITIONS, DISRUPTION_BUDGETS, EVENTS, LEASES, NAMESPACES, NODES, PRIORITY_CLASSES, SECRETS,
    SERVICES,
};
pub use pods::PODS;
pub use storage::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, RESOURCE_CLAIMS, RESOURCE_SLICES, STORAGE_CLASSES};
pub use workloads::{CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, JOBS, REPLICA_SETS, STATEFUL_SETS};

use super::clock;
use super::failure::Failure;
use super::http::answer::metadata_only;
use super::kinds::Form;
use super::request::Query;
use super::resource::{Resource, Source};
use super::value::{text, text_at};

/// A column of a built-in kind.
pub struct Column {
    name: &'static str,
    kind: &'static str,
    /// True if the column appears only with `-o wide`.
    wide: bool,
    cell: Cell,
}

/// The function that returns the value of a cell.
enum Cell {
    /// A function of the object.
    Of(fn(&Value) -> Value),
    /// A function of the object and the current time, for ages.
    At(fn(&Value, Timestamp) -> Value),
}

impl Column {
    fn cell(&self, object: &Value, now: Timestamp) -> Value {
        match self.cell {
            Cell::Of(cell) => cell(object),
            Cell::At(cell) => cell(object, now),
        }
    }
}

const fn text_column(name: &'static str, cell: fn(&Value) -> Value) -> Column {
    Column { name, kind: "string", wide: false, cell: Cell::Of(cell) }
}

const fn number_column(name: &'static str, cell: fn(&Value) -> Value) -> Column {
    Column { name, kind: "integer", wide: false, cell: Cell::Of(cell) }
}

const fn wide_column(name: &'static str, cell: fn(&Value) -> Value) -> Column {
    Column { name, kind: "string", wide: true, cell: Cell::Of(cell) }
}

/// Returns a column with an age.
const fn age_column(name: &'static str, wide: bool, cell: fn(&Value, Timestamp) -> Value) -> Column {
    Column { name, kind: "string", wide, cell: Cell::At(cell) }
}

/// The columns of a kind without columns of its own.
pub const AGE: &[Column] = &[AGE_COLUMN];

const AGE_COLUMN: Column = age_column("Age", false, age);

fn age(object: &Value, now: Timestamp) -> Value {
    clock::age(object.pointer("/metadata/creationTimestamp").and_then(Value::as_str), now).into()
}

/// The part of each object that its row contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Include {
    /// No part.
    Nothing,
    /// The metadata.
    Metadata,
    /// The whole object.
    Object,
}

impl Include {
    /// Reads the `includeObject` parameter.
    ///
    /// # Errors
    /// 400 for an unknown value.
    pub fn read(query: &Query) -> Result<Self, Failure> {
        match query.get("includeObject") {
            None | Some("Metadata") => Ok(Self::Metadata),
            Some("None") => Ok(Self::Nothing),
            Some("Object") => Ok(Self::Object),
            Some(other) => Err(Failure::bad_request(format!("unrecognized includeObject value: {other:?}"))),
        }
    }
}

/// Returns a table of objects in the served form, at the time `now`.
pub fn of(resource: &Resource, served: &[Value], include: Include, now: Timestamp) -> Value {
    let rows: Vec<Value> = served.iter().map(|object| row(resource, object, include, now)).collect();
    json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "columnDefinitions": definitions(resource), "rows": rows})
}

/// Returns a table of one object in the served form, at the time `now`.
pub fn of_one(resource: &Resource, served: &Value, rv: u64, include: Include, now: Timestamp) -> Value {
    let mut table = of(resource, std::slice::from_ref(served), include, now);
    table["metadata"] = json!({"resourceVersion": rv.to_string()});
    table
}

fn definitions(resource: &Resource) -> Vec<Value> {
    let definition = |name: &str, kind: &str, format: &str, priority: i64| json!({"name": name, "type": kind, "format": format, "description": "", "priority": priority});
    let mut columns = vec![definition("Name", "string", "name", 0)];
    match &resource.source {
        Source::BuiltIn(kind) => columns
            .extend(kind.columns.iter().map(|column| definition(column.name, column.kind, "", i64::from(column.wide)))),
        Source::Custom(custom) if custom.columns.is_empty() => columns.push(definition("Age", "date", "", 0)),
        Source::Custom(custom) => columns
            .extend(custom.columns.iter().map(|column| definition(&column.name, &column.kind, "", column.priority))),
    }
    columns
}

fn row(resource: &Resource, served: &Value, include: Include, now: Timestamp) -> Value {
    let mut cells = vec![served["metadata"]["name"].clone()];
    match &resource.source {
        Source::BuiltIn(kind) if resource.form() == Form::NewEvents => {
            let stored = resource.to_stored(served.clone());
            cells.extend(kind.columns.iter().map(|column| column.cell(&stored, now)));
        }
        Source::BuiltIn(kind) => cells.extend(kind.columns.iter().map(|column| column.cell(served, now))),
        Source::Custom(custom) if custom.columns.is_empty() => {
            cells.push(served["metadata"]["creationTimestamp"].clone())
        }
        Source::Custom(custom) => cells.extend(custom.columns.iter().map(|column| custom::cell(column, served, now))),
    }
    let mut row = json!({"cells": cells});
    match include {
        Include::Nothing => {}
        Include::Metadata => row["object"] = metadata_only(served),
        Include::Object => row["object"] = served.clone(),
    }
    row
}

/// Returns the text at a JSON pointer, or `<none>`.
fn or_none(object: &Value, pointer: &str) -> Value {
    match text_at(object, pointer) {
        "" => "<none>".into(),
        found => found.into(),
    }
}

/// Returns the number at a JSON pointer, or 0.
fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns `key=value` pairs joined by commas, or `<none>`.
fn pairs(map: Option<&Value>) -> Value {
    let pairs = map.and_then(Value::as_object).into_iter().flatten();
    let list: Vec<String> = pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    if list.is_empty() { "<none>".into() } else { list.join(",").into() }
}

/// Returns one field of each item of a list, joined by commas.
fn joined(object: &Value, pointer: &str, member: &str) -> Value {
    let items = object.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
    items.map(|item| text(item, member)).collect::<Vec<_>>().join(",").into()
}
