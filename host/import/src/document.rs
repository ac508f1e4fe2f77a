//! Reads one document of a file, and passes the items of its lists on while it reads. Works with every serde format.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{ImportError, simulator};

/// A document without the items that were passed on.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// The fields other than lists of objects. Empty for an empty document.
    pub fields: Map<String, Value>,
    /// The number of lists that were passed on: the `items` of a list, or the lists of a snapshot.
    pub lists: usize,
}

/// Reads a document.
pub(crate) struct DocumentSeed<'a> {
    /// Receives each item of a list.
    pub item: &'a mut dyn FnMut(Value) -> Result<(), ImportError>,
    /// The error of `item`, which stops the read.
    pub failed: &'a mut Option<ImportError>,
}

impl<'de> DeserializeSeed<'de> for DocumentSeed<'_> {
    type Value = Document;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Document, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DocumentSeed<'_> {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a Kubernetes object or list")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Document, E> {
        Ok(Document::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut document = Document::default();
        // Items without a type, before the type of their list.
        let mut untyped = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let kind = document.fields.get("kind").and_then(Value::as_str);
            let listed = match name.as_str() {
                "items" if kind.is_none_or(is_list) => Some(type_of_items(&document.fields)),
                section if kind.is_none() => simulator::type_of_section(section).map(Some),
                _ => None,
            };
            let value = match listed {
                None => Some(map.next_value()?),
                Some(kind) => {
                    let items = Items { kind, untyped: &mut untyped, item: &mut *self.item, failed: &mut *self.failed };
                    map.next_value_seed(items)?
                }
            };
            match value {
                Some(value) => drop(document.fields.insert(name, value)),
                None => document.lists += 1,
            }
        }
        let Some(kind) = type_of_items(&document.fields) else {
            if !untyped.is_empty() {
                // The field of an object that is no list.
                document.fields.insert("items".to_owned(), Value::Array(untyped));
                document.lists -= 1;
            }
            return Ok(document);
        };
        for item in untyped {
            pass(item, Some(&kind), self.item, self.failed).map_err(A::Error::custom)?;
        }
        Ok(document)
    }
}

/// An API version and a kind.
type Type = (String, String);

fn is_list(kind: &str) -> bool {
    kind.ends_with("List")
}

/// Returns the type of the items of a list with this type. Returns `None` for a list of several types, and if the type is
/// not known.
fn type_of_items(list: &Map<String, Value>) -> Option<Type> {
    let kind = list.get("kind")?.as_str()?.strip_suffix("List")?;
    let version = list.get("apiVersion")?.as_str()?;
    (!kind.is_empty()).then(|| (version.to_owned(), kind.to_owned()))
}

/// Passes an item on. Gives it the type of its list, if it has none, and takes lists apart.
fn pass(
    mut object: Value,
    kind: Option<&Type>,
    item: &mut dyn FnMut(Value) -> Result<(), ImportError>,
    failed: &mut Option<ImportError>,
) -> Result<(), &'static str> {
    if let (Value::Object(fields), Some((version, kind))) = (&mut object, kind)
        && fields.get("kind").is_none_or(Value::is_null)
    {
        fields.insert("apiVersion".to_owned(), version.as_str().into());
        fields.insert("kind".to_owned(), kind.as_str().into());
    }
    if object["kind"].as_str().is_some_and(is_list) && object["items"].is_array() {
        let kind = object.as_object().and_then(type_of_items);
        let Value::Array(items) = object["items"].take() else { return Ok(()) };
        return items.into_iter().try_for_each(|object| pass(object, kind.as_ref(), item, failed));
    }
    item(object).map_err(|error| {
        *failed = Some(error);
        "stopped"
    })
}

/// Passes the items of a list on. Returns the value if it is no list.
struct Items<'a> {
    kind: Option<Type>,
    untyped: &'a mut Vec<Value>,
    item: &'a mut dyn FnMut(Value) -> Result<(), ImportError>,
    failed: &'a mut Option<ImportError>,
}

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Value>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    // An empty list of a program in Go.
    fn visit_unit<E: serde::de::Error>(self) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<Value>, A::Error> {
        while let Some(object) = items.next_element::<Value>()? {
            if self.kind.is_none() && object["kind"].is_null() {
                self.untyped.push(object);
                continue;
            }
            pass(object, self.kind.as_ref(), self.item, self.failed).map_err(A::Error::custom)?;
        }
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<Value>, A::Error> {
        let mut fields = Map::new();
        while let Some((name, value)) = map.next_entry()? {
            fields.insert(name, value);
        }
        Ok(Some(fields.into()))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Option<Value>, E> {
        Ok(Some(text.into()))
    }
}
