//! Encodes the OpenAPI document of version 2 as protobuf. kubectl reads it in this form only, to validate an object of
//! kind `List`. The numbers of the fields are those of `openapiv2/OpenAPIv2.proto` in github.com/google/gnostic-models.
//! kubectl reads neither paths nor the restrictions of values, so these fields are left out.

use berth_apimachinery::protobuf::write::{bytes, int};
use serde_json::Value;

/// The names of this form: the name that kube-apiserver sends, and the older name that kubectl asks for.
pub const MEDIA_TYPES: &[&str] = &[
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
];

/// Encodes a document.
pub fn document(document: &Value) -> Vec<u8> {
    let info = [text(1, &document["info"]["title"]), text(2, &document["info"]["version"])].concat();
    let definitions = bytes(9, &schemas(&document["definitions"]));
    [text(1, &document["swagger"]), bytes(2, &info), bytes(8, &[]), definitions].concat()
}

/// Encodes an object whose members are schemas: `Definitions` and `Properties` have the same fields.
fn schemas(object: &Value) -> Vec<u8> {
    let named =
        |(name, value): (&String, &Value)| bytes(1, &[bytes(1, name.as_bytes()), bytes(2, &schema(value))].concat());
    object.as_object().into_iter().flatten().flat_map(named).collect()
}

fn schema(schema: &Value) -> Vec<u8> {
    schema.as_object().into_iter().flatten().flat_map(|(name, value)| member(name, value)).collect()
}

/// Encodes a member of a schema. A member that kubectl does not read gives no bytes.
fn member(name: &str, value: &Value) -> Vec<u8> {
    match name {
        "$ref" => text(1, value),
        "format" => text(2, value),
        "description" => text(4, value),
        "required" => texts(19, value),
        "additionalProperties" => bytes(
            21,
            &match value.as_bool() {
                Some(any) => int(2, any.into()),
                None => bytes(1, &schema(value)),
            },
        ),
        "type" => bytes(22, &[text(1, value), texts(1, value)].concat()),
        "items" => bytes(23, &bytes(1, &schema(value))),
        "allOf" => value.as_array().into_iter().flatten().flat_map(|part| bytes(24, &schema(part))).collect(),
        "properties" => bytes(25, &schemas(value)),
        // The value is YAML, which JSON is.
        name if name.starts_with("x-") => {
            let value = bytes(2, &bytes(2, value.to_string().as_bytes()));
            bytes(31, &[bytes(1, name.as_bytes()), value].concat())
        }
        _ => Vec::new(),
    }
}

fn text(number: u32, value: &Value) -> Vec<u8> {
    value.as_str().map(|text| bytes(number, text.as_bytes())).unwrap_or_default()
}

fn texts(number: u32, value: &Value) -> Vec<u8> {
    value.as_array().into_iter().flatten().flat_map(|value| text(number, value)).collect()
}
