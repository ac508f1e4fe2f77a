//! What the HTTP interface returns, with a JSON schema. Fields are only added.

use std::collections::BTreeSet;

use berth_core::Timestamp;
use berth_core::decision::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explain::{AllNodes, Explanation, PodRef, WhyNot};

/// The text that stands for a name that the caller may not see.
const HIDDEN: &str = "(hidden)";

/// The answer about one pod: what was recorded then, and what is computed now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodAnswer {
    /// The pod.
    pub pod: PodRef,
    /// The recorded attempts of the pod, the latest first. The scheduler keeps a limited number.
    pub decisions: Vec<Decision>,
    /// The explanation, computed at `computedAt`. Absent if the pod does not exist any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// The answer about the node that the question names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<WhyNot>,
    /// The answers of all plugins about all nodes, if the question asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_nodes: Option<AllNodes>,
    /// Names of nodes, or of pods of other namespaces, are left out, because the caller may not list them.
    #[serde(default)]
    pub names_hidden: bool,
}

impl PodAnswer {
    /// Returns the time at which the answer was computed, by the scheduler's clock. `None` for a pod that does not exist any
    /// more, of which only attempts are known.
    #[must_use]
    pub fn computed_at(&self) -> Option<Timestamp> {
        let explanation = self.explanation.as_ref().map(|explanation| explanation.computed_at);
        let why_not = || self.why_not.as_ref().map(|why_not| why_not.computed_at);
        let all_nodes = || self.all_nodes.as_ref().map(|all_nodes| all_nodes.computed_at);
        explanation.or_else(why_not).or_else(all_nodes).map(Timestamp)
    }
}

/// Names that a caller may not see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HiddenNames {
    /// Names of nodes.
    pub nodes: BTreeSet<String>,
    /// Pods as `namespace/name`.
    pub pods: BTreeSet<String>,
    /// Namespaces whose objects are left out.
    pub namespaces: BTreeSet<String>,
}

impl HiddenNames {
    /// Replaces the names in all texts of `value`, and removes references to objects of the namespaces from lists.
    pub fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hidden(text),
            Value::Array(items) => {
                items.retain(|item| !self.is_of_namespace(item));
                items.iter_mut().for_each(|item| self.hide_in(item));
            }
            Value::Object(fields) => {
                let namespace = fields.get("namespace").and_then(Value::as_str);
                if namespace.is_some_and(|namespace| self.namespaces.contains(namespace)) {
                    for field in ["namespace", "name", "uid"] {
                        fields.entry(field).and_modify(|name| *name = HIDDEN.into());
                    }
                }
                fields.values_mut().for_each(|field| self.hide_in(field));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn is_of_namespace(&self, item: &Value) -> bool {
        item["namespace"].as_str().is_some_and(|namespace| self.namespaces.contains(namespace))
    }

    /// Returns the text with each of the names replaced.
    fn hidden(&self, text: &str) -> String {
        let mut hidden = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_of_name) {
            hidden.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            // A dot at the end belongs to the sentence.
            let word = rest[..end].trim_end_matches(['.', '-', '/']);
            hidden.push_str(if self.is_hidden(word) { HIDDEN } else { word });
            rest = &rest[word.len()..];
            let after = rest.find(|c| !matches!(c, '.' | '-' | '/')).unwrap_or(rest.len());
            hidden.push_str(&rest[..after]);
            rest = &rest[after..];
        }
        hidden.push_str(rest);
        hidden
    }

    fn is_hidden(&self, word: &str) -> bool {
        let parts = || word.split(['/', '=', ':']);
        self.nodes.contains(word) || self.pods.contains(word) || parts().any(|part| self.nodes.contains(part))
    }
}

/// Returns whether the character can be part of a name of Kubernetes, or join a namespace and a name.
fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '/')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_replaced_in_every_text_and_other_namespaces_left_out() {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let names =
            HiddenNames { nodes: set(&["node-7", "n.example"]), pods: set(&["other/db"]), namespaces: set(&["other"]) };
        let mut value = json!({
            "reason": "the closest is node-7, 1.5 short; node-70 and (n.example). Not node-7.",
            "label": "kubernetes.io/hostname=node-7",
            "examples": ["node-7", "node-8"],
            "victims": [{"namespace": "other", "name": "db"}, {"namespace": "own", "name": "db"}],
            "text": "evict other/db, not own/db: 5",
            "suggestions": [{"change": {"object": {"namespace": "other", "name": "db", "kind": "Pod"}}}],
            "count": 7,
        });
        names.hide_in(&mut value);
        let expected = json!({
            "reason": "the closest is (hidden), 1.5 short; node-70 and ((hidden)). Not (hidden).",
            "label": "kubernetes.io/hostname=(hidden)",
            "examples": ["(hidden)", "node-8"],
            "victims": [{"namespace": "own", "name": "db"}],
            "text": "evict (hidden), not own/db: 5",
            "suggestions": [{"change": {"object": {"namespace": "(hidden)", "name": "(hidden)", "kind": "Pod"}}}],
            "count": 7,
        });
        assert_eq!(value, expected);
    }
}
