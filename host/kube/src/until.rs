//! The condition of a plugin's wait: a CEL expression over an object. The expression comes from a plugin, so its cost
//! is bounded before it is evaluated. The expression is evaluated outside the runtime's worker threads, because those
//! threads also renew the Lease.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::parser::{Expression, PrattParser};
use cel::{Context, ExecutionError, Value};
use tokio::sync::Semaphore;

use super::cel_cost::{LONGEST, Size, most_steps};

/// The deepest nesting of brackets.
const DEPTH_LIMIT: u16 = 32;
/// The number of bytes after which a reason that an expression returns is cut off.
const REASON_LIMIT: usize = 1_024;
/// The largest number of steps of an evaluation. They take about a second.
const STEP_LIMIT: u64 = 10_000_000;
/// The number of concurrent evaluations.
const CONCURRENCY: usize = 2;

/// The condition of a wait ([`berth_core::intent::Wait::until`]): a parsed CEL expression within the bounds. If the
/// expression returns true, the wait ends. If it returns a string, the wait fails with this reason. Any other value
/// continues the wait.
pub struct Until(Expression);

/// The result of an expression for an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The expression is true: the wait is over.
    Met,
    /// The wait fails for this reason: the expression returned a string, names an undeclared variable, or may take too
    /// many steps.
    Failed(String),
    /// The condition is not met yet.
    NotYet,
}

impl Until {
    /// Parses an expression.
    ///
    /// # Errors
    /// The text is longer than 1,024 bytes, nested too deeply, or not a CEL expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("the condition has {} bytes, more than {LONGEST}", text.len()));
        }
        let parsed = PrattParser::new().max_recursion_depth(DEPTH_LIMIT).parse(text);
        parsed.map(Self).map_err(|e| format!("the condition {text:?} is no CEL expression: {e}"))
    }

    /// Evaluates the expression for an object. With `None`, the object does not exist and `object` is null in the
    /// expression. Takes about a second at most.
    #[must_use]
    pub fn of(&self, object: Option<&serde_json::Value>) -> Verdict {
        let steps = most_steps(&self.0, object.map(Size::of).unwrap_or_default());
        if steps > STEP_LIMIT {
            return Verdict::Failed(format!(
                "the condition may take {steps} steps over an object of this size, more than {STEP_LIMIT}; use fewer macros, \
                 or no nested ones"
            ));
        }
        let mut context = Context::default();
        context.add_variable_from_value("object", object.map_or(Value::Null, cel_value));
        match context.resolve(&self.0) {
            Ok(Value::Bool(true)) => Verdict::Met,
            Ok(Value::String(reason)) => {
                let mut reason = Arc::unwrap_or_clone(reason);
                reason.truncate(reason.floor_char_boundary(REASON_LIMIT));
                Verdict::Failed(reason)
            }
            // No change of the object can fix this error.
            Err(error @ ExecutionError::UndeclaredReference(_)) => {
                Verdict::Failed(format!("the condition is invalid: {error}"))
            }
            // Neither true nor a string, or an error, which is usually a field that is not set yet.
            Ok(_) | Err(_) => Verdict::NotYet,
        }
    }
}

/// Evaluates expressions on blocking threads, [`CONCURRENCY`] at a time.
pub(super) struct Evaluator(Arc<Semaphore>);

impl Default for Evaluator {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(CONCURRENCY)))
    }
}

impl Evaluator {
    /// Evaluates the expression as [`Until::of`] does, but on a blocking thread.
    pub(super) async fn evaluate(&self, until: &Arc<Until>, object: Option<serde_json::Value>) -> Verdict {
        let Ok(permit) = Arc::clone(&self.0).acquire_owned().await else { return Verdict::NotYet };
        let until = Arc::clone(until);
        let evaluated = tokio::task::spawn_blocking(move || {
            let verdict = until.of(object.as_ref());
            drop(permit);
            verdict
        });
        evaluated.await.unwrap_or_else(|error| Verdict::Failed(format!("the condition can't be evaluated: {error}")))
    }
}

/// Converts JSON to CEL as Kubernetes does: whole numbers are `int`, or `uint` if they exceed `int`.
#[must_use]
pub fn cel_value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(int), _) => Value::Int(int),
            (None, Some(uint)) => Value::UInt(uint),
            (None, None) => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::String(Arc::new(text.clone())),
        serde_json::Value::Array(list) => Value::List(Arc::new(list.iter().map(cel_value).collect())),
        serde_json::Value::Object(map) => {
            let map: HashMap<Key, Value> = map.iter().map(|(key, json)| (Key::from(&**key), cel_value(json))).collect();
            Value::Map(Map { map: Arc::new(map) })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_condition_is_met_not_yet_met_or_failed() {
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
            ("objekt.status", failed("the condition is invalid: Undeclared reference to 'objekt'")),
        ] {
            assert_eq!(Until::parse(text).unwrap().of(Some(&object)), verdict, "{text}");
        }
    }

    #[test]
    fn a_missing_object_is_null() {
        for (text, verdict) in [("object == null", Verdict::Met), ("object.status.phase == 'Bound'", Verdict::NotYet)] {
            assert_eq!(Until::parse(text).unwrap().of(None), verdict, "{text}");
        }
    }

    #[test]
    fn text_that_is_no_expression_is_refused() {
        for (text, why) in [
            ("object.", "is no CEL expression"),
            ("", "is no CEL expression"),
            (&*"(".repeat(100), "recursion limit"),
            (&*"a".repeat(1_025), "has 1025 bytes, more than 1024"),
        ] {
            let Err(error) = Until::parse(text) else { panic!("{text}") };
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn an_expression_that_is_too_costly_is_not_evaluated() {
        let list: Vec<_> = (0..50).map(|n| json!({"name": format!("name-{n}"), "status": "True"})).collect();
        let object = json!({"status": {"conditions": list}, "text": "x".repeat(10_000)});
        let nested = |depth: usize| {
            let list = format!("[{}]", ["1"; 20].join(","));
            (0..depth).fold("true".to_owned(), |inner, depth| format!("{list}.all(x{depth}, {inner})"))
        };
        let doubling = format!("size([object.text].map(t, {})) == 0", ["t"; 200].join("+"));
        for (text, runs) in [
            ("object.status.conditions.exists(c, c.name == 'name-7' && c.status == 'True')", true),
            ("object.status.conditions.all(c, object.status.conditions.exists(d, d.name == c.name))", true),
            ("object.status.conditions.map(c, c.name).exists(n, n.contains('7'))", true),
            (&nested(1), true),
            // Few enough steps that this test would end even without the bound.
            (&nested(4), false),
            (&nested(12), false),
            (&doubling, false),
        ] {
            let verdict = Until::parse(text).unwrap().of(Some(&object));
            let refused = matches!(&verdict, Verdict::Failed(why) if why.contains("steps"));
            assert_eq!(verdict == Verdict::Met, runs, "{text}: {verdict:?}");
            assert_eq!(refused, !runs, "{text}: {verdict:?}");
        }
    }

    #[tokio::test]
    async fn an_expression_is_not_evaluated_on_the_runtime() {
        // The runtime of this test has one thread, so blocking it would keep the other future from running.
        let until = Arc::new(Until::parse("object == null").unwrap());
        let evaluator = Evaluator(Arc::new(Semaphore::new(1)));
        let mut evaluated = std::pin::pin!(evaluator.evaluate(&until, None));
        assert!(futures::poll!(evaluated.as_mut()).is_pending(), "it was evaluated on the runtime");
        assert_eq!(evaluated.await, Verdict::Met);
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
