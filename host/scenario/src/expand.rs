//! Evaluates the expressions and loops of a scenario.

use serde_json::{Map, Value};

use crate::error::ScenarioError;
use crate::expression::{Variables, evaluate};
use crate::file::{Scenario, Step, typed};

/// The largest number of steps after the loops are expanded.
const MOST_STEPS: usize = 100_000;

/// A step whose expressions are evaluated.
#[derive(Clone, Debug)]
pub struct ExpandedStep {
    /// The place of the step in the file, such as `steps[3]`.
    pub path: String,
    /// The step.
    pub step: Step,
    /// The variables of the step, for the texts of its files.
    pub variables: Variables,
}

/// Returns the steps of a scenario in their order. `set` has values that replace variables of the file.
///
/// # Errors
/// An expression or a field is wrong, or `set` has a name that the file does not declare.
pub fn steps(scenario: &Scenario, set: &[(String, Value)]) -> Result<Vec<ExpandedStep>, ScenarioError> {
    let mut variables: Variables = scenario.variables.clone().into_iter().collect();
    for (name, value) in set {
        if variables.insert(name.clone(), value.clone()).is_none() {
            let known: Vec<&str> = scenario.variables.keys().map(String::as_str).collect();
            let why = format!("the scenario has no variable {name:?}; it has: {}", known.join(", "));
            return Err(ScenarioError::field("variables", why));
        }
    }
    let mut steps = Vec::new();
    for (index, step) in scenario.steps.iter().enumerate() {
        let path = format!("steps[{index}]");
        for variables in loops(step, &variables, &path)? {
            let mut raw = step.clone();
            if let Some(fields) = raw.as_object_mut() {
                fields.remove("for");
            }
            let step: Step = typed(&path, expanded(&raw, &variables, &path)?)?;
            check_one_action(&raw, &path)?;
            steps.push(ExpandedStep { path: path.clone(), step, variables });
            if steps.len() > MOST_STEPS {
                return Err(ScenarioError::field(path, format!("the loops give more than {MOST_STEPS} steps")));
            }
        }
    }
    Ok(steps)
}

/// Returns the value with the values of its expressions.
///
/// # Errors
/// An expression is wrong.
pub fn expanded(value: &Value, variables: &Variables, path: &str) -> Result<Value, ScenarioError> {
    Ok(match value {
        Value::String(text) => text_of(text, variables).map_err(|why| ScenarioError::field(path, why))?,
        Value::Array(items) => {
            let items = items.iter().enumerate();
            let items = items.map(|(index, item)| expanded(item, variables, &format!("{path}[{index}]")));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let mut new = Map::new();
            for (key, field) in fields {
                let path = format!("{path}.{key}");
                let key = match text_of(key, variables).map_err(|why| ScenarioError::field(&*path, why))? {
                    Value::String(key) => key,
                    other => other.to_string(),
                };
                new.insert(key, expanded(field, variables, &path)?);
            }
            Value::Object(new)
        }
        other => other.clone(),
    })
}

/// Returns the variables of each repetition of a step.
fn loops(step: &Value, variables: &Variables, path: &str) -> Result<Vec<Variables>, ScenarioError> {
    let Some(names) = step.get("for") else { return Ok(vec![variables.clone()]) };
    let path = format!("{path}.for");
    let names = expanded(names, variables, &path)?;
    let names = names.as_object().ok_or_else(|| ScenarioError::field(&*path, "write names with numbers or lists"))?;
    let mut all = vec![variables.clone()];
    for (name, over) in names {
        let values: Vec<Value> = match over {
            Value::Array(list) => list.clone(),
            Value::Number(number) => {
                let count = number.as_u64().filter(|count| *count <= MOST_STEPS as u64);
                let wrong = || {
                    ScenarioError::field(
                        format!("{path}.{name}"),
                        format!("{number} is no number of repetitions up to {MOST_STEPS}"),
                    )
                };
                (0..count.ok_or_else(wrong)?).map(Value::from).collect()
            }
            other => {
                let why = format!("{other} is neither a number nor a list");
                return Err(ScenarioError::field(format!("{path}.{name}"), why));
            }
        };
        if all.len().saturating_mul(values.len()) > MOST_STEPS {
            return Err(ScenarioError::field(path, format!("the loops give more than {MOST_STEPS} steps")));
        }
        let with = |variables: &Variables, value: &Value| {
            let mut variables = variables.clone();
            variables.insert(name.clone(), value.clone());
            variables
        };
        all = all.iter().flat_map(|known| values.iter().map(move |value| with(known, value))).collect();
    }
    Ok(all)
}

fn check_one_action(raw: &Value, path: &str) -> Result<(), ScenarioError> {
    let actions = raw
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .filter(|key| !matches!(*key, "name" | "rejected"));
    match actions.collect::<Vec<_>>()[..] {
        [_] => Ok(()),
        [] => Err(ScenarioError::field(path, "the step does nothing; give it one of create, wait, expect, …")),
        [first, second, ..] => {
            let why = format!("the step has both {first} and {second}; make two steps of it");
            Err(ScenarioError::field(path, why))
        }
    }
}

/// Returns the text with the values of its expressions. A text that is one expression has the expression's type.
fn text_of(text: &str, variables: &Variables) -> Result<Value, String> {
    let Some(parts) = parts(text)? else { return Ok(Value::from(text)) };
    if let [Part::Expression(expression)] = parts[..] {
        return evaluate(expression, variables);
    }
    let mut whole = String::new();
    for part in parts {
        match part {
            Part::Text(text) => whole.push_str(text),
            Part::Expression(expression) => match evaluate(expression, variables)? {
                Value::String(text) => whole.push_str(&text),
                other => whole.push_str(&other.to_string()),
            },
        }
    }
    Ok(whole.into())
}

enum Part<'t> {
    Text(&'t str),
    Expression(&'t str),
}

/// Splits a text into its expressions and the texts between them; `None` if there is no expression.
fn parts(text: &str) -> Result<Option<Vec<Part<'_>>>, String> {
    let (mut rest, mut parts) = (text, Vec::new());
    while let Some(start) = rest.find("${") {
        if start > 0 {
            parts.push(Part::Text(&rest[..start]));
        }
        let inner = &rest[start + 2..];
        let end = end_of_expression(inner).ok_or_else(|| format!("{text:?} has `${{` without a closing `}}`"))?;
        parts.push(Part::Expression(&inner[..end]));
        rest = &inner[end + 1..];
    }
    if parts.is_empty() {
        return Ok(None);
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(Some(parts))
}

/// Returns the position of the brace that closes the expression. Braces in strings and in pairs do not close it.
fn end_of_expression(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), character) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scenario(steps: Value) -> Scenario {
        let variables = json!({ "nodes": 2, "zones": ["a", "b"] });
        let file =
            json!({ "apiVersion": "berth.dev/v1alpha1", "kind": "Scenario", "variables": variables, "steps": steps });
        Scenario::parse(&file.to_string()).unwrap()
    }

    #[test]
    fn loops_repeat_a_step_with_every_combination_of_values() {
        let object =
            json!({ "metadata": { "name": "node-${zone}-${i}", "labels": { "no-${i}": "${string(i + 1)}" } } });
        let step = json!({ "for": { "zone": "${zones}", "i": "${nodes}" }, "create": { "objects": [object] } });
        let expanded = steps(&scenario(json!([step])), &[]).unwrap();
        let objects = expanded.iter().map(|step| step.step.create.as_ref().unwrap().objects[0]["metadata"].clone());
        let objects: Vec<Value> = objects.collect();
        assert_eq!(objects.len(), 4);
        assert_eq!(objects[0], json!({ "name": "node-a-0", "labels": { "no-0": "1" } }));
        assert_eq!(objects[3], json!({ "name": "node-b-1", "labels": { "no-1": "2" } }));
    }

    #[test]
    fn a_text_that_is_an_expression_keeps_the_type() {
        let step = json!({ "scale": { "name": "web", "replicas": "${nodes * 3}" } });
        let expanded = steps(&scenario(json!([step])), &[("nodes".into(), 5.into())]).unwrap();
        assert_eq!(expanded[0].step.scale.as_ref().unwrap().replicas, 15);
        let text = |text: &str| text_of(text, &Variables::new()).unwrap();
        assert_eq!(text("a ${ {'b': 1}['b'] } ${'}'}"), json!("a 1 }"));
        assert_eq!(text("$5 and {6}"), json!("$5 and {6}"));
    }

    #[test]
    fn a_mistake_is_an_error_with_its_place() {
        let set = || vec![("pods".to_owned(), json!(1))];
        for (step, set, expected) in [
            (json!({ "advance": "1m", "wait": { "until": [] } }), vec![], "steps[0]: the step has both"),
            (json!({ "name": "nothing" }), vec![], "steps[0]: the step does nothing"),
            (json!({ "advance": "${hours}m" }), vec![], "steps[0].advance: \"hours\" can't be evaluated"),
            (json!({ "advance": "${nodes" }), vec![], "steps[0].advance: \"${nodes\" has `${` without"),
            (json!({ "advance": "1m" }), set(), "variables: the scenario has no variable \"pods\""),
            (json!({ "for": { "i": "x" }, "advance": "1m" }), vec![], "steps[0].for.i: \"x\" is neither"),
            (json!({ "for": { "i": 1_000_000 }, "advance": "1m" }), vec![], "steps[0].for.i: 1000000 is no number"),
            (json!({ "scale": { "name": "web", "replicas": "many" } }), vec![], "steps[0].scale.replicas: "),
            (json!({ "wait": { "until": [{ "placd": {} }] } }), vec![], "steps[0].wait.until[0]"),
        ] {
            let error = steps(&scenario(json!([step])), &set).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
