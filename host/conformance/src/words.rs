//! The strings that generated objects consist of: some of Kubernetes, and those in the plugin's arguments, so that a
//! plugin meets the labels it is configured for.

use std::sync::Arc;

use serde_json::Value;

/// The number of strings from `further` and the arguments together from which on no string of the arguments is taken.
const MOST: usize = 48;
/// The length in bytes of the longest string that is taken from the arguments: the limit for the name part of a label
/// key.
const LONGEST: usize = 63;

const KEYS: [&str; 6] =
    ["topology.kubernetes.io/zone", "node.kubernetes.io/instance-type", "pool", "tier", "disk", "generation"];
const VALUES: [&str; 7] = ["a", "b", "gold", "silver", "ssd", "7", ""];
const RESOURCES: [&str; 3] = ["nvidia.com/gpu", "example.com/gpu", "hugepages-2Mi"];

/// Names and values to choose from.
pub(super) struct Words {
    /// The keys of labels, taints and annotations.
    pub keys: Vec<Box<str>>,
    /// The values of labels, taints and annotations.
    pub values: Vec<Box<str>>,
    /// The names of resources other than cpu, memory and storage.
    pub resources: Vec<Arc<str>>,
}

impl Words {
    /// Returns strings of Kubernetes, the strings in `further`, and the strings in the arguments (JSON). Arguments that
    /// are not valid JSON add none.
    pub fn of(arguments: &str, further: &[Box<str>]) -> Self {
        let mut own = further.to_vec();
        collect(&serde_json::from_str(arguments).unwrap_or_default(), &mut own);
        let labels = |known: &[&str]| known.iter().copied().map(Box::from).chain(own.iter().cloned()).collect();
        let resources = own.iter().filter(|word| word.contains('/')).map(|word| Arc::from(&**word));
        Self {
            keys: labels(&KEYS),
            values: labels(&VALUES),
            resources: RESOURCES.iter().map(|name| Arc::from(*name)).chain(resources).collect(),
        }
    }
}

fn collect(value: &Value, words: &mut Vec<Box<str>>) {
    let mut take = |word: &str| {
        if !word.is_empty() && word.len() <= LONGEST && words.len() < MOST && !words.iter().any(|w| **w == *word) {
            words.push(word.into());
        }
    };
    match value {
        Value::String(word) => take(word),
        Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        Value::Object(fields) => {
            fields.keys().for_each(|key| take(key));
            fields.values().for_each(|value| collect(value, words));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_words_are_among_them() {
        let words = Words::of(
            r#"{"label": "rack", "weights": {"north": 5}, "resources": [{"name": "example.com/fpga"}]}"#,
            &[],
        );
        for word in ["rack", "north", "pool"] {
            assert!(words.keys.iter().any(|key| **key == *word), "{word}");
        }
        assert!(words.resources.iter().any(|name| **name == *"example.com/fpga"));
        assert_eq!(Words::of("no JSON", &[]).keys.len(), KEYS.len());
    }
}
