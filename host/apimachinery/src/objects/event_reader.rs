//! Reads whole objects (JSON) into the core's events, for callers without an informer.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::Event;
use berth_core::model::{ObjectKind, ObjectReads, Pod, PodKey};
use serde_json::Value;

use super::{NodeObject, NodeParts, Notes, ObjectReader, Observed, PartialObject, PodObject, PodParts, Unreadable};

/// The reason why an object can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The object has no valid metadata.
    #[error("no valid metadata: {0}")]
    Metadata(#[from] serde_json::Error),
    /// A field of the object is invalid.
    #[error(transparent)]
    Field(#[from] Unreadable),
}

/// Reads objects as informers do: equal parts of pods and nodes are shared, and objects of kinds other than Pod and Node are
/// reduced to the fields that plugins read.
#[derive(Default)]
pub struct EventReader {
    kinds: BTreeMap<Arc<ObjectKind>, ObjectReader>,
    pod_parts: PodParts,
    node_parts: NodeParts,
}

impl EventReader {
    /// Registers a kind and its fields that plugins read. [`berth_core::Action::Watch`] contains the kind and the
    /// fields.
    pub fn watch(&mut self, reads: &ObjectReads) {
        self.kinds.insert(Arc::clone(&reads.kind), ObjectReader::new(reads));
    }

    /// Returns the event for an object that was added or changed, or `None` for a kind that no plugin reads. `notes`
    /// receives the invalid fields, which the event leaves out.
    ///
    /// # Errors
    /// The object can't be read.
    pub fn set(&self, object: &Value, notes: &mut Notes) -> Result<Option<Event>, ReadError> {
        Ok(match text(object, "kind") {
            "Node" => Some(Event::NodeSet(Arc::new(read::<NodeObject>(object)?.into_model(&self.node_parts, notes)))),
            "Pod" => Some(Event::PodSet(Arc::new(self.pod(object, notes)?))),
            _ => match self.kinds.get(&kind(object)) {
                Some(kind) => {
                    let raw = serde_json::from_str(&object.to_string())?;
                    Some(Event::ObjectSet(Arc::new(kind.read(&raw, notes))))
                }
                None => None,
            },
        })
    }

    /// Returns the event for an object that was removed, or `None` for a kind that no plugin reads.
    ///
    /// # Errors
    /// The object can't be read.
    pub fn removed(&self, object: &Value) -> Result<Option<Event>, ReadError> {
        let metadata = &object["metadata"];
        let field = |name: &str| -> Box<str> { text(metadata, name).into() };
        Ok(match text(object, "kind") {
            "Node" => Some(Event::NodeRemoved(field("name"))),
            "Pod" => Some(Event::PodRemoved(PodKey {
                namespace: field("namespace"),
                name: field("name"),
                uid: field("uid"),
            })),
            _ => match self.kinds.get(&kind(object)) {
                Some(kind) => Some(Event::ObjectRemoved(kind.key(&serde_json::from_str(&object.to_string())?))),
                None => None,
            },
        })
    }

    /// Reads a pod.
    ///
    /// # Errors
    /// The pod can't be read.
    pub fn pod(&self, object: &Value, notes: &mut Notes) -> Result<Pod, ReadError> {
        Ok(read::<PodObject>(object)?.into_model(&self.pod_parts, notes))
    }
}

/// Parses the object as an informer does.
fn read<T: PartialObject>(object: &Value) -> Result<T, ReadError> {
    let observed: Observed<T> = serde_json::from_str(&object.to_string())?;
    Ok(observed.object?)
}

fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_default()
}

fn kind(object: &Value) -> ObjectKind {
    ObjectKind { api_version: text(object, "apiVersion").into(), kind: text(object, "kind").into() }
}
