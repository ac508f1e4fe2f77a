//! The format of a scenario file.

pub mod condition;
mod step;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use condition::{Amount, Condition, Nodes, Pods};
pub use step::{ConfigSource, Named, Objects, Patch, PolicyChange, Scale, Step, Wait};

use crate::error::ScenarioError;

/// The largest size of a file in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// The API version of scenarios.
const API_VERSION: &str = "berth.dev/v1alpha1";

/// A scenario: steps that change a cluster, and conditions that must become true.
///
/// A text `${…}` in the steps is an expression in CEL. Its value replaces the text, and keeps its type if nothing else is
/// in the text.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Scenario {
    /// `berth.dev/v1alpha1`.
    pub api_version: String,
    /// `Scenario`.
    pub kind: String,
    /// What the scenario shows, for people.
    #[serde(default)]
    pub description: String,
    /// The seed of the scheduler and of generated names. The same file and seed give the same result.
    #[serde(default = "one")]
    pub seed: u64,
    /// The time of day at which the simulated cluster begins. Default: 2026-01-01T00:00:00Z.
    #[serde(default)]
    pub start: Option<String>,
    /// The scheduler's configuration and plugins at the beginning. Default: those of the command line.
    #[serde(default)]
    pub scheduler: Option<PolicyChange>,
    /// Values for expressions, by name.
    #[serde(default)]
    pub variables: BTreeMap<String, Value>,
    /// The steps, done one after the other.
    #[schemars(with = "Vec<Step>")]
    pub steps: Vec<Value>,
}

fn one() -> u64 {
    1
}

impl Scenario {
    /// Reads a scenario from a file.
    ///
    /// # Errors
    /// The file can't be read, is too large, or is no scenario.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let unreadable = |why: &dyn std::fmt::Display| ScenarioError::Unreadable(why.to_string());
        let size = std::fs::metadata(path).map_err(|error| unreadable(&error))?.len();
        if size > MOST_BYTES {
            return Err(unreadable(&format_args!("the file has {size} bytes, more than {MOST_BYTES}")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
        Self::parse(&text)
    }

    /// Reads a scenario from a text in YAML or JSON.
    ///
    /// # Errors
    /// The text is no scenario. The error names the field.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        let value: Value = serde_saphyr::from_str(text)
            .map_err(|error| ScenarioError::Unreadable(format!("the file is no YAML: {error}")))?;
        let scenario: Self = typed("", value)?;
        if scenario.api_version != API_VERSION {
            let why = format!("{:?} is unknown; write {API_VERSION}", scenario.api_version);
            return Err(ScenarioError::field("apiVersion", why));
        }
        if scenario.kind != "Scenario" {
            return Err(ScenarioError::field("kind", format!("{:?} is unknown; write Scenario", scenario.kind)));
        }
        Ok(scenario)
    }

    /// Returns the JSON Schema of scenario files.
    #[must_use]
    pub fn schema() -> Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        step::allow_expressions(&mut schema);
        schema
    }
}

/// Reads a value as a type. `path` is the place of the value in the file.
pub(crate) fn typed<T: DeserializeOwned>(path: &str, value: Value) -> Result<T, ScenarioError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let inner = error.path().to_string();
        let whole = match (path, &*inner) {
            ("", ".") => "the file".to_owned(),
            (path, ".") => path.to_owned(),
            ("", inner) => inner.to_owned(),
            (path, inner) => format!("{path}.{inner}"),
        };
        ScenarioError::field(whole, error.into_inner())
    })
}
