//! Objects as the core is told of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use berth::kube::PodParts;
use berth::kube::objects::{FurtherKind, NodeObject, Notes, Observed, PodObject, Slim};
use berth_core::Event;
use berth_core::model::{ObjectKind, ObjectReads, Pod, PodKey};
use serde_json::Value;

/// Reads objects as informers do: equal parts of pods are one, further kinds are read as far as some plugin reads them.
#[derive(Default)]
pub struct Reader {
    further: BTreeMap<Arc<ObjectKind>, FurtherKind>,
    parts: PodParts,
}

impl Reader {
    /// Some plugin reads this.
    pub fn wants(&mut self, reads: &ObjectReads) {
        self.further.insert(Arc::clone(&reads.kind), FurtherKind::new(reads));
    }

    /// An object that appears or changes; `None` of a kind that no plugin reads.
    ///
    /// # Errors
    /// It can't be read.
    pub fn set(&self, object: &Value) -> Result<Option<Event>> {
        Ok(match kind(object) {
            "Node" => {
                let mut notes = Notes::default();
                Some(Event::NodeSet(Arc::new(read::<NodeObject>(object)?.into_model(&mut notes))))
            }
            "Pod" => Some(Event::PodSet(Arc::new(pod_of(object, &self.parts)?))),
            _ => match self.further.get(&object_kind(object)) {
                Some(kind) => Some(Event::ObjectSet(Arc::new(kind.read(&serde_json::from_str(&object.to_string())?)))),
                None => None,
            },
        })
    }

    /// One that goes.
    ///
    /// # Errors
    /// It can't be read.
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

/// A pod.
///
/// # Errors
/// It can't be read.
pub fn pod(object: &Value) -> Result<Pod> {
    pod_of(object, &PodParts::default())
}

fn pod_of(object: &Value, parts: &PodParts) -> Result<Pod> {
    Ok(read::<PodObject>(object)?.into_model(parts, &mut Notes::default()))
}

/// As an informer reads it.
fn read<T: Slim>(object: &Value) -> Result<T> {
    let observed: Observed<T> = serde_json::from_str(&object.to_string())?;
    Ok(observed.object?)
}

fn kind(object: &Value) -> &str {
    object["kind"].as_str().unwrap_or_default()
}

fn object_kind(object: &Value) -> ObjectKind {
    ObjectKind { api_version: object["apiVersion"].as_str().unwrap_or_default().into(), kind: kind(object).into() }
}
