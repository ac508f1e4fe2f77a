//! The arguments with which a component is examined.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

const TABLE: &str = include_str!("arguments.yaml");
const WORDS: &str = include_str!("words.yaml");

/// The arguments in a table of cases for `berth plugin test`.
#[derive(Deserialize)]
struct Cases {
    #[serde(default)]
    arguments: Option<Value>,
    #[serde(default)]
    cases: Vec<CaseArguments>,
}

#[derive(Deserialize)]
struct CaseArguments {
    arguments: Option<Value>,
}

/// Returns all arguments, as JSON, with which this component is examined. `name` is the file's name without its
/// extension. The arguments come from the component's table of cases, or else from `arguments.yaml`, or else are `{}`.
pub fn of(name: &str) -> Vec<String> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../plugins/examples/cases/{name}.yaml"));
    let mut arguments: Vec<String> = match std::fs::read_to_string(&cases) {
        Ok(text) => {
            let table: Cases = serde_saphyr::from_str(&text).expect("a table of cases");
            let of_cases = table.cases.into_iter().filter_map(|case| case.arguments);
            table.arguments.into_iter().chain(of_cases).map(|arguments| arguments.to_string()).collect()
        }
        Err(_) => {
            let mut table: BTreeMap<String, Vec<Value>> = serde_saphyr::from_str(TABLE).expect("a table of arguments");
            let known = table.remove(name).unwrap_or_else(|| vec![Value::Object(serde_json::Map::new())]);
            known.iter().map(Value::to_string).collect()
        }
    };
    arguments.sort();
    arguments.dedup();
    arguments
}

/// Returns the strings that this component looks for, beyond those in its arguments.
pub fn words_of(name: &str) -> Vec<Box<str>> {
    let mut table: BTreeMap<String, Vec<Box<str>>> = serde_saphyr::from_str(WORDS).expect("a table of words");
    table.remove(name).unwrap_or_default()
}

#[test]
fn cases_and_table_are_read() {
    assert!(of("label-and-cpu").len() > 1, "{:?}", of("label-and-cpu"));
    assert_eq!((of("node-resources-fit").len(), of("any other")), (3, vec!["{}".to_owned()]));
}
