//! The order in which objects are created: an object comes after those that its admission reads.

use serde_json::Value;

use crate::value::{text, text_at};

/// An object that is created after all objects are read.
#[derive(Debug)]
pub struct Later {
    /// The position in the order of kinds.
    pub rank: u8,
    /// The namespace. Empty for an object without a namespace.
    pub namespace: String,
    /// The object as JSON text, which takes a tenth of the memory of a tree.
    pub json: String,
}

/// The kinds that come first: the others need a namespace, or a definition.
const FIRST: &[&str] = &["Namespace", "CustomResourceDefinition"];

/// The kinds that the admission of other objects reads.
const READ_BY_ADMISSION: &[&str] = &["LimitRange", "Node", "PriorityClass", "RuntimeClass", "StorageClass"];

/// Returns the position of a kind in the order in which objects are stored.
pub fn rank(kind: &str) -> u8 {
    match kind {
        kind if FIRST.contains(&kind) => 0,
        kind if READ_BY_ADMISSION.contains(&kind) => 1,
        "Pod" => 3,
        _ => 2,
    }
}

impl Later {
    /// Takes an object.
    pub fn new(object: &Value) -> Self {
        Self {
            rank: rank(text(object, "kind")),
            namespace: text_at(object, "/metadata/namespace").to_owned(),
            json: object.to_string(),
        }
    }

    /// Returns true for namespaces and definitions, which come before the other objects.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// Returns the object.
    pub fn object(&self) -> Value {
        // The text is a written tree, so it parses.
        serde_json::from_str(&self.json).unwrap_or_default()
    }
}
