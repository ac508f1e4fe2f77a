//! Support code of the tests.
pub mod protobuf;
pub mod server;

use std::path::Path;

use serde_json::Value;

/// Reads a YAML file from the tests' folder.
pub fn yaml(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kube").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
