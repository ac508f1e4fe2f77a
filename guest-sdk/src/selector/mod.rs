//! Selectors that are compiled once and matched many times. Node selectors and node affinities are here; label
//! selectors are [`LabelSelector`].
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::selector::Required;
//!
//! fn prepare(pod: &pod::NodeAffinity) -> Required {
//!     Required::new(pod)
//! }
//!
//! fn filter(pod: &Required, name: &node::Name, labels: &node::Labels) -> Result<(), &'static str> {
//!     pod.matches(name, labels).then_some(()).ok_or("node(s) didn't match Pod's node affinity/selector")
//! }
//!
//! berth_guest::plugin!(name: "Affinity", prepare: prepare => Required, filter: filter);
//! # fn main() {}
//! ```

mod labels;
mod requirement;
mod written;

pub use labels::LabelSelector;
use requirement::Expression;
pub use written::{WrittenLabelSelector, WrittenNodeSelector, WrittenNodeSelectorTerm};

use crate::types::{self, Label, PreferredNodeTerm, SelectorOperator};
use crate::{LabelMap, Problems, pod};

/// A pod's node selector and its required node affinity.
#[derive(Clone, Debug, Default)]
pub struct Required {
    node_selector: Vec<Label>,
    affinity: Option<Terms>,
}

impl Required {
    /// Compiles the node selector and the required node affinity. As in kube-scheduler, an invalid term matches no
    /// node.
    pub fn new(pod: &pod::NodeAffinity) -> Required {
        Required {
            node_selector: pod.node_selector.clone(),
            affinity: pod.required.as_ref().map(|terms| Terms::lenient(terms)),
        }
    }

    /// Returns true if a node matches the node selector and the required node affinity.
    pub fn matches(&self, name: &str, labels: &LabelMap) -> bool {
        self.node_selector.iter().all(|wanted| labels.get(&wanted.key) == Some(&wanted.value))
            && self.affinity.as_ref().is_none_or(|terms| terms.any_matches(name, labels))
    }
}

/// `nodeSelectorTerms`: a node has to match at least one term.
#[derive(Clone, Debug, Default)]
pub struct Terms(Vec<Term>);

impl Terms {
    /// Compiles terms. An invalid term matches no node.
    pub fn lenient(terms: &[types::NodeSelectorTerm]) -> Terms {
        Terms(terms.iter().filter_map(|term| Term::new(term).ok().flatten()).collect())
    }

    /// Compiles terms. The errors name each field with its path from the node selector.
    pub fn new(terms: &[types::NodeSelectorTerm]) -> Result<Terms, Problems> {
        let mut problems = Problems::default();
        let mut read = Vec::new();
        for (at, term) in terms.iter().enumerate() {
            match Term::new(term) {
                Ok(term) => read.extend(term),
                Err(errors) => problems.add_under(format_args!("nodeSelectorTerms[{at}]."), errors),
            }
        }
        if problems.is_empty() { Ok(Terms(read)) } else { Err(problems) }
    }

    /// Returns true if a node matches at least one term. An empty list of terms matches no node. An empty `name` means
    /// that only the labels are known: `matchFields` are then ignored, as in kube-scheduler.
    pub fn any_matches(&self, name: &str, labels: &LabelMap) -> bool {
        self.0.iter().any(|term| term.matches(name, labels))
    }
}

/// `preferredDuringSchedulingIgnoredDuringExecution` of a node affinity.
#[derive(Clone, Debug, Default)]
pub struct Preferred(Vec<(i64, Term)>);

impl Preferred {
    /// Compiles the terms with a weight other than 0. The errors name each field with its path from the list.
    pub fn new(terms: &[PreferredNodeTerm]) -> Result<Preferred, Problems> {
        let mut problems = Problems::default();
        let mut read = Vec::new();
        for (at, preferred) in terms.iter().enumerate().filter(|(_, preferred)| preferred.weight != 0) {
            match Term::new(&preferred.term) {
                Ok(term) => read.extend(term.map(|term| (i64::from(preferred.weight), term))),
                Err(errors) => problems.add_under(format_args!("[{at}]."), errors),
            }
        }
        if problems.is_empty() { Ok(Preferred(read)) } else { Err(problems) }
    }

    /// Returns the sum of the weights of the terms that the node matches.
    pub fn weight(&self, name: &str, labels: &LabelMap) -> i64 {
        self.0.iter().filter(|(_, term)| term.matches(name, labels)).map(|(weight, _)| weight).sum()
    }
}

/// One term. A node has to match all its requirements.
#[derive(Clone, Debug)]
struct Term {
    expressions: Vec<Expression>,
    fields: Vec<Field>,
}

impl Term {
    /// Compiles a term. Returns `None` for a term without requirements, which matches no node.
    fn new(term: &types::NodeSelectorTerm) -> Result<Option<Term>, Problems> {
        let mut problems = Problems::default();
        let mut read = Term { expressions: Vec::new(), fields: Vec::new() };
        for (at, requirement) in term.expressions.iter().enumerate() {
            match Expression::new(requirement) {
                Ok(expression) => read.expressions.push(expression),
                Err(errors) => problems.add_under(format_args!("matchExpressions[{at}]."), errors),
            }
        }
        for (at, requirement) in term.fields.iter().enumerate() {
            match Field::new(requirement) {
                Ok(field) => read.fields.push(field),
                Err(errors) => problems.add_under(format_args!("matchFields[{at}]."), errors),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok((!read.expressions.is_empty() || !read.fields.is_empty()).then_some(read))
    }

    fn matches(&self, name: &str, labels: &LabelMap) -> bool {
        self.expressions.iter().all(|expression| expression.matches(labels))
            && (name.is_empty() || self.fields.iter().all(|field| field.matches(name)))
    }
}

/// A requirement on a field of the node. Only `metadata.name` has a value; any other field counts as an empty string.
#[derive(Clone, Debug)]
struct Field {
    is_name: bool,
    equal: bool,
    value: String,
}

impl Field {
    fn new(requirement: &types::Requirement) -> Result<Field, Problems> {
        let mut problems = Problems::default();
        let equal = match requirement.operator {
            SelectorOperator::In => true,
            SelectorOperator::NotIn => false,
            other => {
                problems.not_supported("operator", operator_name(other), &["In", "NotIn"]);
                return Err(problems);
            }
        };
        let is_name = requirement.key == "metadata.name";
        match requirement.values.as_slice() {
            [value] => Ok(Field { is_name, equal, value: value.clone() }),
            values => {
                problems.invalid("values", values, "must have one element");
                Err(problems)
            }
        }
    }

    fn matches(&self, name: &str) -> bool {
        let value = if self.is_name { name } else { "" };
        (value == self.value) == self.equal
    }
}

/// Returns an operator as the Kubernetes API spells it.
pub fn operator_name(operator: SelectorOperator) -> &'static str {
    match operator {
        SelectorOperator::In => "In",
        SelectorOperator::NotIn => "NotIn",
        SelectorOperator::Exists => "Exists",
        SelectorOperator::DoesNotExist => "DoesNotExist",
        SelectorOperator::GreaterThan => "Gt",
        SelectorOperator::LessThan => "Lt",
    }
}

#[cfg(test)]
mod tests {
    use SelectorOperator::{DoesNotExist, Exists, GreaterThan, In, LessThan, NotIn};

    use super::*;
    use crate::testing::{expression, term};

    fn labels() -> LabelMap {
        [("zone", "a"), ("cores", "16"), ("empty", "")].into_iter().collect()
    }

    #[test]
    fn expressions_match_labels() {
        for (key, operator, values, matches) in [
            ("zone", In, vec!["b", "a"], true),
            ("zone", In, vec!["b"], false),
            ("empty", In, vec![""], true),
            ("none", In, vec![""], false),
            ("zone", NotIn, vec!["a"], false),
            ("none", NotIn, vec!["a"], true),
            ("zone", Exists, vec![], true),
            ("none", Exists, vec![], false),
            ("none", DoesNotExist, vec![], true),
            ("zone", DoesNotExist, vec![], false),
            ("cores", GreaterThan, vec!["15"], true),
            ("cores", GreaterThan, vec!["16"], false),
            ("cores", LessThan, vec!["17"], true),
            ("zone", LessThan, vec!["17"], false),
            ("none", LessThan, vec!["17"], false),
        ] {
            let terms = Terms::new(&[term([expression(key, operator, values.clone())])]).unwrap();
            assert_eq!(terms.any_matches("node", &labels()), matches, "{key} {operator:?} {values:?}");
        }
    }

    #[test]
    fn fields_match_the_name() {
        for (key, operator, value, matches) in [
            ("metadata.name", In, "node", true),
            ("metadata.name", In, "other", false),
            ("metadata.name", NotIn, "other", true),
            ("metadata.namespace", In, "node", false),
        ] {
            let fields = vec![expression(key, operator, [value])];
            let terms = Terms::new(&[types::NodeSelectorTerm { expressions: Vec::new(), fields }]).unwrap();
            assert_eq!(terms.any_matches("node", &labels()), matches, "{key} {operator:?} {value}");
        }
    }

    #[test]
    fn requirements_of_a_term_are_anded_and_terms_are_ored() {
        let unsatisfied = expression("zone", In, ["b"]);
        let satisfied = expression("zone", In, ["a"]);
        for (terms, matches) in [
            (vec![], false),
            (vec![term([])], false),
            (vec![term([satisfied.clone(), unsatisfied.clone()])], false),
            (vec![term([unsatisfied.clone()]), term([satisfied.clone()])], true),
        ] {
            assert_eq!(Terms::lenient(&terms).any_matches("node", &labels()), matches, "{terms:?}");
        }
    }

    #[test]
    fn invalid_terms_match_nothing() {
        let bad = term([expression("zone", NotIn, ["not a value"])]);
        assert!(!Terms::lenient(std::slice::from_ref(&bad)).any_matches("node", &labels()));
        assert!(Terms::lenient(&[bad, term([expression("zone", Exists, [])])]).any_matches("node", &labels()));
    }

    #[test]
    fn errors_name_the_path() {
        let field = |operator, values: Vec<&str>| types::NodeSelectorTerm {
            expressions: Vec::new(),
            fields: vec![expression("metadata.name", operator, values)],
        };
        for (bad, problem) in [
            (
                term([expression("zone", In, [])]),
                "matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
            ),
            (
                term([expression("zone", Exists, ["a", "b"])]),
                "matchExpressions[0].values: Invalid value: [\"a\",\"b\"]: values set must be empty for exists and does \
                 not exist",
            ),
            (
                term([expression("zone", Exists, []), expression("cores", GreaterThan, ["many"])]),
                "matchExpressions[1].values[0]: Invalid value: \"many\": for 'Gt', 'Lt' operators, the value must be an \
                 integer",
            ),
            (field(In, vec!["a", "b"]), "matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have one element"),
            (
                field(Exists, vec![]),
                "matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", \"NotIn\"",
            ),
        ] {
            let problems = Terms::new(std::slice::from_ref(&bad)).unwrap_err();
            assert_eq!(problems.into_result(), Err(format!("nodeSelectorTerms[0].{problem}")));
        }
    }

    #[test]
    fn preferred_terms_add_up() {
        let prefer = |weight, key| PreferredNodeTerm { weight, term: term([expression(key, Exists, [])]) };
        let preferred = Preferred::new(&[prefer(3, "zone"), prefer(5, "cores"), prefer(100, "none")]).unwrap();
        assert_eq!(preferred.weight("node", &labels()), 8);
    }
}
