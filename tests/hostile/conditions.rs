//! What the shell does with a condition of a wait: it reads the CEL expression, and evaluates it over the object.

use berth::kube::{Until, Verdict};
use berth_core::intent::Intent;
use serde_json::{Value, json};

/// Evaluates the conditions of all waits, over an object that is there and over one that is not. Returns why the first one fails.
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
