//! `NodeAffinityArgs` of kubescheduler.config.k8s.io/v1.

use berth_guest::Problems;
use berth_guest::selector::{Preferred, Terms};
use berth_guest::types::{NodeSelectorTerm, PreferredNodeTerm, Requirement, SelectorOperator};
use serde::Deserialize;

/// What the profile adds to every pod's own affinity.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "NodeAffinityArgs")]
pub struct Args {
    /// A pod goes only where this matches, too.
    pub required: Option<Terms>,
    /// These weigh beside the pod's own.
    pub preferred: Option<Preferred>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeAffinityArgs {
    added_affinity: Option<NodeAffinity>,
}

/// `NodeAffinity` of core/v1.
#[derive(Deserialize)]
struct NodeAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    required: Option<NodeSelector>,
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution", default)]
    preferred: Option<Vec<PreferredTerm>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeSelector {
    #[serde(default)]
    node_selector_terms: Vec<Term>,
}

#[derive(Deserialize)]
struct PreferredTerm {
    #[serde(default)]
    weight: i32,
    #[serde(default)]
    preference: Term,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Term {
    #[serde(default)]
    match_expressions: Vec<Expression>,
    #[serde(default)]
    match_fields: Vec<Expression>,
}

#[derive(Deserialize)]
struct Expression {
    #[serde(default)]
    key: String,
    operator: Operator,
    #[serde(default)]
    values: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Gt,
    Lt,
}

impl TryFrom<NodeAffinityArgs> for Args {
    type Error = String;

    fn try_from(args: NodeAffinityArgs) -> Result<Args, String> {
        let Some(added) = args.added_affinity else {
            return Ok(Args::default());
        };
        let mut problems = Problems::default();
        let terms =
            |selector: NodeSelector| selector.node_selector_terms.into_iter().map(Into::into).collect::<Vec<_>>();
        let required =
            added.required.map(|selector| Terms::new(&terms(selector))).transpose().unwrap_or_else(|wrong| {
                problems.add_under("addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.", wrong);
                None
            });
        let preferred: Vec<_> = added.preferred.unwrap_or_default().into_iter().map(Into::into).collect();
        let preferred = Preferred::new(&preferred).map(|terms| (!preferred.is_empty()).then_some(terms));
        let preferred = preferred.unwrap_or_else(|wrong| {
            problems.add_under("addedAffinity.preferredDuringSchedulingIgnoredDuringExecution", wrong);
            None
        });
        problems.into_result()?;
        Ok(Args { required, preferred })
    }
}

impl From<PreferredTerm> for PreferredNodeTerm {
    fn from(preferred: PreferredTerm) -> PreferredNodeTerm {
        PreferredNodeTerm { weight: preferred.weight, term: preferred.preference.into() }
    }
}

impl From<Term> for NodeSelectorTerm {
    fn from(term: Term) -> NodeSelectorTerm {
        let requirements = |list: Vec<Expression>| list.into_iter().map(Into::into).collect();
        NodeSelectorTerm { expressions: requirements(term.match_expressions), fields: requirements(term.match_fields) }
    }
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
        Requirement { key: expression.key, operator, values: expression.values }
    }
}
