//! What a wait waits for: a CEL expression over the object.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::parser::{Expression, PrattParser};
use cel::{Context, ExecutionError, Value};

/// Bytes of an expression. Every operator may be a level of recursion, where it is evaluated and where it is freed: so many
/// fit a thread's stack.
const LONGEST: usize = 1_024;
/// Levels of brackets.
const DEEPEST: u16 = 32;
/// Bytes that are kept of an expression's own words.
const WORDS: usize = 1_024;

/// An expression, parsed.
pub(super) struct Until(Expression);

/// How an object stands to an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The wait is over.
    Met,
    /// It never will be, for this reason.
    Failed(String),
    /// Not as things are.
    NotYet,
}

impl Until {
    /// Reads an expression.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("the condition has {} bytes, where {LONGEST} are the most", text.len()));
        }
        let parsed = PrattParser::new().max_recursion_depth(DEEPEST).parse(text);
        parsed.map(Self).map_err(|e| format!("the condition {text:?} is no CEL expression: {e}"))
    }

    /// What it says of an object; `None` for one that isn't there, of which `object` is null.
    pub(super) fn of(&self, object: Option<&serde_json::Value>) -> Verdict {
        let mut context = Context::default();
        context.add_variable_from_value("object", object.map_or(Value::Null, value));
        match context.resolve(&self.0) {
            Ok(Value::Bool(true)) => Verdict::Met,
            Ok(Value::String(reason)) => {
                let mut reason = Arc::unwrap_or_clone(reason);
                reason.truncate(reason.floor_char_boundary(WORDS));
                Verdict::Failed(reason)
            }
            // No object can mend that.
            Err(error @ ExecutionError::UndeclaredReference(_)) => Verdict::Failed(format!("its condition: {error}")),
            // A field that is not there yet, mostly.
            Ok(_) | Err(_) => Verdict::NotYet,
        }
    }
}

/// As Kubernetes' own CEL has JSON: whole numbers are `int`.
fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(int), _) => Value::Int(int),
            (None, Some(uint)) => Value::UInt(uint),
            (None, None) => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::String(Arc::new(text.clone())),
        serde_json::Value::Array(list) => Value::List(Arc::new(list.iter().map(value).collect())),
        serde_json::Value::Object(map) => {
            let map: HashMap<Key, Value> = map.iter().map(|(key, json)| (Key::from(&**key), value(json))).collect();
            Value::Map(Map { map: Arc::new(map) })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_meets_it_or_not_yet_or_never() {
        let object = json!({
            "metadata": {"annotations": {"example.com/pool": "a"}},
            "status": {"phase": "Bound", "replicas": 3, "conditions": [{"type": "Ready", "status": "True"}]},
        });
        let failed = |reason: &str| Verdict::Failed(reason.to_owned());
        for (text, verdict) in [
            ("object.status.phase == 'Bound'", Verdict::Met),
            ("object.status.phase == 'Lost'", Verdict::NotYet),
            ("object.status.gone == 'there'", Verdict::NotYet),
            ("has(object.status.gone)", Verdict::NotYet),
            ("object.status.replicas - 1 == 2", Verdict::Met),
            ("object.status.replicas", Verdict::NotYet),
            ("object.metadata.annotations['example.com/pool'] == 'a'", Verdict::Met),
            ("object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')", Verdict::Met),
            ("object.status.phase == 'Bound' ? 'bound elsewhere' : false", failed("bound elsewhere")),
            ("objekt.status", failed("its condition: Undeclared reference to 'objekt'")),
        ] {
            assert_eq!(Until::parse(text).unwrap().of(Some(&object)), verdict, "{text}");
        }
    }

    #[test]
    fn an_object_that_is_not_there_is_null() {
        for (text, verdict) in [("object == null", Verdict::Met), ("object.status.phase == 'Bound'", Verdict::NotYet)] {
            assert_eq!(Until::parse(text).unwrap().of(None), verdict, "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for (text, why) in [
            ("object.", "is no CEL expression"),
            ("", "is no CEL expression"),
            (&*"(".repeat(100), "recursion limit"),
            (&*"a".repeat(1_025), "has 1025 bytes, where 1024 are the most"),
        ] {
            let Err(error) = Until::parse(text) else { panic!("{text}") };
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn the_longest_expressions_fit_the_stack() {
        let shapes = [
            format!("1{}", "+1".repeat(511)),
            format!("object{}", ".a".repeat(509)),
            format!("{}true", "!".repeat(1_020)),
            format!("{}1", "true?1:".repeat(146)),
            format!("false{}", "||false".repeat(145)),
        ];
        for text in shapes {
            let until = Until::parse(&text).unwrap();
            assert!(!matches!(until.of(Some(&json!({}))), Verdict::Failed(_)), "{text}");
        }
    }
}
