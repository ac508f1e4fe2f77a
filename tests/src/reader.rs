//! Reads objects into the events that the core gets.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use berth_apimachinery::objects::{NodeObject, Notes, ObjectReader, Observed, PartialObject, PodObject, PodParts};
use berth_core::Event;
use berth_core::model::{ObjectKind, ObjectReads, Pod, PodKey};
use serde_json::Value;

/// Reads objects as informers do: equal parts of pods are shared, and further kinds are reduced to the fields that
/// plugins read.
#[derive(Default)]
pub struct Reader {
    further: BTreeMap<Arc<ObjectKind>, ObjectReader>,
    parts: PodParts,
}

impl Reader {
    /// Registers a kind and the fields of it that a plugin reads.
    pub fn wants(&mut self, reads: &ObjectReads) {
        self.further.insert(Arc::clone(&reads.kind), ObjectReader::new(reads));
    }

    /// Returns the event for an object that was added or changed, or `None` for a kind that no plugin reads.
    ///
    /// # Errors
    /// Returns an error if the object can't be read.
    pub fn set(&self, object: &Value) -> Result<Option<Event>> {
        Ok(match kind(object) {
            "Node" => {
                let mut notes = Notes::default();
                Some(Event::NodeSet(Arc::new(read::<NodeObject>(object)?.into_model(&mut notes))))
            }
            "Pod" => Some(Event::PodSet(Arc::new(pod_of(object, &self.parts)?))),
            _ => match self.further.get(&object_kind(object)) {
                Some(kind) => Some(Event::ObjectSet(Arc::new(
                    kind.read(&serde_json::from_str(&object.to_string())?, &mut Notes::default()),
                ))),
                None => None,
            },
        })
    }

    /// Returns the event for an object that was removed, or `None` for a kind that no plugin reads.
    ///
    /// # Errors
    /// Returns an error if the object can't be read.
    pub fn removed(&self, object: &Value) -> Result<Option<Event>> {
        let text = |field: &str| -> Box<str> { object["metadata"][field].as_str().unwrap_or_default().into() };
        Ok(match kind(object) {
            "Node" => Some(Event::NodeRemoved(text("name"))),
            "Pod" => {
                Some(Event::PodRemoved(PodKey { namespace: text("namespace"), name: text("name"), uid: text("uid") }))
            }
            _ => match self.further.get(&object_kind(object)) {
                Some(kind) => Some(Event::ObjectRemoved(kind.key(&serde_json::from_str(&object.to_string())?))),
                None => None,
            },
        })
    }
}

/// Reads a pod.
///
/// # Errors
/// Returns an error if the pod can't be read.
pub fn pod(object: &Value) -> Result<Pod> {
    pod_of(object, &PodParts::default())
}

fn pod_of(object: &Value, parts: &PodParts) -> Result<Pod> {
    Ok(read::<PodObject>(object)?.into_model(parts, &mut Notes::default()))
}

/// Parses the object as an informer does.
fn read<T: PartialObject>(object: &Value) -> Result<T> {
    let observed: Observed<T> = serde_json::from_str(&object.to_string())?;
    Ok(observed.object?)
}

fn kind(object: &Value) -> &str {
    object["kind"].as_str().unwrap_or_default()
}

fn object_kind(object: &Value) -> ObjectKind {
    ObjectKind { api_version: object["apiVersion"].as_str().unwrap_or_default().into(), kind: kind(object).into() }
}
