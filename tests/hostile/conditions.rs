//! Evaluates the condition of a wait as the intent executor does: it parses the CEL expression, and evaluates it
//! for the object.

use berth_core::intent::Intent;
use berth_kube::{Until, Verdict};
use serde_json::{Value, json};

/// Evaluates the conditions of all waits, with an object and without one. Returns the error of the first one that
/// fails.
pub fn evaluate(intents: &[Intent]) -> Result<(), String> {
    let object: Value = json!({
        "metadata": {"name": "a".repeat(63), "annotations": {"example.com/pool": "b"}},
        "status": {"phase": "Bound", "conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}]},
    });
    for intent in intents {
        let Intent::WaitUntil(wait) = intent else { continue };
        let until = Until::parse(&wait.until)?;
        for object in [None, Some(&object)] {
            if let Verdict::Failed(why) = until.of(object) {
                return Err(why);
            }
        }
    }
    Ok(())
}
