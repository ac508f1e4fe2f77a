//! Tests that the table of types matches the OpenAPI documents of a real API server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use axum::http::Request;
use berth_test_kit::{ControlPlane, control_plane};
use kube::Client;
use kube::client::Body;
use serde_json::{Map, Value};

/// Types that the table writes as one word, because they are scalars or arbitrary JSON.
const WORDS: [(&str, &str); 12] = [
    ("Quantity", "quantity"),
    ("IntOrString", "intstr"),
    ("Time", "time"),
    ("MicroTime", "microtime"),
    ("RawExtension", "any"),
    ("FieldsV1", "any"),
    ("JSON", "any"),
    ("JSONSchemaProps", "any"),
    ("JSONSchemaPropsOrArray", "any"),
    ("JSONSchemaPropsOrBool", "any"),
    ("JSONSchemaPropsOrStringArray", "any"),
    ("Patch", "any"),
];

fn table_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../apimachinery/src/schema/kubernetes-1.36.txt")
}

/// Returns `core.v1.Pod` for `io.k8s.api.core.v1.Pod`, or the table's word for the type.
fn short(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    let last = parts.last().copied().unwrap_or_default();
    match WORDS.iter().find(|(kind, _)| *kind == last) {
        Some((_, word)) => (*word).to_owned(),
        None => parts[parts.len().saturating_sub(3)..].join("."),
    }
}

fn type_of(schema: &Value, needed: &mut BTreeSet<String>) -> String {
    let schema = schema.pointer("/allOf/0").unwrap_or(schema);
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        needed.insert(name.to_owned());
        return short(name);
    }
    let format = schema["format"].as_str().unwrap_or_default();
    match schema["type"].as_str().unwrap_or_default() {
        "array" => format!("[]{}", type_of(&schema["items"], needed)),
        "object" if schema.get("additionalProperties").is_some() => {
            format!("{{}}{}", type_of(&schema["additionalProperties"], needed))
        }
        "integer" if format == "int32" => "int".to_owned(),
        "integer" => "long".to_owned(),
        "number" => "number".to_owned(),
        "boolean" => "bool".to_owned(),
        "string" if format == "byte" => "bytes".to_owned(),
        "string" => "string".to_owned(),
        _ => "any".to_owned(),
    }
}

fn line_of(name: &str, schema: &Value, required: bool, needed: &mut BTreeSet<String>) -> String {
    let extension = |name: &str| schema.get(format!("x-kubernetes-{name}")).and_then(Value::as_str);
    let mut words = vec![format!("{name}{}", if required { "!" } else { "" }), type_of(schema, needed)];
    words.extend(extension("patch-strategy").map(|strategy| format!("patch={strategy}")));
    words.extend(extension("patch-merge-key").map(|key| format!("merge={key}")));
    let keys = schema["x-kubernetes-list-map-keys"]
        .as_array()
        .map(|keys| keys.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","));
    match keys {
        Some(keys) => words.push(format!("keys={keys}")),
        None => words.extend((extension("list-type") == Some("set")).then(|| "set".to_owned())),
    }
    // A list without a patch strategy is atomic by default.
    let atomic_list = extension("list-type") == Some("atomic") && extension("patch-strategy").is_some();
    words.extend((extension("map-type") == Some("atomic") || atomic_list).then(|| "atomic".to_owned()));
    format!("  {}\n", words.join(" "))
}

/// Returns the table of the types in `roots` and of the types that they refer to.
fn condensed(schemas: &Map<String, Value>, roots: &BTreeSet<String>) -> String {
    let mut table = BTreeMap::new();
    let mut waiting: Vec<String> = schemas.keys().filter(|name| roots.contains(&short(name))).cloned().collect();
    let mut done = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if !done.insert(name.clone()) || !short(&name).contains('.') {
            continue;
        }
        let schema = &schemas[&name];
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut needed = BTreeSet::new();
        let fields = schema["properties"].as_object().into_iter().flatten();
        let lines: String = fields
            .map(|(field, inner)| line_of(field, inner, required.contains(field.as_str()), &mut needed))
            .collect();
        let atomic = if schema["x-kubernetes-map-type"] == "atomic" { " atomic" } else { "" };
        table.insert(format!("{}{atomic}", short(&name)), lines);
        waiting.extend(needed);
    }
    table.into_iter().map(|(name, lines)| format!("{name}\n{lines}")).collect()
}

async fn fetch(client: &Client, path: &str) -> Value {
    let response = client.send(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    serde_json::from_slice(&response.into_body().collect_bytes().await.unwrap()).unwrap()
}

/// Compares the schema table with the OpenAPI documents. If the environment variable `UPDATE_SCHEMA` is set, writes the
/// table instead of comparing it: the types that are in the table, and the types that these types refer to.
#[tokio::test(flavor = "multi_thread")]
async fn the_schema_equals_that_of_a_real_server() {
    if std::env::var_os("KUBEBUILDER_ASSETS").is_none() {
        eprintln!(
            "KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver: the shapes are not compared with theirs"
        );
        return;
    }
    let server = ControlPlane::start(&control_plane::Options::default()).await.expect("a control plane");
    let client = server.client().await.expect("a client");
    let mut schemas = Map::new();
    let index = fetch(&client, "/openapi/v3").await;
    for (_, place) in index["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("api")) {
        let document = fetch(&client, place["serverRelativeURL"].as_str().unwrap()).await;
        if let Some(Value::Object(found)) = document.pointer("/components/schemas").cloned() {
            schemas.extend(found);
        }
    }
    let table = std::fs::read_to_string(table_path()).unwrap();
    let roots = table
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    let expected = condensed(&schemas, &roots);
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(table_path(), expected).unwrap();
    } else {
        let differing = table.lines().zip(expected.lines()).find(|(have, want)| have != want);
        assert!(
            table == expected,
            "the table differs from the API server's documents, first at {differing:?}; UPDATE_SCHEMA=1 writes it anew"
        );
    }
}
