//! Paths of fields in Kubernetes objects (`spec.selector`), and copies of objects that contain only given fields.

use std::borrow::Borrow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The steps from an object to a field. A list takes no step: the path continues in each of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(Vec<Box<str>>);

/// The error for an invalid path. Contains the first 100 characters of the path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a field path: write `spec.selector`, `spec.containers.image`, and a key with dots quoted, \
     `metadata.annotations[\"example.com/pool\"]`"
)]
pub struct BadPath(String);

/// The maximum length of a path in bytes.
const LONGEST: usize = 1024;

impl FieldPath {
    /// Parses a path.
    ///
    /// # Errors
    /// The path is empty or longer than 1024 bytes, has an empty step, has `"`, `]`, `$` or `*` in a step without
    /// quotes, or has a bracket of another form than `["key"]`.
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

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text_of(&self.0))
    }
}

/// Returns the text of a path with these steps, in the form that [`FieldPath::parse`] reads.
fn text_of<S: AsRef<str>>(steps: &[S]) -> String {
    let mut text = String::new();
    for step in steps.iter().map(AsRef::as_ref) {
        let is_plain = !step.is_empty() && !step.contains(['.', '[', ']', '"', '$', '*']);
        let separator = if text.is_empty() { "" } else { "." };
        text += &if is_plain || text.is_empty() { format!("{separator}{step}") } else { format!("[\"{step}\"]") };
    }
    text
}

/// The maximum number of fields that [`fields_outside`] returns.
const MOST_OUTSIDE: usize = 16;

/// Returns the paths of the fields that a patch changes outside of the fields in `paths`, at most 16. The path of the
/// whole object is empty. A path in `paths` includes all fields below it.
///
/// The patch is a JSON merge patch, or a strategic merge patch. The preconditions `metadata.uid` and
/// `metadata.resourceVersion` do not count as changes.
#[must_use]
pub fn fields_outside(patch: &Value, paths: &[FieldPath], is_strategic: bool) -> Vec<String> {
    let mut outside = Vec::new();
    Changes { paths, is_strategic, outside: &mut outside }.visit(patch, &mut Vec::new());
    outside
}

/// Finds the fields that a patch changes.
struct Changes<'a> {
    /// The fields that the patch may change.
    paths: &'a [FieldPath],
    is_strategic: bool,
    /// The paths of other fields that it changes.
    outside: &'a mut Vec<String>,
}

impl Changes<'_> {
    /// Visits the value of the patch for the field with the steps `at`.
    fn visit(&mut self, value: &Value, at: &mut Vec<String>) {
        let is_inside = |path: &FieldPath| {
            path.0.len() <= at.len() && path.0.iter().zip(at.iter()).all(|(step, own)| **step == **own)
        };
        let is_precondition = matches!(&at[..], [a, b] if a == "metadata" && (b == "uid" || b == "resourceVersion"));
        if is_precondition || self.paths.iter().any(is_inside) {
            return;
        }
        match value {
            // An empty object changes nothing below a field that may be changed in part.
            Value::Object(fields) if fields.is_empty() && self.may_change_below(at) => {}
            Value::Object(fields) if !fields.is_empty() => fields.iter().for_each(|(name, value)| {
                // A directive of a strategic merge patch: `$patch` changes the object that it is in, and
                // `$deleteFromPrimitiveList/finalizers` changes the field `finalizers`.
                let directive = name.strip_prefix('$').filter(|_| self.is_strategic);
                match directive.map(|directive| directive.split_once('/')) {
                    None => self.below(name, value, at),
                    Some(Some((_, field))) => self.below(field, &Value::Null, at),
                    Some(None) => self.add(at),
                }
            }),
            // A strategic merge patch merges the elements of a list. A JSON merge patch replaces the list.
            Value::Array(elements) if self.is_strategic && elements.iter().any(Value::is_object) => {
                elements.iter().for_each(|element| self.visit(element, at));
            }
            _ => self.add(at),
        }
    }

    fn below(&mut self, name: &str, value: &Value, at: &mut Vec<String>) {
        at.push(name.to_owned());
        self.visit(value, at);
        at.pop();
    }

    /// Returns whether the patch may change a field below the one with the steps `at`.
    fn may_change_below(&self, at: &[String]) -> bool {
        let begins = |path: &FieldPath| at.len() <= path.0.len() && path.0.iter().zip(at).all(|(a, b)| **a == **b);
        self.paths.iter().any(begins)
    }

    fn add(&mut self, at: &[String]) {
        let path = text_of(at);
        if self.outside.len() < MOST_OUTSIDE && !self.outside.contains(&path) {
            self.outside.push(path);
        }
    }
}

/// Returns the object with only these fields. Absent and null fields are omitted, and so are objects that would
/// contain only such fields.
#[must_use]
pub fn pruned<P: Borrow<FieldPath>>(object: &Value, paths: &[P]) -> Value {
    // Reading from a JSON value cannot fail.
    select(object, paths).unwrap_or_else(|_| empty_object())
}

/// Returns the object in a JSON text with only these fields. Skips the other fields without building them.
///
/// # Errors
/// The text is not JSON.
pub fn pruned_text<P: Borrow<FieldPath>>(text: &str, paths: &[P]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let pruned = select(&mut reader, paths)?;
    reader.end()?;
    Ok(pruned)
}

fn select<'de, D: Deserializer<'de>, P: Borrow<FieldPath>>(object: D, paths: &[P]) -> Result<Value, D::Error> {
    let below = paths.iter().map(|path| &*path.borrow().0).collect();
    Ok(Selection { below }.deserialize(object)?.unwrap_or_else(empty_object))
}

fn empty_object() -> Value {
    Value::Object(Map::new())
}

/// Deserializes the parts of a value that the paths in `below` select. The result is `None` if the paths select
/// nothing. The paths start at the value.
struct Selection<'a> {
    below: Vec<&'a [Box<str>]>,
}

impl<'de> DeserializeSeed<'de> for &Selection<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Option<Value>, D::Error> {
        if self.below.is_empty() {
            return IgnoredAny::deserialize(value).map(|_| None);
        }
        if self.below.iter().any(|path| path.is_empty()) {
            return Value::deserialize(value).map(|value| (!value.is_null()).then_some(value));
        }
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &Selection<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<Value>, A::Error> {
        let mut kept = Map::new();
        while let Some((key, below)) = fields.next_key_seed(Key(self))? {
            if let Some(value) = fields.next_value_seed(&below)? {
                kept.insert(key, value);
            }
        }
        Ok((!kept.is_empty()).then_some(Value::Object(kept)))
    }

    /// Keeps an element without any of the selected fields as an empty object, so that the positions of the other
    /// elements do not change.
    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Option<Value>, A::Error> {
        let mut kept = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            kept.push(element.unwrap_or_else(empty_object));
        }
        Ok(Some(Value::Array(kept)))
    }

    // A scalar has no fields, so the paths select nothing in a scalar.

    fn visit_unit<E>(self) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Option<Value>, E> {
        Ok(None)
    }
}

/// Reads the name of a field, and returns the name with the paths below the field. If no path leads to the field,
/// returns an empty name, which saves an allocation.
struct Key<'k, 'a>(&'k Selection<'a>);

impl<'de, 'a> DeserializeSeed<'de> for Key<'_, 'a> {
    type Value = (String, Selection<'a>);

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Key<'_, 'a> {
    type Value = (String, Selection<'a>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        let steps = self.0.below.iter().filter_map(|path| path.split_first());
        let below: Vec<_> = steps.filter(|(step, _)| ***step == *key).map(|(_, rest)| rest).collect();
        let name = if below.is_empty() { String::new() } else { key.to_owned() };
        Ok((name, Selection { below }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_parsed_or_refused() {
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
    fn a_path_is_written_as_it_is_read() {
        for path in ["spec.selector", r#"metadata.annotations["example.com/a.b"]"#, r#"a["b.c"]["d$"].e"#] {
            assert_eq!(FieldPath::parse(path).unwrap().to_string(), path);
        }
    }

    #[test]
    fn changes_outside_of_the_given_fields_are_found() {
        let paths = ["status", r#"metadata.annotations["a/b"]"#, "spec.list.name"];
        let paths: Vec<FieldPath> = paths.iter().map(|path| FieldPath::parse(path).unwrap()).collect();
        let cases: &[(Value, &[&str], &[&str])] = &[
            (json!({"status": {"phase": "x"}}), &[], &[]),
            (json!({"status": null}), &[], &[]),
            (json!({"metadata": {"annotations": {"a/b": "1"}, "uid": "u", "resourceVersion": "3"}}), &[], &[]),
            (json!({"metadata": {"annotations": {}}}), &[], &[]),
            (json!({"metadata": {"labels": {}}}), &["metadata.labels"], &["metadata.labels"]),
            (json!({"metadata": {"annotations": null}}), &["metadata.annotations"], &["metadata.annotations"]),
            (
                json!({"metadata": {"annotations": {"a/c": null, "d": "1"}}}),
                &["metadata.annotations.a/c", "metadata.annotations.d"],
                &["metadata.annotations.a/c", "metadata.annotations.d"],
            ),
            (json!({"status": {}, "spec": 1}), &["spec"], &["spec"]),
            (json!({"spec": {"list": [{"name": "x"}]}}), &["spec.list"], &[]),
            (json!({"spec": {"list": [{"name": "x", "image": "i"}]}}), &["spec.list"], &["spec.list.image"]),
            (json!({"spec": {"list": [{"name": "x"}, {"$patch": "delete"}]}}), &["spec.list"], &["spec.list"]),
            (json!({"status": {"$patch": "replace"}}), &[], &[]),
            (json!({"$patch": "replace"}), &["$patch"], &[""]),
            (json!({"$deleteFromPrimitiveList/status": ["x"]}), &["$deleteFromPrimitiveList/status"], &[]),
            (json!({"metadata": {"$retainKeys": ["uid"]}}), &["metadata[\"$retainKeys\"]"], &["metadata"]),
            (json!("text"), &[""], &[""]),
            (json!([]), &[""], &[""]),
            (json!({}), &[], &[]),
        ];
        for (patch, merge, strategic) in cases {
            assert_eq!(fields_outside(patch, &paths, false), *merge, "merge patch {patch}");
            assert_eq!(fields_outside(patch, &paths, true), *strategic, "strategic merge patch {patch}");
        }
        let many: Map<String, Value> = (0..100).map(|n| (n.to_string(), Value::Null)).collect();
        assert_eq!(fields_outside(&many.into(), &paths, false).len(), MOST_OUTSIDE);
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
            assert_eq!(pruned_text(&object.to_string(), &paths).unwrap(), expected, "{paths:?}");
        }
        for broken in ["", "{", r#"{"spec": }"#, "{} {}"] {
            let paths = [FieldPath::parse("spec").unwrap()];
            assert!(pruned_text(broken, &paths).is_err(), "{broken}");
        }
    }
}
