//! Reads objects of kinds beyond pods and nodes: the name, and the fields that plugins read.

use std::borrow::Cow;
use std::sync::Arc;

use ::kube::Resource;
use ::kube::api::ApiResource;
use ::kube::core::DynamicResourceScope;
use berth_core::model::{Object, ObjectKey, ObjectKind, ObjectReads};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta as FullMeta;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;
use serde_json::value::RawValue;
use tracing::warn;

use super::observed::Identity;
use crate::list::Listed;
use berth_apimachinery::fields::{FieldPath, pruned_text};

/// The largest size of an object's fields in bytes. The plugin contract sets it.
const LARGEST: usize = 1 << 20;

/// An object of any kind. Only its metadata is parsed; the rest stays text until [`FurtherKind::read`] picks the
/// declared fields.
#[derive(Clone, Debug)]
pub struct FurtherObject {
    metadata: FullMeta,
    text: Box<RawValue>,
}

impl<'de> Deserialize<'de> for FurtherObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let Identity { metadata } = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        Ok(Self { metadata: metadata.identity(), text })
    }
}

/// Custom resources have no protobuf form, and plugins get other kinds as JSON as well.
impl Listed for FurtherObject {
    const FROM_PROTOBUF: Option<fn(&[u8]) -> Self> = None;
}

impl Resource for FurtherObject {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(resource: &ApiResource) -> Cow<'_, str> {
        resource.kind.as_str().into()
    }

    fn group(resource: &ApiResource) -> Cow<'_, str> {
        resource.group.as_str().into()
    }

    fn version(resource: &ApiResource) -> Cow<'_, str> {
        resource.version.as_str().into()
    }

    fn plural(resource: &ApiResource) -> Cow<'_, str> {
        resource.plural.as_str().into()
    }

    fn meta(&self) -> &FullMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut FullMeta {
        &mut self.metadata
    }
}

/// Reads objects of one kind, pruned to the declared fields.
#[derive(Clone, Debug)]
pub struct FurtherKind {
    kind: Arc<ObjectKind>,
    paths: Vec<FieldPath>,
}

impl FurtherKind {
    /// Creates a reader for these fields. Invalid paths are ignored: they were refused when the plugin declared them.
    #[must_use]
    pub fn new(reads: &ObjectReads) -> Self {
        let paths = reads.fields.iter().filter_map(|path| FieldPath::parse(path).ok()).collect();
        Self { kind: Arc::clone(&reads.kind), paths }
    }

    /// Returns the object's key.
    #[must_use]
    pub fn key(&self, object: &FurtherObject) -> ObjectKey {
        let text = |text: &Option<String>| text.as_deref().unwrap_or_default().into();
        let FullMeta { namespace, name, .. } = &object.metadata;
        ObjectKey { kind: Arc::clone(&self.kind), namespace: text(namespace), name: text(name) }
    }

    /// Returns the object with its declared fields. An object that is too large has no fields, and a warning is
    /// logged.
    #[must_use]
    pub fn read(&self, object: &FurtherObject) -> Object {
        let key = self.key(object);
        let uid = object.metadata.uid.as_deref().unwrap_or_default().into();
        let fields = self.fields(&key, object.text.get());
        Object { key, uid, fields }
    }

    fn fields(&self, key: &ObjectKey, text: &str) -> Arc<str> {
        // The text was parsed as JSON before.
        let mut fields = pruned_text(text, &self.paths).unwrap_or_default();
        // managedFields often is half of an object's metadata, and no plugin needs it.
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        let fields = fields.to_string();
        if fields.len() <= LARGEST {
            return fields.into();
        }
        warn!(
            "{key}: what plugins read of it has {} bytes, more than {LARGEST}: they see it without fields",
            fields.len()
        );
        "{}".into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_an_object_that_is_read_which_plugins_read() {
        let object = json!({
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "pv", "uid": "1", "resourceVersion": "7", "managedFields": [{"manager": "m"}]},
            "spec": {"csi": {"driver": "d"}, "capacity": {"storage": "1Gi"}},
        });
        let read: FurtherObject = serde_json::from_str(&object.to_string()).unwrap();
        assert_eq!(read.meta().resource_version.as_deref(), Some("7"));
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
            let object = FurtherKind::new(&reads(fields)).read(&read);
            assert_eq!((&*object.key.name, &*object.uid), ("pv", "1"));
            assert_eq!(&*object.fields, expected, "{fields:?}");
        }
        assert!(serde_json::from_str::<FurtherObject>(r#"{"metadata": 3}"#).is_err());
    }
}
