//! Selectors as they are written in the JSON of [objects](crate::objects).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::LabelSelector;
use crate::types::{self, NodeSelectorTerm, Requirement, SelectorOperator};

/// The JSON of a `metav1.LabelSelector`. Converts to a [`LabelSelector`].
///
/// ```
/// use berth_guest::selector::WrittenLabelSelector;
///
/// let written: WrittenLabelSelector = serde_json::from_str(r#"{"matchLabels": {"app": "web"}}"#).unwrap();
/// assert!(written.read().unwrap().matches(&[("app", "web")].into_iter().collect()));
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WrittenLabelSelector {
    match_labels: Option<BTreeMap<String, String>>,
    match_expressions: Option<Vec<Expression>>,
}

impl WrittenLabelSelector {
    /// Compiles the selector. An error names the first invalid requirement.
    pub fn read(self) -> Result<LabelSelector, String> {
        let labels = self.match_labels.unwrap_or_default().into_iter();
        let labels =
            labels.map(|(key, value)| Requirement { key, operator: SelectorOperator::In, values: vec![value] });
        let expressions = self.match_expressions.unwrap_or_default().into_iter().map(Requirement::from);
        LabelSelector::new(Some(&types::LabelSelector { requirements: labels.chain(expressions).collect() }))
    }
}

/// Reads the JSON of a `metav1.LabelSelector`. Use an `Option` for a field that may be absent: an absent selector
/// selects nothing.
///
/// ```
/// use berth_guest::selector::LabelSelector;
///
/// let read = |json| serde_json::from_str::<Option<LabelSelector>>(json).map(Option::unwrap_or_default);
/// assert_eq!(read(r#"{"matchLabels": {"app": "web"}}"#).unwrap(), LabelSelector::of_map([("app", "web")]));
/// assert_eq!(read("{}").unwrap(), LabelSelector::EVERYTHING);
/// assert_eq!(read("null").unwrap(), LabelSelector::NOTHING);
/// assert!(read(r#"{"matchExpressions": [{"key": "app", "operator": "In"}]}"#).is_err());
/// ```
impl<'de> Deserialize<'de> for LabelSelector {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<LabelSelector, D::Error> {
        WrittenLabelSelector::deserialize(from)?.read().map_err(D::Error::custom)
    }
}

/// The JSON of a `v1.NodeSelector`. Converts to terms for [`Terms`](super::Terms).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(description = "A `v1.NodeSelector`.")]
pub struct WrittenNodeSelector {
    node_selector_terms: Option<Vec<WrittenNodeSelectorTerm>>,
}

/// The JSON of a `v1.NodeSelectorTerm`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(description = "A `v1.NodeSelectorTerm`.")]
pub struct WrittenNodeSelectorTerm {
    match_expressions: Option<Vec<Expression>>,
    match_fields: Option<Vec<Expression>>,
}

impl From<WrittenNodeSelector> for Vec<NodeSelectorTerm> {
    fn from(written: WrittenNodeSelector) -> Vec<NodeSelectorTerm> {
        written.node_selector_terms.unwrap_or_default().into_iter().map(Into::into).collect()
    }
}

impl From<WrittenNodeSelectorTerm> for NodeSelectorTerm {
    fn from(written: WrittenNodeSelectorTerm) -> NodeSelectorTerm {
        let read = |expressions: Option<Vec<Expression>>| {
            expressions.unwrap_or_default().into_iter().map(Requirement::from).collect()
        };
        NodeSelectorTerm { expressions: read(written.match_expressions), fields: read(written.match_fields) }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
struct Expression {
    #[serde(default)]
    key: String,
    operator: Operator,
    #[serde(default)]
    values: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Gt,
    Lt,
}

impl From<Expression> for Requirement {
    fn from(expression: Expression) -> Requirement {
        let operator = match expression.operator {
            Operator::In => SelectorOperator::In,
            Operator::NotIn => SelectorOperator::NotIn,
            Operator::Exists => SelectorOperator::Exists,
            Operator::DoesNotExist => SelectorOperator::DoesNotExist,
            Operator::Gt => SelectorOperator::GreaterThan,
            Operator::Lt => SelectorOperator::LessThan,
        };
        Requirement { key: expression.key, operator, values: expression.values.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selector::Terms;

    #[test]
    fn a_label_selector_has_labels_and_expressions() {
        let read = |json: &str| serde_json::from_str::<WrittenLabelSelector>(json).unwrap().read();
        let labels = [("app", "web"), ("tier", "front")].into_iter().collect();
        for (json, matches) in [
            ("{}", true),
            (r#"{"matchLabels": null, "matchExpressions": null}"#, true),
            (r#"{"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]}"#, true),
            (r#"{"matchLabels": {"app": "api"}}"#, false),
            (r#"{"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["front"]}]}"#, false),
        ] {
            assert_eq!(read(json).unwrap().matches(&labels), matches, "{json}");
        }
        let invalid = read(r#"{"matchExpressions": [{"key": "tier", "operator": "Gt", "values": ["1"]}]}"#);
        assert_eq!(invalid.unwrap_err(), "\"Gt\" is not a valid label selector operator");
    }

    #[test]
    fn a_node_selector_has_terms() {
        let json = r#"{"nodeSelectorTerms": [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]},
            {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["8"]}]}
        ]}"#;
        let terms: Vec<NodeSelectorTerm> = serde_json::from_str::<WrittenNodeSelector>(json).unwrap().into();
        let terms = Terms::new(&terms).unwrap();
        let cores = |cores| [("cores", cores)].into_iter().collect();
        for (name, labels, matches) in [("a", cores("1"), true), ("b", cores("16"), true), ("b", cores("1"), false)] {
            assert_eq!(terms.any_matches(name, &labels), matches, "{name} {labels:?}");
        }
    }
}
