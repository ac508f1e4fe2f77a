//! The JSON Schemas of the documents, generated from their types.

use super::{v1, v1alpha1};

/// A schema, and what it is of.
#[derive(Clone, Copy, Debug)]
pub struct SchemaOf {
    /// `kind` of the documents.
    pub kind: &'static str,
    /// Their `apiVersion`.
    pub api_version: &'static str,
    /// Its file in `docs/schema/`.
    pub file: &'static str,
    generate: fn() -> schemars::Schema,
}

/// All of them.
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
    /// The schema's text, as the file has it.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:#}\n", (self.generate)().to_value())
    }
}
