//! The comparison of the decisions in two captures of the same steps.

use std::io::Read;

use berth_core::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::CaptureError;
use crate::read::CaptureReader;

/// The actions that are decisions, with the fields that are compared. Other actions tell about decisions.
const DECISIONS: [(&str, &[&str]); 7] = [
    ("bind", &["pod", "node"]),
    ("bindByExtender", &["pod", "node"]),
    ("nominate", &["pod", "node"]),
    ("evict", &["pod"]),
    ("executeIntents", &["pod", "step"]),
    ("cancelIntents", &["pod", "step"]),
    ("setUnscheduled", &["pod", "reason"]),
];

/// A step with other decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedStep {
    /// The number of the step, from 1.
    pub step: u64,
    /// The time of the step.
    pub at: Timestamp,
    /// The decisions in the first capture.
    pub before: Vec<Value>,
    /// The decisions in the second capture.
    pub after: Vec<Value>,
}

/// Returns the number of steps whose decisions differ, and the first of them.
///
/// # Errors
/// A capture can't be read. A capture without its last line is read as far as it goes.
pub fn compare<A: Read, B: Read>(
    before: &mut CaptureReader<A>,
    after: &mut CaptureReader<B>,
) -> Result<(u64, Option<ChangedStep>), CaptureError> {
    let (mut step, mut count, mut first) = (0, 0, None);
    loop {
        let next = (next(before)?, next(after)?);
        step += 1;
        let (at, one, other) = match next {
            (None, None) => return Ok((count, first)),
            (Some((at, one)), Some((_, other))) => (at, one, other),
            (Some((at, one)), None) => (at, one, Vec::new()),
            (None, Some((at, other))) => (at, Vec::new(), other),
        };
        if one != other {
            count += 1;
            first.get_or_insert(ChangedStep { step, at, before: one, after: other });
        }
    }
}

fn next<R: Read>(reader: &mut CaptureReader<R>) -> Result<Option<(Timestamp, Vec<Value>)>, CaptureError> {
    match reader.next_step() {
        Ok(step) => Ok(step.map(|step| (step.at, decisions(step.actions.as_deref())))),
        Err(CaptureError::Truncated(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the decisions among the actions of a step.
fn decisions(actions: Option<&RawValue>) -> Vec<Value> {
    let actions: Vec<Value> = actions.and_then(|json| serde_json::from_str(json.get()).ok()).unwrap_or_default();
    actions.iter().filter_map(decision).collect()
}

fn decision(action: &Value) -> Option<Value> {
    let (name, value) = action.as_object()?.iter().next()?;
    let (_, fields) = DECISIONS.iter().find(|(decision, _)| decision == name)?;
    let fields = fields.iter().map(|field| ((*field).to_owned(), value.get(field).cloned().unwrap_or_default()));
    Some(Value::Object([(name.clone(), Value::Object(fields.collect()))].into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_decisions_are_compared() {
        let json =
            r#"[{"bind":{"pod":{"name":"a"},"node":"n"}},{"emit":{"note":"x"}},{"evict":{"pod":"b","note":"x"}}]"#;
        let raw = RawValue::from_string(json.to_owned()).expect("JSON");
        let expected = serde_json::json!([{"bind": {"pod": {"name": "a"}, "node": "n"}}, {"evict": {"pod": "b"}}]);
        assert_eq!(Value::Array(decisions(Some(&raw))), expected);
        assert_eq!(decisions(None), Vec::<Value>::new());
    }
}
