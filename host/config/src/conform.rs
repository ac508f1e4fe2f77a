//! Checks a document against its JSON Schema and reads the document as the type that the schema describes.
//!
//! This module exists for its messages. The module reports every problem with its place and a hint.
//! serde stops at the first problem.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::error::{Problem, Problems};
use super::hints::unknown_field;
use super::json_schema::resolved;
use super::path::Path;
use super::scalars;
use super::tree::{Entry, Node, Value};

/// Reads the document as a `T`. Returns all problems, and `None` for the `T` if a problem prevents reading.
pub(super) fn read<T: DeserializeOwned + JsonSchema>(root: &Node) -> (Option<T>, Problems) {
    let schema = schemars::schema_for!(T).to_value();
    let mut conform = Conform { schema: &schema, problems: Problems::new() };
    let json = conform.value(root, &schema, &Path::default());
    let mut problems = conform.problems;
    let read = serde_json::from_value(json.unwrap_or_default());
    if let (Err(error), true) = (&read, problems.is_empty()) {
        problems.push(Problem { place: root.place, path: String::new(), message: error.to_string() });
    }
    (read.ok(), problems)
}

struct Conform<'a> {
    /// The whole schema, with `$defs`.
    schema: &'a Json,
    problems: Problems,
}

impl<'a> Conform<'a> {
    fn note(&mut self, node: &Node, path: &Path, message: impl Into<String>) {
        self.problems.push(Problem { place: node.place, path: path.to_string(), message: message.into() });
    }

    /// Returns the node as JSON. If the type or the value is wrong, adds a problem and returns `None`.
    fn value(&mut self, node: &Node, schema: &'a Json, path: &Path) -> Option<Json> {
        let schema = resolved(self.schema, schema);
        let Some(wanted) = scalars::type_of(schema) else { return Some(node.to_json()) };
        match (wanted, &node.value) {
            ("object", Value::Map(entries)) => Some(self.object(node, entries, schema, path)),
            // Kubernetes reads null as an object without fields.
            ("object", Value::Null) => Some(self.object(node, &[], schema, path)),
            ("array", Value::List(nodes)) => Some(self.list(nodes, schema, path)),
            _ => match scalars::check(node, wanted, schema) {
                Ok(()) => Some(node.to_json()),
                Err(message) => {
                    self.note(node, path, message);
                    None
                }
            },
        }
    }

    fn list(&mut self, nodes: &[Node], schema: &'a Json, path: &Path) -> Json {
        let item = |(at, node)| self.value(node, &schema["items"], &path.index(at));
        nodes.iter().enumerate().filter_map(item).collect()
    }

    fn object(&mut self, node: &Node, entries: &[Entry], schema: &'a Json, path: &Path) -> Json {
        let mut object = Map::new();
        for entry in entries {
            let at = path.field(&entry.key);
            let Some(property) = property(schema, node, &entry.key) else {
                self.unknown(entry, schema, &at);
                continue;
            };
            if matches!(entry.node.value, Value::Null) {
                continue;
            }
            if let Some(value) = self.value(&entry.node, property, &at) {
                object.insert(entry.key.clone(), value);
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            if node.get(name).is_none_or(|node| matches!(node.value, Value::Null)) {
                self.note(node, &path.field(name), "is required");
            }
        }
        Json::Object(object)
    }

    fn unknown(&mut self, entry: &Entry, schema: &Json, path: &Path) {
        let names: Vec<&str> =
            properties(schema).map(|properties| properties.keys().map(String::as_str).collect()).unwrap_or_default();
        let hint = unknown_field(&entry.key, &names, self.schema);
        self.problems.push(Problem {
            place: entry.place,
            path: path.to_string(),
            message: format!("unknown field; {hint}"),
        });
    }
}

fn properties(schema: &Json) -> Option<&Map<String, Json>> {
    schema["properties"].as_object()
}

/// Returns the schema of a field. A conditional schema (`if`/`then`) that applies to the object takes precedence.
fn property<'a>(schema: &'a Json, node: &Node, name: &str) -> Option<&'a Json> {
    let conditions = schema["allOf"].as_array().into_iter().flatten();
    let mut holding = conditions.filter(|condition| holds(&condition["if"], node));
    let decided = holding.find_map(|condition| condition["then"]["properties"].get(name));
    let described = decided.or_else(|| properties(schema)?.get(name));
    let additional = || Some(&schema["additionalProperties"]).filter(|additional| **additional != Json::Bool(false));
    described.or_else(additional)
}

fn holds(condition: &Json, node: &Node) -> bool {
    properties(condition)
        .into_iter()
        .flatten()
        .all(|(name, schema)| node.get(name).is_some_and(|node| node.to_json() == schema["const"]))
}
