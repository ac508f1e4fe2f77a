//! Label selectors.

use super::operator_name;
use super::requirement::{Expression, Test};
use crate::types::{self, SelectorOperator};
use crate::{LabelMap, Problems};

/// A `metav1.LabelSelector`.
///
/// ```
/// use berth_guest::selector::LabelSelector;
///
/// let labels = [("app", "web"), ("tier", "front")].into_iter().collect();
/// assert!(LabelSelector::of_map([("app", "web")]).matches(&labels));
/// assert!(LabelSelector::EVERYTHING.matches(&labels));
/// assert!(!LabelSelector::NOTHING.matches(&labels));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelSelector(Option<Vec<Expression>>);

impl LabelSelector {
    /// Selects nothing, as an absent selector does.
    pub const NOTHING: LabelSelector = LabelSelector(None);
    /// Selects everything, as an empty selector does.
    pub const EVERYTHING: LabelSelector = LabelSelector(Some(Vec::new()));

    /// Compiles a selector. An error says what is wrong with the first invalid requirement.
    pub fn new(selector: Option<&types::LabelSelector>) -> Result<LabelSelector, String> {
        let Some(selector) = selector else { return Ok(LabelSelector::NOTHING) };
        let mut expressions = Vec::with_capacity(selector.requirements.len());
        for requirement in &selector.requirements {
            if matches!(requirement.operator, SelectorOperator::GreaterThan | SelectorOperator::LessThan) {
                let operator = operator_name(requirement.operator);
                return Err(format!("\"{operator}\" is not a valid label selector operator"));
            }
            match Expression::new(requirement) {
                Ok(expression) => expressions.push(expression),
                Err(error) => return Err(Problems::into_result(error).err().unwrap_or_default()),
            }
        }
        Ok(LabelSelector(Some(expressions)))
    }

    /// Makes a selector for objects that have all of these labels, as the selectors of Services and
    /// ReplicationControllers do.
    pub fn of_map<'a>(labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> LabelSelector {
        let mut selector = LabelSelector::EVERYTHING;
        labels.into_iter().for_each(|(key, value)| selector.require(key, value));
        selector
    }

    /// Adds the requirement that an object has this label. A selector that selects nothing still selects nothing.
    pub fn require(&mut self, key: &str, value: &str) {
        if let Some(expressions) = &mut self.0 {
            expressions.push(Expression { key: key.to_owned(), test: Test::In(vec![value.to_owned()]) });
        }
    }

    /// Adds all requirements of another selector. The result selects nothing if either selector selects nothing.
    pub fn require_all(&mut self, other: &LabelSelector) {
        match (&mut self.0, &other.0) {
            (Some(expressions), Some(others)) => expressions.extend(others.iter().cloned()),
            _ => self.0 = None,
        }
    }

    /// Returns true if the selector selects an object with these labels.
    pub fn matches(&self, labels: &LabelMap) -> bool {
        self.0.as_ref().is_some_and(|all| all.iter().all(|expression| expression.matches(labels)))
    }

    /// Returns true if the selector has no requirement, and so selects everything.
    pub fn is_everything(&self) -> bool {
        self.0.as_ref().is_some_and(Vec::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use SelectorOperator::{DoesNotExist, Exists, In, LessThan, NotIn};

    use super::*;
    use crate::testing::expression;

    fn read(requirements: Vec<types::Requirement>) -> Result<LabelSelector, String> {
        LabelSelector::new(Some(&types::LabelSelector { requirements }))
    }

    #[test]
    fn all_requirements_have_to_hold() {
        let labels = [("app", "web"), ("tier", "")].into_iter().collect();
        for (requirements, matches) in [
            (vec![], true),
            (vec![expression("app", In, ["web", "api"])], true),
            (vec![expression("app", In, ["web"]), expression("tier", DoesNotExist, [])], false),
            (vec![expression("app", NotIn, ["api"]), expression("tier", Exists, [])], true),
            (vec![expression("none", NotIn, ["api"])], true),
            (vec![expression("none", In, [""])], false),
        ] {
            assert_eq!(read(requirements.clone()).unwrap().matches(&labels), matches, "{requirements:?}");
        }
    }

    #[test]
    fn an_absent_selector_selects_nothing_and_an_empty_selector_everything() {
        let (absent, empty) = (LabelSelector::new(None).unwrap(), read(vec![]).unwrap());
        assert_eq!((&absent, &empty), (&LabelSelector::NOTHING, &LabelSelector::EVERYTHING));
        assert_eq!((absent.is_everything(), empty.is_everything()), (false, true));
    }

    #[test]
    fn requirements_can_be_added() {
        let labels = [("app", "web"), ("tier", "front")].into_iter().collect();
        let mut selector = LabelSelector::of_map([("app", "web")]);
        selector.require_all(&LabelSelector::of_map([("tier", "front")]));
        assert!(selector.matches(&labels));
        selector.require("app", "api");
        assert!(!selector.matches(&labels));
        let mut nothing = LabelSelector::NOTHING;
        nothing.require("app", "web");
        nothing.require_all(&LabelSelector::EVERYTHING);
        assert_eq!(nothing, LabelSelector::NOTHING);
    }

    #[test]
    fn errors_give_the_reason() {
        for (bad, problem) in [
            (
                expression("app", In, []),
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
            ),
            (
                expression("app", Exists, ["a"]),
                "values: Invalid value: [\"a\"]: values set must be empty for exists and does not exist",
            ),
            (expression("app", LessThan, ["1"]), "\"Lt\" is not a valid label selector operator"),
        ] {
            assert_eq!(read(vec![bad]).unwrap_err(), problem);
        }
    }
}
