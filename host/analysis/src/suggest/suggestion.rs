//! A suggestion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::Change;

/// A change after which the pod fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The change.
    pub change: Change,
    /// The plugin whose rejection the change is about.
    pub plugin: String,
    /// The change as one sentence.
    pub text: String,
    /// The number of nodes that fit after the change.
    pub nodes: usize,
    /// Up to five of these nodes.
    pub examples: Vec<String>,
}
