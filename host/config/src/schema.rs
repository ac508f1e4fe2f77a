//! The JSON Schemas of the configuration documents, generated from their types.

use serde_json::{Value, json};

use super::{v1, v1alpha1};

/// A JSON Schema and the document kind that it describes.
#[derive(Clone, Copy, Debug)]
pub struct SchemaOf {
    /// The `kind` of the documents.
    pub kind: &'static str,
    /// The `apiVersion` of the documents.
    pub api_version: &'static str,
    /// The schema's file name in `docs/schema/`.
    pub file: &'static str,
    generate: fn() -> schemars::Schema,
}

/// All schemas.
pub const SCHEMAS: [SchemaOf; 2] = [
    SchemaOf {
        kind: v1::KIND,
        api_version: v1::API_VERSION,
        file: "kubescheduler-config-v1.json",
        generate: || schemars::schema_for!(v1::KubeSchedulerConfiguration),
    },
    SchemaOf {
        kind: v1alpha1::KIND,
        api_version: v1alpha1::API_VERSION,
        file: "berth-config-v1alpha1.json",
        generate: || schemars::schema_for!(v1alpha1::BerthConfiguration),
    },
];

impl SchemaOf {
    /// Returns the schema as formatted JSON, byte for byte the content of the file.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:#}\n", (self.generate)().to_value())
    }
}

/// Returns the schema of KubeSchedulerConfiguration, formatted, with the schemas of the arguments of further plugins.
/// `plugins` has names and schemas. A default plugin keeps the arguments that Kubernetes defines.
#[must_use]
pub fn schema_with_arguments(plugins: impl IntoIterator<Item = (String, Value)>) -> String {
    let mut schema = schemars::schema_for!(v1::KubeSchedulerConfiguration).to_value();
    // The schemas of the arguments by plugin name.
    let mut conditions = match schema["$defs"]["PluginConfig"]["allOf"].take() {
        Value::Array(conditions) => conditions,
        _ => Vec::new(),
    };
    for (name, mut arguments) in plugins {
        if conditions.iter().any(|condition| condition["if"]["properties"]["name"]["const"] == *name) {
            continue;
        }
        let key = format!("arguments of {name}");
        let pointer = format!("#/$defs/{}", escaped(&key));
        move_references(&mut arguments, &pointer);
        // A configuration file may name the type of the arguments by these keys.
        if let Some(Value::Object(properties)) = arguments.get_mut("properties") {
            for typed in ["apiVersion", "kind"] {
                properties.entry(typed).or_insert_with(|| json!({ "type": "string" }));
            }
        }
        // A document within the document is of the same dialect and has no address of its own.
        if let Value::Object(fields) = &mut arguments {
            fields.remove("$schema");
            fields.remove("$id");
        }
        conditions.push(json!({
            "if": { "properties": { "name": { "const": name } } },
            "then": { "properties": { "args": { "$ref": pointer } } },
        }));
        schema["$defs"][&key] = arguments;
    }
    schema["$defs"]["PluginConfig"]["allOf"] = conditions.into();
    format!("{schema:#}\n")
}

/// Returns a key as a part of a JSON Pointer in a URI fragment.
fn escaped(key: &str) -> String {
    let pointer = key.replace('~', "~0").replace('/', "~1");
    pointer.replace('%', "%25").replace(' ', "%20").replace('"', "%22").replace('#', "%23")
}

/// Makes references to the root of a schema refer to `root`.
fn move_references(schema: &mut Value, root: &str) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(target) if key == "$ref" => {
                        if let Some(rest) = target.strip_prefix('#') {
                            *target = format!("{root}{rest}");
                        }
                    }
                    _ => move_references(value, root),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| move_references(value, root)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validates(schema: &str, configuration: &Value) -> bool {
        let schema: Value = serde_json::from_str(schema).unwrap();
        jsonschema::validator_for(&schema).unwrap().is_valid(configuration)
    }

    fn with_args(name: &str, args: &Value) -> Value {
        json!({
            "apiVersion": v1::API_VERSION, "kind": v1::KIND,
            "profiles": [{ "schedulerName": "s", "pluginConfig": [{ "name": name, "args": args }] }],
        })
    }

    #[test]
    fn the_arguments_of_further_plugins_are_checked() {
        let arguments = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { "weights": { "$ref": "#/$defs/Weights" } },
            "additionalProperties": false,
            "$defs": { "Weights": { "type": "object", "additionalProperties": { "type": "integer" } } },
        });
        let schema = schema_with_arguments([("team/a ~%".to_owned(), arguments)]);
        for (name, args, valid) in [
            ("team/a ~%", json!({"weights": {"gold": 1}}), true),
            ("team/a ~%", json!({"weights": {"gold": "1"}}), false),
            ("team/a ~%", json!({"weight": {}}), false),
            ("team/a ~%", json!({"apiVersion": "v1", "kind": "Args"}), true),
            ("another", json!({"weight": {}}), true),
        ] {
            assert_eq!(validates(&schema, &with_args(name, &args)), valid, "{name} {args}");
        }
    }

    #[test]
    fn a_default_plugin_keeps_its_arguments() {
        let schema =
            schema_with_arguments([("NodeAffinity".to_owned(), json!({"type": "object", "maxProperties": 0}))]);
        assert_eq!(schema, SCHEMAS[0].text());
    }
}
