//! A label selector as objects have it, for those who read [objects](crate::objects).

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::LabelSelector;
use crate::types::{self, Requirement, SelectorOperator};

/// `metav1.LabelSelector`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Selector {
    #[serde(default)]
    match_labels: Option<BTreeMap<String, String>>,
    #[serde(default)]
    match_expressions: Option<Vec<Expression>>,
}

#[derive(Deserialize)]
struct Expression {
    #[serde(default)]
    key: String,
    operator: Operator,
    #[serde(default)]
    values: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

/// As in JSON: `{"matchLabels": {"app": "web"}}`. Where the field may be absent, which selects nothing, it is an `Option`.
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
        let Selector { match_labels, match_expressions } = Selector::deserialize(from)?;
        // Labels first, then expressions, as the contract has them.
        let labels = match_labels.unwrap_or_default().into_iter();
        let labels =
            labels.map(|(key, value)| Requirement { key, operator: SelectorOperator::In, values: vec![value] });
        let expressions = match_expressions.unwrap_or_default().into_iter();
        let requirements = labels.chain(expressions.map(Into::into)).collect();
        LabelSelector::new(Some(&types::LabelSelector { requirements })).map_err(D::Error::custom)
    }
}

impl From<Expression> for Requirement {
    fn from(expression: Expression) -> Requirement {
        let operator = match expression.operator {
            Operator::In => SelectorOperator::In,
            Operator::NotIn => SelectorOperator::NotIn,
            Operator::Exists => SelectorOperator::Exists,
            Operator::DoesNotExist => SelectorOperator::DoesNotExist,
        };
        Requirement { key: expression.key, operator, values: expression.values.unwrap_or_default() }
    }
}
