//! Fields of pods and nodes that plugins name by their paths.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The largest size of an object's named fields as JSON, in bytes, for one plugin. The plugin contract sets this limit.
const LARGEST: usize = 1 << 20;

/// The fields of a pod or node that plugins name by their paths, in the syntax of the contract's `objects.kind.fields`.
/// Equal objects can share one value. Without any field, there is no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NamedFields(Option<Arc<[NamedField]>>);

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NamedField {
    /// The path, as the plugin wrote it.
    pub path: Arc<str>,
    /// The object with this field alone, as JSON in the structure of the object.
    pub json: Box<str>,
}

impl NamedFields {
    /// Creates a value from the fields that the object has. If a path occurs several times, its first entry stays.
    #[must_use]
    pub fn new(mut fields: Vec<NamedField>) -> Self {
        fields.sort_by(|a, b| a.path.cmp(&b.path));
        fields.dedup_by(|a, b| a.path == b.path);
        Self((!fields.is_empty()).then(|| fields.into()))
    }

    /// Returns equal fields whose memory is the result of `share`.
    #[must_use]
    pub fn shared(self, share: impl FnOnce(Arc<[NamedField]>) -> Arc<[NamedField]>) -> Self {
        Self(self.0.map(share))
    }

    /// Returns the fields, in the order of their paths.
    #[must_use]
    pub fn all(&self) -> &[NamedField] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns the object with the field of this path alone, or `None` if the object does not have the field.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&str> {
        let fields = self.all();
        let at = fields.binary_search_by(|field| (*field.path).cmp(path)).ok()?;
        Some(&fields[at].json)
    }

    /// Returns the object with these fields, as JSON: `pod.fields` and `node.fields` in the contract. The text is empty
    /// if `paths` is empty, and `{}` if the object has none of the fields or if they have more than 1 MiB.
    #[must_use]
    pub fn json<P: AsRef<str>>(&self, paths: &[P]) -> String {
        const NONE: &str = "{}";
        let mut found = paths.iter().filter_map(|path| self.get(path.as_ref()));
        let text = match (paths, found.next(), found.next()) {
            ([], ..) => String::new(),
            (_, None, _) => NONE.to_owned(),
            (_, Some(only), None) => only.to_owned(),
            (_, Some(first), Some(second)) => {
                let mut merged = Value::Object(Map::new());
                // The texts are JSON, because `NamedField::json` is made from a JSON value.
                let values = [first, second].into_iter().chain(found).flat_map(serde_json::from_str);
                values.for_each(|value| merge(&mut merged, value));
                merged.to_string()
            }
        };
        if text.len() > LARGEST { NONE.to_owned() } else { text }
    }
}

impl Serialize for NamedFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.all())
    }
}

impl<'de> Deserialize<'de> for NamedFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::new)
    }
}

/// Adds the fields of `more` to `to`. Both are parts of the same object. An element of a list that has none of the
/// selected fields is an empty object in such a part, whatever the element is.
fn merge(to: &mut Value, more: Value) {
    match (to, more) {
        (Value::Object(to), Value::Object(more)) => {
            for (name, value) in more {
                match to.get_mut(&name) {
                    Some(known) => merge(known, value),
                    None => drop(to.insert(name, value)),
                }
            }
        }
        (Value::Array(to), Value::Array(more)) => to.iter_mut().zip(more).for_each(|(to, more)| merge(to, more)),
        (to, more) if to.as_object().is_some_and(Map::is_empty) => *to = more,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(of: &[(&str, &str)]) -> NamedFields {
        NamedFields::new(
            of.iter().map(|(path, json)| NamedField { path: (*path).into(), json: (*json).into() }).collect(),
        )
    }

    #[test]
    fn the_fields_of_some_paths_make_one_object() {
        let has = fields(&[
            ("spec.b", r#"{"spec":{"b":2}}"#),
            ("spec.a", r#"{"spec":{"a":{"x":1}}}"#),
            ("spec.c.n", r#"{"spec":{"c":[{"n":1},{}]}}"#),
            ("spec.c.m", r#"{"spec":{"c":[{},{"m":2}]}}"#),
            ("spec.d.e", r#"{"spec":{"d":[{}]}}"#),
            ("spec.d", r#"{"spec":{"d":["text"]}}"#),
        ]);
        for (paths, expected) in [
            (&[][..], ""),
            (&["spec.none"][..], "{}"),
            (&["spec.a", "spec.none"], r#"{"spec":{"a":{"x":1}}}"#),
            (&["spec.a", "spec.b"], r#"{"spec":{"a":{"x":1},"b":2}}"#),
            (&["spec.c.m", "spec.c.n"], r#"{"spec":{"c":[{"n":1},{"m":2}]}}"#),
            (&["spec.d", "spec.d.e"], r#"{"spec":{"d":["text"]}}"#),
            (&["spec.d.e", "spec.d"], r#"{"spec":{"d":["text"]}}"#),
        ] {
            assert_eq!(has.json(paths), expected, "{paths:?}");
        }
    }

    #[test]
    fn fields_above_the_limit_are_left_out() {
        let text = |size: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(size));
        for (size, whole) in [(10, true), (LARGEST, false)] {
            let json = fields(&[("a", &text(size)), ("b", r#"{"b":1}"#)]).json(&["a"]);
            assert_eq!(json, if whole { text(size) } else { "{}".to_owned() });
        }
    }

    #[test]
    fn no_field_takes_no_memory() {
        assert_eq!(NamedFields::new(Vec::new()), NamedFields::default());
        assert!(fields(&[]).0.is_none());
    }
}
