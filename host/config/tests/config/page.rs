//! Tests that docs/configuration.md lists every field of the configuration.

use std::collections::BTreeSet;

use berth_config::SCHEMAS;
use serde_json::Value;

const PAGE: &str = include_str!("../../../../docs/configuration.md");

/// Returns the words in backticks in the first column of the tables under this heading.
fn listed(heading: &str) -> BTreeSet<&'static str> {
    let section = PAGE.split("\n## ").find(|section| section.starts_with(heading)).expect("the section");
    let cells = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

/// Adds the paths of an object's fields. Goes into the objects and lists that the page lists field by field.
fn fields(schema: &Value, root: &Value, path: &str, found: &mut BTreeSet<String>) {
    let resolve = |schema: &Value| -> Value {
        let reference = schema["$ref"].as_str().or_else(|| schema["anyOf"][0]["$ref"].as_str());
        reference
            .map_or_else(|| schema.clone(), |reference| root.pointer(&reference[1..]).expect("a definition").clone())
    };
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let (schema, path) = if schema["items"].is_object() {
            (resolve(&schema["items"]), format!("{path}[]"))
        } else {
            (resolve(schema), path)
        };
        match path.as_str() {
            "apiVersion" | "kind" => {}
            "profiles[]" | "clientConnection" | "limits" | "decisionRecords" | "plugins[]" => {
                fields(&schema, root, &path, found)
            }
            _ => _ = found.insert(path.trim_end_matches("[]").to_owned()),
        }
    }
}

#[test]
fn the_page_lists_every_field() {
    for schema in SCHEMAS {
        let root: Value = serde_json::from_str(&schema.text()).expect("JSON");
        let mut expected = BTreeSet::new();
        fields(&root, &root, "", &mut expected);
        assert!(expected.len() > 5, "{expected:?}");
        let listed = listed(schema.kind);
        // A cell names the further fields of an object without the object: `clientConnection.qps`, `burst`.
        let names = |path: &String| {
            let name = path.rsplit('.').next().unwrap_or_default();
            listed.contains(path.as_str()) || listed.contains(name)
        };
        let missing: Vec<&String> = expected.iter().filter(|path| !names(path)).collect();
        assert!(missing.is_empty(), "docs/configuration.md does not list {missing:?}");
    }
}
