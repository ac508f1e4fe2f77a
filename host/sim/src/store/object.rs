//! A stored object: its JSON as bytes, and the labels and fields that lists and watches select by.

use serde_json::Value;

use super::chunks::Chunks;
use super::tail::Tail;
use crate::selectors::Selectable;

/// The JSON in front of an object's resource version, for one served API version and kind.
///
/// The store keeps objects without `apiVersion`, `kind` and resource version. The first two depend on the served API
/// version, and the resource version is known only under the write lock.
#[derive(Debug, Clone)]
pub struct Head {
    full: Box<str>,
}

/// The JSON in front of the resource version for an item of a list of a built-in kind. Such items have no
/// `apiVersion` and no `kind`.
const ITEM: &str = r#"{"metadata":{"resourceVersion":""#;

impl Head {
    /// Returns the head of objects of `kind` in `api_version`, such as `apps/v1`.
    pub fn new(api_version: &str, kind: &str) -> Self {
        let full = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"resourceVersion":""#);
        Self { full: full.into() }
    }
}

/// Several strings in one allocation, each followed by NUL. [`Packed::new`] removes NUL from the strings. Only the
/// value of a selectable field can contain NUL, because a label cannot.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Packed(Box<str>);

impl Packed {
    /// Packs `parts` in their order.
    pub fn new<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        for part in parts {
            text.extend(part.chars().filter(|c| *c != '\0'));
            text.push('\0');
        }
        Self(text.into())
    }

    /// Returns the parts in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator('\0')
    }
}

/// An immutable version of an object in the store.
#[derive(Debug)]
pub struct Object {
    key: Box<str>,
    rv: u64,
    labels: Packed,
    fields: Packed,
    /// The JSON after `"resourceVersion":"N"`.
    tail: Tail,
}

impl Object {
    /// Returns the stored form of `value`, which has a `metadata.name` and, for a namespaced kind, a
    /// `metadata.namespace`. `fields` are the selectable fields of the kind.
    ///
    /// The resource version is 0 until the collection writes the object.
    pub fn new(value: Value, fields: &[Selectable]) -> Self {
        Self::sharing(value, fields, None)
    }

    /// Returns the same object as [`Object::new`]. It shares the pieces of its JSON that other objects have too.
    pub fn sharing(value: Value, fields: &[Selectable], chunks: Option<&Chunks>) -> Self {
        let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let namespace = value.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
        let key = key(namespace, name).into_boxed_str();
        let labels = match value.pointer("/metadata/labels").and_then(Value::as_object) {
            Some(map) => Packed::new(map.iter().flat_map(|(k, v)| [k.as_str(), v.as_str().unwrap_or_default()])),
            None => Packed::default(),
        };
        let texts: Vec<String> = fields.iter().map(|field| field.text_of(&value)).collect();
        let fields = Packed::new(texts.iter().map(String::as_str));
        let tail = Tail::of(value, chunks);
        Self { key, rv: 0, labels, fields, tail }
    }

    /// Returns the object with the resource version of its write.
    pub(crate) fn at(mut self, rv: u64) -> Self {
        self.rv = rv;
        self
    }

    /// Returns `NAMESPACE/NAME`; the namespace is empty for a cluster-wide kind.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the namespace, which is empty for a cluster-wide kind.
    pub fn namespace(&self) -> &str {
        self.key.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// Returns `metadata.name`.
    pub fn name(&self) -> &str {
        self.key.split_once('/').map_or(&self.key, |(_, name)| name)
    }

    /// Returns the resource version.
    pub fn rv(&self) -> u64 {
        self.rv
    }

    /// Returns `metadata.labels` as pairs.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut parts = self.labels.iter();
        std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
    }

    /// Returns the value of the selectable field at `index` in the `fields` given to [`Object::new`]; empty if the
    /// object has no value for the field.
    pub fn field(&self, index: usize) -> &str {
        self.fields.iter().nth(index).unwrap_or_default()
    }

    /// Returns the approximate memory in bytes that only this version takes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.key.len() + self.labels.0.len() + self.fields.0.len() + self.tail.own_size()
    }

    /// Returns true if `other` differs at most in its resource version.
    pub fn same_content(&self, other: &Self) -> bool {
        self.tail == other.tail
    }

    /// Appends the object's JSON with `apiVersion`, `kind` and resource version `rv`.
    pub fn write_full(&self, head: &Head, rv: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(head.full.as_bytes());
        self.write_rest(rv, out);
    }

    /// Appends the object's JSON as an item of a list, without `apiVersion` and `kind`.
    pub fn write_item(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(ITEM.as_bytes());
        self.write_rest(self.rv, out);
    }

    fn write_rest(&self, rv: u64, out: &mut Vec<u8>) {
        use std::io::Write;
        out.reserve(self.tail.len() + 24);
        // Writing to a Vec can't fail.
        let _ = write!(out, "{rv}\"");
        self.tail.write(out);
    }

    /// Returns the object as a JSON tree with resource version `rv`.
    pub fn value_at(&self, head: &Head, rv: u64) -> Value {
        let mut bytes = Vec::with_capacity(self.tail.len() + 160);
        self.write_full(head, rv, &mut bytes);
        // This file wrote the bytes from a JSON tree, so they parse.
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Returns the object as a JSON tree.
    pub fn value(&self, head: &Head) -> Value {
        self.value_at(head, self.rv)
    }
}

/// Returns the store's key of an object: `NAMESPACE/NAME`.
pub fn key(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_renders_its_source() {
        let value = json!({"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "n1"},
            "metadata": {"name": "a", "namespace": "default", "resourceVersion": "3", "labels": {"app": "x", "b": ""}}});
        let object = Object::new(value, &[Selectable::text("spec.nodeName"), Selectable::text("status.phase")]).at(7);
        assert_eq!((object.namespace(), object.name(), object.rv()), ("default", "a", 7));
        assert_eq!((object.field(0), object.field(1)), ("n1", ""));
        assert_eq!(object.labels().collect::<Vec<_>>(), [("app", "x"), ("b", "")]);
        let shown = object.value(&Head::new("v1", "Pod"));
        assert_eq!(shown["metadata"]["resourceVersion"], "7");
        assert_eq!((&shown["kind"], &shown["spec"]["nodeName"]), (&json!("Pod"), &json!("n1")));
        let mut item = Vec::new();
        object.write_item(&mut item);
        let item: Value = serde_json::from_slice(&item).unwrap();
        assert!(item.get("kind").is_none());
        assert_eq!(item["metadata"]["name"], "a");
    }
}
