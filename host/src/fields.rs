//! Paths of fields in Kubernetes objects (`spec.selector`), and objects cut down to the fields that somebody reads.

use std::borrow::Borrow;

use serde_json::{Map, Value};

/// The steps from the object to the field. Lists are passed through: the path goes on in each of their elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(Vec<Box<str>>);

/// A path that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no path of a field: write `spec.selector`, `spec.containers.image`, and a key with dots quoted, \
     `metadata.annotations[\"example.com/pool\"]`"
)]
pub struct BadPath(String);

/// A path is no longer than this, in bytes.
const LONGEST: usize = 1024;

impl FieldPath {
    /// Reads a path.
    ///
    /// # Errors
    /// It is empty, too long, has an empty step, or a bracket that isn't closed.
    pub fn parse(path: &str) -> Result<Self, BadPath> {
        let bad = || BadPath(path.chars().take(100).collect());
        let mut steps = Vec::new();
        let mut rest = path;
        if path.len() > LONGEST {
            return Err(bad());
        }
        loop {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (step, after) = rest.split_at(end);
            if step.is_empty() || step.contains(['"', ']', '$', '*']) {
                return Err(bad());
            }
            steps.push(step.into());
            rest = after;
            while let Some(quoted) = rest.strip_prefix("[\"") {
                let (key, after) = quoted.split_once("\"]").filter(|(key, _)| !key.is_empty()).ok_or_else(bad)?;
                steps.push(key.into());
                rest = after;
            }
            match rest.strip_prefix('.') {
                Some(after) => rest = after,
                None if rest.is_empty() => return Ok(Self(steps)),
                None => return Err(bad()),
            }
        }
    }
}

/// The object with these fields alone. A field that is absent or null stays absent, and so does what only leads to it.
#[must_use]
pub fn pruned<P: Borrow<FieldPath>>(object: &Value, paths: &[P]) -> Value {
    let paths: Vec<&[Box<str>]> = paths.iter().map(|path| &*path.borrow().0).collect();
    cut(object, &paths).unwrap_or_else(|| Value::Object(Map::new()))
}

fn cut(value: &Value, paths: &[&[Box<str>]]) -> Option<Value> {
    if value.is_null() || paths.is_empty() {
        return None;
    }
    if paths.iter().any(|path| path.is_empty()) {
        return Some(value.clone());
    }
    match value {
        Value::Object(fields) => {
            let below = |key: &str| -> Vec<&[Box<str>]> {
                paths
                    .iter()
                    .filter_map(|path| path.split_first())
                    .filter(|(step, _)| ***step == *key)
                    .map(|(_, rest)| rest)
                    .collect()
            };
            let kept = fields.iter().filter_map(|(key, field)| Some((key.clone(), cut(field, &below(key))?)));
            let kept: Map<String, Value> = kept.collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        // An element without any of the fields keeps its place: positions may mean something.
        Value::Array(elements) => Some(
            elements.iter().map(|element| cut(element, paths).unwrap_or_else(|| Value::Object(Map::new()))).collect(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_read_or_refused() {
        let steps = |path: &str| FieldPath::parse(path).map(|path| path.0.join("|"));
        assert_eq!(steps("spec.selector").unwrap(), "spec|selector");
        assert_eq!(
            steps(r#"metadata.annotations["example.com/a.b"]"#).unwrap(),
            "metadata|annotations|example.com/a.b"
        );
        assert_eq!(steps(r#"a["b.c"]["d"].e"#).unwrap(), "a|b.c|d|e");
        for bad in ["", ".", "spec.", ".spec", "spec..a", "a[b]", "a[\"b", "a[\"\"]", "a[\"b\"]c", "$.spec", "spec.*"] {
            let error = FieldPath::parse(bad).unwrap_err().to_string();
            assert!(error.contains(&format!("{bad:?}")), "{error}");
        }
        assert!(FieldPath::parse(&"a".repeat(2000)).is_err());
    }

    #[test]
    fn an_object_keeps_the_fields_that_are_read() {
        let object = json!({
            "metadata": {"name": "a", "labels": {"x": "1"}, "annotations": {"example.com/pool": "p", "other": "q"}},
            "spec": {
                "selector": {"app": "web"},
                "none": null,
                "containers": [{"image": "i", "env": []}, {"env": []}],
                "number": 3,
            },
        });
        let cases = [
            (&["spec.selector"][..], json!({"spec": {"selector": {"app": "web"}}})),
            (&["spec.containers.image"], json!({"spec": {"containers": [{"image": "i"}, {}]}})),
            (
                &[r#"metadata.annotations["example.com/pool"]"#],
                json!({"metadata": {"annotations": {"example.com/pool": "p"}}}),
            ),
            (&["spec.selector.app", "spec.selector"], json!({"spec": {"selector": {"app": "web"}}})),
            (&["spec.number", "metadata.labels"], json!({"spec": {"number": 3}, "metadata": {"labels": {"x": "1"}}})),
            (&["spec.none", "spec.number.deeper", "status"], json!({})),
            (&[], json!({})),
        ];
        for (paths, expected) in cases {
            let paths: Vec<FieldPath> = paths.iter().map(|path| FieldPath::parse(path).unwrap()).collect();
            assert_eq!(pruned(&object, &paths), expected, "{paths:?}");
        }
    }
}
