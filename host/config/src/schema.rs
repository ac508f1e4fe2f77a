//! The JSON Schemas of the configuration documents, generated from their types.

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
