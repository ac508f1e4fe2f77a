//! Reads objects of kinds beyond pods and nodes: the name, and the fields that plugins read.

use std::sync::Arc;

use berth_core::model::{Object, ObjectKey, ObjectKind, ObjectReads};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Notes;
use super::json::partial;
use crate::fields::{FieldPath, pruned_text};

/// The largest size of an object's declared fields as JSON, in bytes. The plugin contract sets this limit.
const LARGEST: usize = 1 << 20;

/// The part of an object that is always parsed.
#[derive(serde::Deserialize)]
struct Identified {
    metadata: Identity,
}

partial! {
    Identity {
        name: Box<str>,
        namespace: Box<str>,
        uid: Box<str>,
        resource_version: Box<str>,
    }
}

/// An object of any kind. Only the identity of the object is parsed; the rest stays text until [`ObjectReader::read`]
/// picks the declared fields.
#[derive(Clone, Debug)]
pub struct RawObject {
    identity: Identity,
    text: Box<RawValue>,
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let Identified { metadata } = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        Ok(Self { identity: metadata, text })
    }
}

impl RawObject {
    /// Returns `metadata.resourceVersion`.
    #[inline]
    #[must_use]
    pub fn resource_version(&self) -> &str {
        &self.identity.resource_version
    }
}

/// Reads objects of one kind, pruned to the declared fields.
#[derive(Clone, Debug)]
pub struct ObjectReader {
    kind: Arc<ObjectKind>,
    paths: Vec<FieldPath>,
}

impl ObjectReader {
    /// Creates a reader for these fields. Ignores invalid paths, because the declaration of a plugin with an invalid
    /// path is rejected earlier.
    #[must_use]
    pub fn new(reads: &ObjectReads) -> Self {
        let paths = reads.fields.iter().filter_map(|path| FieldPath::parse(path).ok()).collect();
        Self { kind: Arc::clone(&reads.kind), paths }
    }

    /// Returns the object's key.
    #[must_use]
    pub fn key(&self, object: &RawObject) -> ObjectKey {
        let Identity { namespace, name, .. } = &object.identity;
        ObjectKey { kind: Arc::clone(&self.kind), namespace: namespace.clone(), name: name.clone() }
    }

    /// Returns the object with its declared fields. If these fields have more than 1 MiB, the object has no fields, and
    /// `notes` gets the reason.
    #[must_use]
    pub fn read(&self, object: &RawObject, notes: &mut Notes) -> Object {
        let fields = self.fields(object.text.get(), notes);
        Object { key: self.key(object), uid: object.identity.uid.clone(), fields }
    }

    fn fields(&self, text: &str, notes: &mut Notes) -> Arc<str> {
        // The text is valid JSON, because the deserialization of `RawObject` has parsed it. So this call cannot fail.
        let fields = without_managed_fields(pruned_text(text, &self.paths).unwrap_or_default()).to_string();
        if fields.len() <= LARGEST {
            return fields.into();
        }
        let size = fields.len();
        notes.add("the declared fields", format_args!("{size} bytes, more than {LARGEST}; plugins see no field of it"));
        "{}".into()
    }
}

/// Returns the object without `metadata.managedFields`, which often is half of an object's metadata. No plugin needs
/// the field.
pub(super) fn without_managed_fields(mut object: Value) -> Value {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_keeps_the_fields_that_plugins_read() {
        let object = json!({
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "pv", "uid": "1", "resourceVersion": "7", "managedFields": [{"manager": "m"}]},
            "spec": {"csi": {"driver": "d"}, "capacity": {"storage": "1Gi"}},
        });
        let read: RawObject = serde_json::from_str(&object.to_string()).unwrap();
        assert_eq!(read.resource_version(), "7");
        let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: "PersistentVolume".into() });
        let reads = |fields: &[&str]| ObjectReads {
            kind: Arc::clone(&kind),
            fields: fields.iter().map(|field| (*field).into()).collect(),
        };
        for (fields, expected) in [
            (&["spec.csi"][..], r#"{"spec":{"csi":{"driver":"d"}}}"#),
            (&["metadata"], r#"{"metadata":{"name":"pv","resourceVersion":"7","uid":"1"}}"#),
            (&["metadata.managedFields"], r#"{"metadata":{}}"#),
            (&[], "{}"),
        ] {
            let object = ObjectReader::new(&reads(fields)).read(&read, &mut Notes::default());
            assert_eq!((&*object.key.name, &*object.uid), ("pv", "1"));
            assert_eq!(&*object.fields, expected, "{fields:?}");
        }
        assert!(serde_json::from_str::<RawObject>(r#"{"metadata": 3}"#).is_err());
    }
}
