//! Writes objects of kinds other than Pod and Node.

use berth_core::model::Object;
use serde_json::{Map, Value};

/// Returns the API object of the fields that plugins read, with `apiVersion`, `kind`, and the name, namespace and uid
/// in `metadata`. [`super::super::ObjectReader::read`] with the same declared fields gives the same object.
#[must_use]
pub fn object(object: &Object) -> Value {
    // The text is JSON, because `Object::fields` is made from a JSON value.
    let mut fields: Map<String, Value> = serde_json::from_str(&object.fields).unwrap_or_default();
    fields.insert("apiVersion".to_owned(), (&*object.key.kind.api_version).into());
    fields.insert("kind".to_owned(), (&*object.key.kind.kind).into());
    let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(metadata) = metadata {
        for (name, text) in [("name", &object.key.name), ("namespace", &object.key.namespace), ("uid", &object.uid)] {
            if !text.is_empty() {
                metadata.insert(name.to_owned(), (&**text).into());
            }
        }
    }
    Value::Object(fields)
}
