//! The steps of a scenario.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::condition::{Condition, Nodes};

/// A step. Exactly one field is set, besides `name`, `for` and `rejected`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Step {
    /// What the step is for, shown if it fails.
    pub name: Option<String>,
    /// Repeats the step: for each name a number (0, 1, …) or a list of values. Expressions of the step can use the names.
    pub r#for: Option<BTreeMap<String, Value>>,
    /// The API server must reject the step, with a message that contains this text.
    pub rejected: Option<String>,
    /// Creates objects.
    pub create: Option<Objects>,
    /// Applies objects as `kubectl apply --server-side --force-conflicts` does.
    pub apply: Option<Objects>,
    /// Deletes objects.
    pub delete: Option<Named>,
    /// Merges a patch into an object (JSON merge patch).
    pub patch: Option<Patch>,
    /// Sets the number of replicas of a workload.
    pub scale: Option<Scale>,
    /// Makes nodes unschedulable, as `kubectl cordon` does.
    pub cordon: Option<Nodes>,
    /// Makes nodes schedulable again.
    pub uncordon: Option<Nodes>,
    /// Makes nodes unschedulable and evicts their pods, as `kubectl drain --ignore-daemonsets` does. Waits for disruption
    /// budgets, for up to an hour.
    pub drain: Option<Nodes>,
    /// Stops the kubelets of nodes. Only in simulated time.
    pub fail: Option<Nodes>,
    /// Starts the kubelets of failed nodes again. Only in simulated time.
    pub recover: Option<Nodes>,
    /// Lets this time pass, such as `10m` or `2h`. Only in simulated time.
    pub advance: Option<String>,
    /// Exchanges the scheduler's plugins or configuration. Only in simulated time.
    pub scheduler: Option<PolicyChange>,
    /// Waits until conditions are true.
    pub wait: Option<Wait>,
    /// Conditions that must be true as soon as the pods have not changed for three seconds of the cluster's time.
    pub expect: Option<Vec<Condition>>,
}

/// Objects, in the step or in files.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Objects {
    /// Objects as for `kubectl create`.
    pub objects: Vec<Value>,
    /// Files with objects in YAML, relative to the scenario. Their texts can contain expressions.
    pub files: Vec<String>,
}

/// Objects of a kind, by name or by labels.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Named {
    /// The API version. Default: that of the built-in kind.
    pub api_version: Option<String>,
    /// The kind.
    pub kind: String,
    /// The namespace. Default: `default`.
    pub namespace: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// A label selector, instead of a name.
    pub selector: Option<String>,
}

/// A change of an object.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Patch {
    /// The API version. Default: that of the built-in kind.
    pub api_version: Option<String>,
    /// The kind.
    pub kind: String,
    /// The namespace. Default: `default`.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The subresource, such as `status`. Default: the object itself.
    pub subresource: Option<String>,
    /// The fields to change. `null` removes a field.
    pub patch: Value,
}

/// A new number of replicas.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Scale {
    /// The kind. Default: Deployment.
    #[serde(default = "deployment")]
    pub kind: String,
    /// The namespace. Default: `default`.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The number of replicas.
    pub replicas: u32,
}

fn deployment() -> String {
    "Deployment".to_owned()
}

/// A wait for conditions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Wait {
    /// The conditions. All must be true at the same time.
    pub until: Vec<Condition>,
    /// The longest wait, in the cluster's time. Default: `1m`.
    pub within: Option<String>,
}

/// Plugins and a configuration of the scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct PolicyChange {
    /// The configuration: a path relative to the scenario, or a KubeSchedulerConfiguration, or a list of it and a
    /// BerthConfiguration. Default: the default profile with every further plugin of the files below.
    #[schemars(with = "Option<PathOrDocuments>")]
    #[serde(deserialize_with = "text_or_json")]
    pub config: Option<ConfigSource>,
    /// Components (*.wasm), or directories of components, relative to the scenario. A later one replaces an earlier one of
    /// the same plugin. Default: the directory of the command line.
    pub plugins: Option<Vec<String>>,
}

/// Where a configuration comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigSource {
    /// A file, relative to the scenario.
    Path(String),
    /// A text in YAML with one or more documents.
    Inline(String),
}

/// Only for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema of the type is used")]
enum PathOrDocuments {
    Path(String),
    Document(BTreeMap<String, Value>),
    Documents(Vec<BTreeMap<String, Value>>),
}

fn text_or_json<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<ConfigSource>, D::Error> {
    Ok(match Option::<Value>::deserialize(deserializer)? {
        None => None,
        Some(Value::String(path)) => Some(ConfigSource::Path(path)),
        Some(document @ Value::Object(_)) => Some(ConfigSource::Inline(document.to_string())),
        Some(Value::Array(documents)) => {
            let documents: Vec<String> = documents.iter().map(Value::to_string).collect();
            Some(ConfigSource::Inline(documents.join("\n---\n")))
        }
        Some(_) => return Err(serde::de::Error::custom("write a path or a KubeSchedulerConfiguration")),
    })
}

/// Lets a number in the schema also be an expression, because an expression is evaluated before the type is checked.
pub(super) fn allow_expressions(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|kind| kind == "integer" || kind == "number") {
                let number = Value::Object(fields.clone());
                let keep = ["description", "default"].map(|key| (key, fields.get(key).cloned()));
                fields.clear();
                fields.extend(keep.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
                fields.insert("anyOf".to_owned(), json!([number, { "type": "string", "pattern": r"^\$\{.*\}$" }]));
                return;
            }
            fields.values_mut().for_each(allow_expressions);
        }
        Value::Array(items) => items.iter_mut().for_each(allow_expressions),
        _ => {}
    }
}
