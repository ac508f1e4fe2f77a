//! Compares the schema of a plugin's arguments with the struct of the arguments, and with the arguments of tests.

use std::{env, fs};

use schemars::{JsonSchema, schema_for};
use serde_json::{Map, Value};

/// Compares the file with the schema that the struct derives. Writes the file if the environment variable
/// `BERTH_WRITE_SCHEMA` is set.
///
/// # Panics
/// Panics if the file differs from the schema, or can't be written.
pub fn check_schema<A: JsonSchema>(file: &str) {
    let derived = Value::from(schema_for!(A));
    if env::var_os("BERTH_WRITE_SCHEMA").is_some() {
        fs::write(file, format!("{derived:#}\n")).unwrap_or_else(|error| panic!("cannot write {file}: {error}"));
    }
    let known = fs::read_to_string(file).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    assert!(
        known.as_ref() == Some(&derived),
        "{file} is not the schema of the arguments. Write it: BERTH_WRITE_SCHEMA=1 cargo test the_schema_matches"
    );
}

/// Panics if the schema refuses arguments that the plugin accepts. Knows the keywords that structs derive.
pub(super) fn check_arguments(plugin: &str, schema: &str, arguments: &str) {
    let [schema, arguments] = [schema, arguments].map(|text| {
        serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{plugin}: malformed JSON: {error}"))
    });
    if let Err(problem) = check(&schema, &schema, &arguments, "arguments") {
        panic!("{plugin}: the plugin accepts arguments that its schema refuses: {problem}");
    }
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let target = name.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return check(root, target.unwrap_or(&Value::Null), value, path);
    }
    if let Some(choices) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let fits = choices.iter().any(|choice| check(root, choice, value, path).is_ok());
        return if fits { Ok(()) } else { Err(format!("{path} fits no choice")) };
    }
    let types = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of_type(value, name)) {
        return Err(format!("{path} is not of type {}", types.join(" or ")));
    }
    if schema["enum"].as_array().is_some_and(|known| !known.contains(value)) {
        return Err(format!("{path} is none of the values"));
    }
    let empty = Map::new();
    let fields = value.as_object().unwrap_or(&empty);
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && !fields.contains_key(name) {
            return Err(format!("{path} lacks {name}"));
        }
    }
    for (name, field) in fields {
        let known = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        known.map_or(Ok(()), |known| check(root, known, field, &format!("{path}.{name}")))?;
    }
    let mut items = value.as_array().into_iter().flatten().enumerate();
    items.try_for_each(|(at, item)| check(root, &schema["items"], item, &format!("{path}[{at}]")))
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "for its schema")]
    struct Args {
        label: String,
        weights: Option<Vec<Weight>>,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "for its schema")]
    struct Weight {
        weight: i64,
    }

    #[test]
    fn arguments_are_compared_with_the_schema() {
        let schema = Value::from(schema_for!(Args));
        let problem = |json: &str| {
            let value = serde_json::from_str(json).unwrap();
            check(&schema, &schema, &value, "arguments").err().unwrap_or_default()
        };
        assert_eq!(problem(r#"{"label": "a", "kind": "Args", "weights": [{"weight": 1}]}"#), "");
        assert_eq!(problem(r#"{"label": "a", "weights": null}"#), "");
        assert_eq!(problem("{}"), "arguments lacks label");
        assert_eq!(problem(r#"{"label": 3}"#), "arguments.label is not of type string");
        let weight = problem(r#"{"label": "a", "weights": [{"weight": "heavy"}]}"#);
        assert_eq!(weight, "arguments.weights[0].weight is not of type integer");
    }

    #[test]
    fn the_file_must_match() {
        let file = env::temp_dir().join(format!("berth-schema-{}.json", std::process::id()));
        let path = file.to_str().unwrap().to_owned();
        fs::write(&file, format!("{:#}", Value::from(schema_for!(Args)))).unwrap();
        check_schema::<Args>(&path);
        fs::write(&file, "{}").unwrap();
        let differs = std::panic::catch_unwind(|| check_schema::<Args>(&path)).is_err();
        fs::remove_file(&file).unwrap();
        assert!(differs);
    }
}
