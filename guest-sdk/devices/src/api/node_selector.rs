//! `v1.NodeSelector`, as in slices and allocations.

use berth_guest::selector::Terms;
use berth_guest::types::{self, SelectorOperator};
use serde::{Deserialize, Serialize};

/// A node selector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeSelector {
    /// `nodeSelectorTerms`: a node has to match at least one term.
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// `nodeSelectorTerms[]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeSelectorTerm {
    /// `matchExpressions`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<Requirement>,
    /// `matchFields`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_fields: Vec<Requirement>,
}

/// A requirement on a label or a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Requirement {
    /// `key`
    pub key: String,
    /// `operator`
    pub operator: String,
    /// `values`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl NodeSelector {
    /// Makes a selector of one node, by its name.
    pub fn of_node(name: &str) -> NodeSelector {
        let requirement =
            Requirement { key: "metadata.name".to_owned(), operator: "In".to_owned(), values: vec![name.to_owned()] };
        NodeSelector {
            node_selector_terms: vec![NodeSelectorTerm {
                match_fields: vec![requirement],
                match_expressions: Vec::new(),
            }],
        }
    }

    /// Compiles the selector. The error names an unknown operator or the invalid fields.
    pub fn terms(&self) -> Result<Terms, String> {
        let requirements = |all: &[Requirement]| all.iter().map(Requirement::read).collect::<Result<Vec<_>, String>>();
        let terms = self.node_selector_terms.iter().map(|term| {
            Ok(types::NodeSelectorTerm {
                expressions: requirements(&term.match_expressions)?,
                fields: requirements(&term.match_fields)?,
            })
        });
        let terms: Vec<_> = terms.collect::<Result<_, String>>()?;
        Terms::new(&terms).map_err(|error| error.into_result().err().unwrap_or_default())
    }
}

impl Requirement {
    fn read(&self) -> Result<types::Requirement, String> {
        let operator = match self.operator.as_str() {
            "In" => SelectorOperator::In,
            "NotIn" => SelectorOperator::NotIn,
            "Exists" => SelectorOperator::Exists,
            "DoesNotExist" => SelectorOperator::DoesNotExist,
            "Gt" => SelectorOperator::GreaterThan,
            "Lt" => SelectorOperator::LessThan,
            other => return Err(format!("\"{other}\" is not a valid node selector operator")),
        };
        Ok(types::Requirement { key: self.key.clone(), operator, values: self.values.clone() })
    }
}
