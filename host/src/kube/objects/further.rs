//! Objects of further kinds, as plugins are to see them: a name, and the fields that somebody reads.

use std::sync::Arc;

use ::kube::ResourceExt;
use ::kube::api::DynamicObject;
use berth_core::model::{Object, ObjectKey, ObjectKind, ObjectReads};
use tracing::warn;

use crate::fields::{FieldPath, pruned};

/// The fields of one object take no more than this, as the contract says.
const LARGEST: usize = 1 << 20;

/// Reads objects of one kind.
#[derive(Clone, Debug)]
pub struct FurtherKind {
    kind: Arc<ObjectKind>,
    paths: Vec<FieldPath>,
}

impl FurtherKind {
    /// As far as these fields. Paths that can't be read are left out: they were refused where a plugin declared them.
    #[must_use]
    pub fn new(reads: &ObjectReads) -> Self {
        let paths = reads.fields.iter().filter_map(|path| FieldPath::parse(path).ok()).collect();
        Self { kind: Arc::clone(&reads.kind), paths }
    }

    /// What tells it from others.
    #[must_use]
    pub fn key(&self, object: &DynamicObject) -> ObjectKey {
        let namespace = object.namespace().unwrap_or_default().into();
        ObjectKey { kind: Arc::clone(&self.kind), namespace, name: object.name_any().into() }
    }

    /// The object, pruned. One that is too large comes without fields, with a warning.
    #[must_use]
    pub fn read(&self, object: DynamicObject) -> Object {
        let key = self.key(&object);
        let uid = object.uid().unwrap_or_default().into();
        let fields = self.fields(&key, object);
        Object { key, uid, fields }
    }

    fn fields(&self, key: &ObjectKey, mut object: DynamicObject) -> Arc<str> {
        object.metadata.managed_fields = None;
        // What was read from JSON can be written as such.
        let whole = serde_json::to_value(object).unwrap_or_default();
        let fields = pruned(&whole, &self.paths).to_string();
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
