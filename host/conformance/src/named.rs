//! The labels, annotations and fields that a plugin reads by name: draws values for them, and keeps them while the
//! others change.

use std::sync::Arc;

use berth_core::facts::PodFacts;
use berth_core::model::named_fields::NamedField;
use berth_core::model::{Labels, NamedFields, Node, Pod};
use berth_core::pod_signature::PodSignatures;
use berth_core::reads::{NodeReads, PodReads};
use serde_json::{Map, Value, json};

use super::maker::Maker;

impl Maker {
    /// Returns an object with values at some of these paths, as fields by path.
    pub fn named_fields(&mut self, paths: &[Box<str>]) -> NamedFields {
        let mut object = Value::Object(Map::new());
        for path in paths {
            if self.chance(70) {
                let value = self.field_value();
                insert(&mut object, &steps(path), value);
            }
        }
        let field = |path: &str| {
            let steps = steps(path);
            let value = steps.iter().try_fold(&object, |value, step| value.get(step))?;
            let json = steps.iter().rev().fold(value.clone(), |value, step| json!({ step: value }));
            Some(NamedField { path: path.into(), json: json.to_string().into() })
        };
        NamedFields::new(paths.iter().filter_map(|path| field(path)).collect())
    }

    /// Returns the pod with another value in each of these facts, where that does not change what `reads` declares.
    pub fn changed_beyond(&mut self, reads: &PodReads, pod: &Arc<Pod>, facts: PodFacts) -> Arc<Pod> {
        let mut signatures = PodSignatures::default();
        let signature = signatures.of(reads, pod, 0);
        let mut pod = Arc::clone(pod);
        for fact in facts.difference(reads.facts).iter() {
            let mut changed = Pod::clone(&pod);
            self.change_pod(&mut changed, fact);
            keep_of_pod(reads, &pod, &mut changed);
            let changed = Arc::new(changed);
            // Two facts can share a field (for example containers and images), so a change of an undeclared fact can
            // change a declared one. Such a change is dropped.
            if signatures.of(reads, &changed, 0) == signature {
                pod = changed;
            }
        }
        pod
    }

    fn field_value(&mut self) -> Value {
        match self.rng.u32(..6) {
            0 => self.chance(50).into(),
            1 => vec![&*self.value(), &*self.value()].into(),
            2 => json!({ &*self.key(): &*self.value() }),
            3 | 4 => self.rng.u32(1..5).into(),
            _ => (&*self.value()).into(),
        }
    }
}

/// Sets the value at the end of these steps. Does nothing if a step leads into a value that is not an object.
fn insert(object: &mut Value, steps: &[String], value: Value) {
    let Some((last, before)) = steps.split_last() else { return };
    let mut at = object;
    for step in before {
        let Value::Object(fields) = at else { return };
        at = fields.entry(step.clone()).or_insert_with(|| Value::Object(Map::new()));
    }
    if let Value::Object(fields) = at {
        fields.insert(last.clone(), value);
    }
}

/// Returns the steps of a valid path: `metadata`, `annotations` and `a.b` for `metadata.annotations["a.b"]`.
fn steps(path: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix("[\"") {
            Some(quoted) => quoted.split_once("\"]").unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        steps.push(step.to_owned());
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    steps
}

/// Gives the pod the labels, annotations and fields of `before` that are named. Its others stay.
fn keep_of_pod(reads: &PodReads, before: &Pod, pod: &mut Pod) {
    pod.labels = kept_labels(&before.labels, &pod.labels, &reads.label_keys).into();
    pod.annotations = kept_labels(&before.annotations, &pod.annotations, &reads.annotation_keys);
    pod.fields = kept_fields(&before.fields, &pod.fields, &reads.fields);
}

/// Gives the node the labels, annotations and fields of `before` that are named. Its others stay.
pub(super) fn keep_of_node(reads: &NodeReads, before: &Node, node: &mut Node) {
    node.labels = kept_labels(&before.labels, &node.labels, &reads.label_keys);
    node.annotations = kept_labels(&before.annotations, &node.annotations, &reads.annotation_keys);
    node.fields = kept_fields(&before.fields, &node.fields, &reads.fields);
}

fn kept_labels(before: &Labels, after: &Labels, keys: &[Box<str>]) -> Labels {
    let is_named = |key: &str| keys.iter().any(|named| **named == *key);
    let kept = before.iter().filter(|(key, _)| is_named(key));
    after.iter().filter(|(key, _)| !is_named(key)).chain(kept).collect()
}

fn kept_fields(before: &NamedFields, after: &NamedFields, paths: &[Box<str>]) -> NamedFields {
    let is_named = |field: &&NamedField| paths.iter().any(|named| **named == *field.path);
    let kept = before.all().iter().filter(is_named);
    NamedFields::new(after.all().iter().filter(|field| !is_named(field)).chain(kept).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::super::words::Words;
    use super::*;

    const PATHS: [&str; 3] = ["spec.a", "spec.a.b", "metadata.annotations[\"x.y/z\"]"];

    #[test]
    fn values_are_drawn_at_each_path() {
        assert_eq!(steps(PATHS[2]), ["metadata", "annotations", "x.y/z"]);
        let mut maker = Maker::new(Words::of("{}", &[]), 1);
        let paths = PATHS.map(Box::from);
        let drawn: Vec<NamedFields> = (0..100).map(|_| maker.named_fields(&paths)).collect();
        for (path, start) in
            PATHS.into_iter().zip(["{\"spec\":{\"a\":", "{\"spec\":{\"a\":{\"b\":", "{\"metadata\":{\"ann"])
        {
            let of_path: Vec<&str> = drawn.iter().filter_map(|fields| fields.get(path)).collect();
            assert!(of_path.iter().all(|json| json.starts_with(start)), "{path}: {of_path:?}");
            assert!(of_path.len() > 5 && of_path.len() < 100, "{path}: {}", of_path.len());
        }
    }

    #[test]
    fn named_values_are_kept_and_others_change() {
        let labels = |of: [(&str, &str); 2]| of.into_iter().collect::<Labels>();
        let before = Node { labels: labels([("a", "1"), ("b", "1")]), ..Node::default() };
        let mut node = Node { labels: labels([("b", "2"), ("c", "2")]), ..Node::default() };
        let reads = NodeReads::new(Default::default(), ["a".into(), "b".into()], [], []);
        keep_of_node(&reads, &before, &mut node);
        assert_eq!(node.labels, [("a", "1"), ("b", "1"), ("c", "2")].into_iter().collect());
    }
}
