//! Label and field selectors of the embedded API server and of the plugins, compared with an independent matcher.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use berth_guest::selector::WrittenLabelSelector;
use berth_sim::selectors::{FieldSelector, LabelSelector, Selectable};
use berth_sim::store::Object;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::edits;
use crate::target::{Memory, OpenTarget, Target};

/// An input is a [`Case`] in JSON.
pub const TARGET: Target = Target { name: "selectors", memory: Memory { base: 256 << 10, times: 100 }, open };

const KEYS: [&str; 5] = ["app", "tier", "example.com/x", "n", "A.b-c_d"];
const VALUES: [&str; 8] = ["", "web", "front", "1", "5", "007", "9223372036854775807", "a.b_c-d"];
const DICTIONARY: &[&str] =
    &["=", "==", "!=", "!", ",", "(", ")", " in ", " notin ", ">", "<", "\\", "é", "\u{2003}", "in", "app"];
const FIELDS: &[Selectable] = &[Selectable::text("spec.nodeName"), Selectable::or("spec.hostNetwork", "false")];

/// A selector, and the labels and fields that it selects from.
#[derive(Debug, Serialize, Deserialize)]
struct Case {
    requirements: Vec<Requirement>,
    labels: BTreeMap<String, String>,
    /// Field name, operator (true for equality, false for inequality), and value.
    fields: Vec<(String, bool, String)>,
    /// Blanks between the tokens of the written selector.
    blank: String,
    /// Arbitrary text, which must not break a parser.
    text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Requirement {
    key: String,
    operator: String,
    values: Vec<String>,
}

fn open() -> Result<OpenTarget> {
    let value = || select(&VALUES[..]).prop_map(str::to_owned);
    let key = || select(&KEYS[..]).prop_map(str::to_owned);
    let operator = select(&["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"][..]);
    let requirement = (key(), operator, vec(value(), 1..4), -9..9_i64).prop_map(|(key, operator, values, number)| {
        let values = match operator {
            "Exists" | "DoesNotExist" => Vec::new(),
            "Gt" | "Lt" => vec![number.to_string()],
            _ => values,
        };
        Requirement { key, operator: operator.to_owned(), values }
    });
    let field = select(&["metadata.name", "metadata.namespace", "spec.nodeName", "spec.hostNetwork"][..]);
    let field_value = select(&["", "a", "d", "n,1", "x=y", "b\\c", "false", "true"][..]);
    let fields = vec((field.prop_map(str::to_owned), any::<bool>(), field_value.prop_map(str::to_owned)), 0..4);
    let text = vec(prop_oneof![select(DICTIONARY), select(&VALUES[..]), select(&KEYS[..])], 0..12);
    let text = (text, edits::edits(DICTIONARY, 3)).prop_map(|(tokens, edits)| {
        let mut bytes = tokens.concat().into_bytes();
        edits.iter().for_each(|edit| edit.apply(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let blank = select(&["", " ", "  "][..]).prop_map(str::to_owned);
    let inputs = (vec(requirement, 0..5), btree_map(key(), value(), 0..5), fields, blank, text).prop_map(
        |(requirements, labels, fields, blank, text)| {
            let case = Case { requirements, labels, fields, blank, text };
            serde_json::to_vec(&case).expect("a case is JSON")
        },
    );
    Ok(OpenTarget { inputs: inputs.boxed(), check: Box::new(check) })
}

fn check(input: &[u8]) -> Result<bool> {
    let Ok(case) = serde_json::from_slice::<Case>(input) else { return Ok(false) };
    let object = json!({
        "metadata": {"name": "a", "namespace": "d", "labels": case.labels}, "spec": {"nodeName": "n,1"},
    });
    labels(&case, &object)?;
    fields(&case, &object)?;
    let _ = LabelSelector::parse(&case.text).map(|selector| selector.matches_value(&object));
    let stored = Object::new(object, FIELDS);
    let _ = FieldSelector::parse(&case.text, FIELDS, |label| Some(label)).map(|selector| selector.matches(&stored));
    Ok(true)
}

fn labels(case: &Case, object: &Value) -> Result<()> {
    let expected = case.requirements.iter().all(|requirement| holds(requirement, &case.labels));
    let written: Vec<String> = case.requirements.iter().map(|requirement| written(requirement, &case.blank)).collect();
    let written = written.join(&format!("{0},{0}", case.blank));
    let read = LabelSelector::parse(&written).map_err(anyhow::Error::msg).context(written.clone())?;
    ensure!(
        read.matches_value(object) == expected,
        "whether {written:?} selects {:?} should be {expected}",
        case.labels
    );
    // Label selectors in objects do not have Gt and Lt.
    if case.requirements.iter().any(|requirement| matches!(&*requirement.operator, "Gt" | "Lt")) {
        return Ok(());
    }
    let selector = json!({"matchExpressions": case.requirements});
    let of_object = LabelSelector::from_object(Some(&selector)).map_err(anyhow::Error::msg)?;
    ensure!(
        of_object.matches_value(object) == expected,
        "whether {selector} selects {:?} should be {expected}",
        case.labels
    );
    let of_guest: WrittenLabelSelector = serde_json::from_value(selector.clone())?;
    let of_guest = of_guest.read().map_err(anyhow::Error::msg)?;
    let labels = case.labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    ensure!(
        of_guest.matches(&labels) == expected,
        "whether {selector} selects {labels:?} in a plugin should be {expected}"
    );
    Ok(())
}

/// Evaluates a requirement in the simplest way.
fn holds(requirement: &Requirement, labels: &BTreeMap<String, String>) -> bool {
    let label = labels.get(&requirement.key);
    let number = |text: Option<&String>| text.and_then(|text| text.parse::<i64>().ok());
    let bound = number(requirement.values.first());
    match &*requirement.operator {
        "In" => label.is_some_and(|label| requirement.values.contains(label)),
        "NotIn" => !label.is_some_and(|label| requirement.values.contains(label)),
        "Exists" => label.is_some(),
        "DoesNotExist" => label.is_none(),
        "Gt" => number(label).zip(bound).is_some_and(|(label, bound)| label > bound),
        _ => number(label).zip(bound).is_some_and(|(label, bound)| label < bound),
    }
}

/// Returns the requirement in the syntax of the query parameter `labelSelector`.
fn written(requirement: &Requirement, blank: &str) -> String {
    let Requirement { key, operator, values } = requirement;
    let first = values.first().map(String::as_str).unwrap_or_default();
    let set = || format!("{blank}({blank}{}{blank})", values.join(&format!("{blank},{blank}")));
    match &**operator {
        "In" if values.len() == 1 => format!("{key}{blank}={blank}{first}"),
        "In" => format!("{key} in {}", set()),
        "NotIn" if values.len() == 1 => format!("{key}{blank}!={blank}{first}"),
        "NotIn" => format!("{key} notin {}", set()),
        "Exists" => key.clone(),
        "DoesNotExist" => format!("!{key}"),
        "Gt" => format!("{key}{blank}>{blank}{first}"),
        _ => format!("{key}{blank}<{blank}{first}"),
    }
}

fn fields(case: &Case, object: &Value) -> Result<()> {
    let actual = |field: &str| match field {
        "metadata.name" => "a",
        "metadata.namespace" => "d",
        "spec.nodeName" => "n,1",
        _ => "false",
    };
    let escaped = |value: &str| value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=");
    let expected = case.fields.iter().all(|(field, equal, value)| (actual(field) == value) == *equal);
    let terms = case.fields.iter().map(|(field, equal, value)| {
        let operator = if *equal { "=" } else { "!=" };
        format!("{field}{operator}{}", escaped(value))
    });
    let written = terms.collect::<Vec<_>>().join(",");
    let read = FieldSelector::parse(&written, FIELDS, |label| Some(label)).map_err(anyhow::Error::msg)?;
    let selected = read.matches(&Object::new(object.clone(), FIELDS));
    ensure!(selected == expected, "whether {written:?} selects the object is {selected}, expected {expected}");
    Ok(())
}
