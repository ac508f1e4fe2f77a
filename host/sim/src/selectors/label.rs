//! Label selectors, in the query syntax and as a `LabelSelector` object.

use serde_json::Value;

use crate::names::{is_label_key, is_label_value};

/// A requirement on one label.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Requirement {
    /// The label exists with one of the values.
    In(String, Vec<String>),
    /// The label is absent or has none of the values.
    NotIn(String, Vec<String>),
    /// The label exists.
    Exists(String),
    /// The label is absent.
    Absent(String),
    /// The label's value is an integer above this value.
    Above(String, i64),
    /// The label's value is an integer below this value.
    Below(String, i64),
}

/// A parsed label selector. The default matches every object.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
    /// True for an absent `LabelSelector` object, which matches nothing. An empty object matches everything.
    nothing: bool,
}

impl LabelSelector {
    /// Parses the query syntax: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`.
    ///
    /// # Errors
    /// A message that names the invalid part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, at: 0 };
        let requirements =
            parser.requirements().map_err(|problem| format!("unable to parse requirement: {problem}"))?;
        Ok(Self { requirements, nothing: false })
    }

    /// Parses a `LabelSelector` object (`matchLabels`, `matchExpressions`). An absent object matches nothing.
    ///
    /// # Errors
    /// A message that names the unknown operator.
    pub fn from_object(selector: Option<&Value>) -> Result<Self, String> {
        let Some(selector) = selector.filter(|selector| !selector.is_null()) else {
            return Ok(Self { requirements: Vec::new(), nothing: true });
        };
        let mut requirements = Vec::new();
        for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
            requirements.push(Requirement::In(key.clone(), vec![value.as_str().unwrap_or_default().to_owned()]));
        }
        for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
            let text = |name: &str| expression.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
            let values = values.filter_map(Value::as_str).map(str::to_owned).collect();
            requirements.push(match text("operator").as_str() {
                "In" => Requirement::In(text("key"), values),
                "NotIn" => Requirement::NotIn(text("key"), values),
                "Exists" => Requirement::Exists(text("key")),
                "DoesNotExist" => Requirement::Absent(text("key")),
                other => return Err(format!("\"{other}\" is not a valid label selector operator")),
            });
        }
        Ok(Self { requirements, nothing: false })
    }

    /// Returns true if the selector matches every object.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty() && !self.nothing
    }

    /// Returns true if every requirement matches the labels that `get` returns.
    pub fn matches<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        !self.nothing && self.requirements.iter().all(|requirement| requirement.holds(&get))
    }

    /// Returns true if every requirement matches `metadata.labels` of a JSON tree.
    pub fn matches_value(&self, object: &Value) -> bool {
        let labels = object.pointer("/metadata/labels");
        self.matches(|key| labels?.get(key)?.as_str())
    }
}

impl Requirement {
    fn holds<'a>(&self, get: &impl Fn(&str) -> Option<&'a str>) -> bool {
        let number = |key: &str| get(key).and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(key, values) => get(key).is_some_and(|actual| values.iter().any(|value| value == actual)),
            Self::NotIn(key, values) => get(key).is_none_or(|actual| values.iter().all(|value| value != actual)),
            Self::Exists(key) => get(key).is_some(),
            Self::Absent(key) => get(key).is_none(),
            Self::Above(key, bound) => number(key).is_some_and(|actual| actual > *bound),
            Self::Below(key, bound) => number(key).is_some_and(|actual| actual < *bound),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn requirements(&mut self) -> Result<Vec<Requirement>, String> {
        let mut found = Vec::new();
        self.blanks();
        while self.at < self.text.len() {
            found.push(self.requirement()?);
            self.blanks();
            if self.at < self.text.len() {
                self.expect(",")?;
                self.blanks();
                if self.at == self.text.len() {
                    return Err("found '', expected: identifier after ','".into());
                }
            }
        }
        Ok(found)
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        if self.take("!") {
            return Ok(Requirement::Absent(self.key()?));
        }
        let key = self.key()?;
        self.blanks();
        if self.at == self.text.len() || self.rest().starts_with(',') {
            return Ok(Requirement::Exists(key));
        }
        if self.take("!=") {
            return Ok(Requirement::NotIn(key, vec![self.value()?]));
        }
        if self.take("==") || self.take("=") {
            return Ok(Requirement::In(key, vec![self.value()?]));
        }
        if self.take(">") {
            return Ok(Requirement::Above(key, self.number()?));
        }
        if self.take("<") {
            return Ok(Requirement::Below(key, self.number()?));
        }
        match self.word() {
            "in" => Ok(Requirement::In(key, self.values()?)),
            "notin" => Ok(Requirement::NotIn(key, self.values()?)),
            other => Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        }
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        self.blanks();
        self.expect("(")?;
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            self.blanks();
            if self.take(")") {
                return Ok(values);
            }
            self.expect(",")?;
        }
    }

    fn key(&mut self) -> Result<String, String> {
        self.blanks();
        let word = self.word();
        if !is_label_key(word) {
            return Err(format!(
                "<nil>: Invalid value: \"{word}\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
            ));
        }
        Ok(word.to_owned())
    }

    fn value(&mut self) -> Result<String, String> {
        self.blanks();
        let word = self.word();
        if !is_label_value(word) {
            return Err(format!(
                "values[0][]: Invalid value: \"{word}\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'"
            ));
        }
        Ok(word.to_owned())
    }

    fn number(&mut self) -> Result<i64, String> {
        self.blanks();
        let word = self.word();
        word.parse().map_err(|_| {
            format!("values[0]: Invalid value: \"{word}\": for 'Gt', 'Lt' operators, the value must be an integer")
        })
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || "=!<>(),".contains(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.take(token) {
            true => Ok(()),
            false => Err(format!("found '{}', expected: '{token}'", self.rest().chars().next().unwrap_or(' '))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_whole_syntax_is_parsed() {
        let labels = json!({"metadata": {"labels": {"app": "web", "tier": "front", "n": "5", "empty": "", "example.com/x": "1"}}});
        for (text, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web,tier!=back", true),
            (" app in ( web , api ) , tier notin (back)", true),
            ("app in (api)", false),
            ("missing notin (a)", true),
            ("missing!=a", true),
            ("app", true),
            ("!app", false),
            ("!missing", true),
            ("n>4,n<6", true),
            ("n>5", false),
            ("app>1", false),
            ("empty=", true),
            ("empty in (,a)", true),
            ("example.com/x=1", true),
        ] {
            let selector = LabelSelector::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(selector.matches_value(&labels), expected, "{text}");
        }
    }

    #[test]
    fn invalid_selectors_are_rejected() {
        for text in ["=a", "a=b=c", "a in b", "a in (b", "a,", ",a", "a b", "a=_", "a>x", "a/b/c", "a!b"] {
            assert!(LabelSelector::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_absent_selector_object_matches_nothing() {
        let object = json!({"metadata": {"labels": {"a": "b"}}});
        let matches = |selector: Value| LabelSelector::from_object(Some(&selector)).map(|s| s.matches_value(&object));
        assert_eq!(matches(json!({})), Ok(true));
        assert_eq!(matches(Value::Null), Ok(false));
        assert_eq!(matches(json!({"matchLabels": {"a": "b"}})), Ok(true));
        assert_eq!(
            matches(json!({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]})),
            Ok(false)
        );
        assert_eq!(matches(json!({"matchExpressions": [{"key": "c", "operator": "DoesNotExist"}]})), Ok(true));
        assert!(matches(json!({"matchExpressions": [{"key": "a", "operator": "Near"}]})).is_err());
    }
}
