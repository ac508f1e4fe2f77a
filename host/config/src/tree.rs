//! YAML (and JSON, its subset) as a tree of nodes with their place in the file.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Location, Spanned};

use super::error::{ConfigError, Place};
use super::path::{Path, Step};

/// A value with the place where it begins.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A field of an object: its key, the place of the key, and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) node: Node,
}

/// Parses the documents of a file, without empty documents. A duplicate key is an error, as in Kubernetes' strict
/// decoding.
pub(super) fn parse(text: &str, file: &str) -> Result<Vec<Node>, ConfigError> {
    let options = serde_saphyr::options! { duplicate_keys: DuplicateKeyPolicy::Error };
    serde_saphyr::from_multiple_with_options(text, options).map_err(|e| {
        let error = e.without_snippet();
        let place = error.location().map(Place::from).unwrap_or_default();
        ConfigError::Syntax { file: file.to_owned(), place, message: message(error) }
    })
}

/// Returns the parser's message without its place, which `ConfigError::Syntax` holds separately.
fn message(error: &serde_saphyr::Error) -> String {
    let text = error.to_string();
    if let Some(key) = text.strip_prefix("duplicate mapping key: ").and_then(|rest| rest.split(", set ").next()) {
        return format!("duplicate field {key}");
    }
    match text.find(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        Self { line: location.line(), column: location.column() }
    }
}

impl Node {
    /// Returns the value of a field.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == name).map(|entry| &entry.node)
    }

    /// Returns the place of the node at `path`, or of the deepest node on the path if the path does not exist.
    pub(super) fn place_of(&self, path: &Path) -> Place {
        let mut node = self;
        for step in path.steps() {
            let below = match (step, &node.value) {
                (Step::Field(name), _) => node.get(name),
                (Step::Index(at), Value::List(nodes)) => nodes.get(*at),
                (Step::Index(_), _) => None,
            };
            let Some(below) = below else { break };
            node = below;
        }
        node.place
    }

    /// Returns the type of the node, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
        }
    }

    /// Returns the node as JSON, without places.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b) => (*b).into(),
            Value::Integer(n) => (*n).into(),
            Value::Float(n) => (*n).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(list) => list.iter().map(Self::to_json).collect(),
            Value::Map(map) => map.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, referenced, .. } = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Self { place: referenced.into(), value })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Integer(n))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        // No field accepts a number this large. As a float, the number is refused with a message.
        Ok(i64::try_from(n).map_or(Value::Float(n as f64), Value::Integer))
    }

    fn visit_f64<E>(self, n: f64) -> Result<Value, E> {
        Ok(Value::Float(n))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Value::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            entries.push(Entry { place: key.referenced.into(), key: key.value, node: map.next_value()? });
        }
        Ok(Value::Map(entries))
    }
}
