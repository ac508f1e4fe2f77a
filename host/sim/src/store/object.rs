//! One stored object: its JSON once, as bytes, and beside it only what lists and watches select by.

use serde_json::Value;

use crate::selectors::Selectable;

/// What precedes an object's resource version in every rendering, for one served API version and kind.
///
/// An object is kept without its `apiVersion`, `kind` and resource version, since the first two differ between the
/// API versions it is served in, and the last is known only inside the write lock.
#[derive(Debug, Clone)]
pub struct Head {
    full: Box<str>,
}

/// The opening of an object that is an item of a list of built-in kinds, which carries no `apiVersion` and `kind`.
const ITEM: &str = r#"{"metadata":{"resourceVersion":""#;

impl Head {
    /// The head of objects of `kind` in `api_version`, such as `apps/v1`.
    pub fn new(api_version: &str, kind: &str) -> Self {
        let full = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"resourceVersion":""#);
        Self { full: full.into() }
    }
}

/// A few strings in one allocation, separated by NUL, which no label or name may hold; from a field it is left out.
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

    /// The parts in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator('\0')
    }
}

/// A version of an object as the store keeps it; shared, never changed.
#[derive(Debug)]
pub struct Object {
    key: Box<str>,
    rv: u64,
    labels: Packed,
    fields: Packed,
    /// The JSON after `"resourceVersion":"N"`, from the comma on to the object's closing brace.
    tail: Box<[u8]>,
}

impl Object {
    /// Makes the stored form of `value`, whose `metadata.name` and, where it is namespaced, `metadata.namespace` are
    /// set. `fields` are those that field selectors of its kind may name.
    ///
    /// The resource version is 0 until the collection writes it.
    pub fn new(mut value: Value, fields: &[Selectable]) -> Self {
        let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let namespace = value.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
        let key = key(namespace, name).into_boxed_str();
        let labels = match value.pointer("/metadata/labels").and_then(Value::as_object) {
            Some(map) => Packed::new(map.iter().flat_map(|(k, v)| [k.as_str(), v.as_str().unwrap_or_default()])),
            None => Packed::default(),
        };
        let texts: Vec<String> = fields.iter().map(|field| field.text_of(&value)).collect();
        let fields = Packed::new(texts.iter().map(String::as_str));
        let tail = tail_of(&mut value).into_boxed_slice();
        Self { key, rv: 0, labels, fields, tail }
    }

    /// The same object with the resource version of its write.
    pub(crate) fn at(mut self, rv: u64) -> Self {
        self.rv = rv;
        self
    }

    /// `NAMESPACE/NAME`; the namespace is empty for a cluster-wide kind.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The namespace, empty for a cluster-wide kind.
    pub fn namespace(&self) -> &str {
        self.key.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.key.split_once('/').map_or(&self.key, |(_, name)| name)
    }

    /// The resource version of this version.
    pub fn rv(&self) -> u64 {
        self.rv
    }

    /// `metadata.labels` as pairs.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut parts = self.labels.iter();
        std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
    }

    /// The value of the kind's selectable field number `index`; empty where the object has none.
    pub fn field(&self, index: usize) -> &str {
        self.fields.iter().nth(index).unwrap_or_default()
    }

    /// Bytes that this version holds in memory, roughly.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.key.len() + self.labels.0.len() + self.fields.0.len() + self.tail.len()
    }

    /// True where `other` differs in nothing but the resource version.
    pub fn same_content(&self, other: &Self) -> bool {
        self.tail == other.tail
    }

    /// Appends the object's JSON with its `apiVersion` and `kind`, showing resource version `rv`.
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
        out.extend_from_slice(&self.tail);
    }

    /// The object as a JSON tree, showing resource version `rv`.
    pub fn value_at(&self, head: &Head, rv: u64) -> Value {
        let mut bytes = Vec::with_capacity(self.tail.len() + 160);
        self.write_full(head, rv, &mut bytes);
        // The bytes were written from a tree by this file, so they parse.
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// The object as a JSON tree.
    pub fn value(&self, head: &Head) -> Value {
        self.value_at(head, self.rv)
    }
}

/// The store's key of an object: `NAMESPACE/NAME`.
pub fn key(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

/// Serializes `value` without `apiVersion`, `kind` and resource version, from the comma after the latter on.
fn tail_of(value: &mut Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    let Some(object) = value.as_object_mut() else { return b"}}".to_vec() };
    for hidden in ["apiVersion", "kind"] {
        object.remove(hidden);
    }
    let metadata = object.remove("metadata").unwrap_or_default();
    for (name, field) in metadata.as_object().into_iter().flatten() {
        if name != "resourceVersion" {
            write_member(&mut out, name, field);
        }
    }
    out.push(b'}');
    for (name, field) in object.iter() {
        write_member(&mut out, name, field);
    }
    out.push(b'}');
    out
}

fn write_member(out: &mut Vec<u8>, name: &str, value: &Value) {
    out.push(b',');
    // A JSON tree always serializes, and writing to a Vec can't fail.
    let _ = serde_json::to_writer(&mut *out, name);
    out.push(b':');
    let _ = serde_json::to_writer(&mut *out, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn renders_what_it_was_made_from() {
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
