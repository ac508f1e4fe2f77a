//! The strings that generated objects consist of: some of Kubernetes, and those in the plugin's arguments, so that a
//! plugin meets the labels it is configured for.

use std::sync::Arc;

use berth_core::plugins::Declaration;
use serde_json::Value;

/// The number of strings from `further` and the arguments together from which on no string of the arguments is taken.
const MOST: usize = 48;
/// The length in bytes of the longest string that is taken from the arguments: the limit for the name part of a label
/// key.
const LONGEST: usize = 63;

const KEYS: [&str; 6] =
    ["topology.kubernetes.io/zone", "node.kubernetes.io/instance-type", "pool", "tier", "disk", "generation"];
const VALUES: [&str; 7] = ["a", "b", "gold", "silver", "ssd", "7", ""];
/// A field of pods and a field of nodes that exist also if the plugin does not declare them.
const POD_FIELD: &str = "spec.activeDeadlineSeconds";
const NODE_FIELD: &str = "spec.podCIDR";
const RESOURCES: [&str; 3] = ["nvidia.com/gpu", "example.com/gpu", "hugepages-2Mi"];

/// Names and values to choose from.
pub(super) struct Words {
    /// The keys of labels, taints and annotations.
    pub keys: Vec<Box<str>>,
    /// The values of labels, taints and annotations.
    pub values: Vec<Box<str>>,
    /// The names of resources other than cpu, memory and storage.
    pub resources: Vec<Arc<str>>,
    /// The paths of fields of pods.
    pub pod_fields: Vec<Box<str>>,
    /// The paths of fields of nodes.
    pub node_fields: Vec<Box<str>>,
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
            pod_fields: vec![POD_FIELD.into()],
            node_fields: vec![NODE_FIELD.into()],
        }
    }

    /// Adds the keys and paths that the plugin declares.
    pub fn with_reads(mut self, declaration: &Declaration) -> Self {
        let Declaration { pod, node, resident_pods, pending_pods, .. } = declaration;
        for reads in [Some(pod), Some(resident_pods), pending_pods.as_ref()].into_iter().flatten() {
            add(&mut self.keys, reads.label_keys.iter().chain(&reads.annotation_keys));
            add(&mut self.pod_fields, reads.fields.iter());
        }
        add(&mut self.keys, node.label_keys.iter().chain(&node.annotation_keys));
        add(&mut self.node_fields, node.fields.iter());
        self
    }
}

fn add<'a>(to: &mut Vec<Box<str>>, names: impl Iterator<Item = &'a Box<str>>) {
    for name in names {
        if !to.contains(name) {
            to.push(name.clone());
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
