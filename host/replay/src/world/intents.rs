//! Executes intents of plugins: changes of objects, and evictions. Waits are over at once.

use std::sync::Arc;

use berth_apimachinery::fields::{FieldPath, pruned};
use berth_apimachinery::objects::{EventReader, Notes, write};
use berth_core::Event;
use berth_core::intent::{Intent, ObjectReference, Patch};
use berth_core::model::{Object, ObjectKey, ObjectKind, Pod};
use serde_json::Value;

use super::World;
use crate::history::PodIndex;

impl World<'_> {
    pub(super) fn execute_intent(&mut self, intent: Intent) {
        match intent {
            Intent::Patch(patch) => self.patch(&patch),
            Intent::Evict(pod, _) => self.named_pod(&pod).into_iter().for_each(|index| self.evict(index)),
            Intent::Create(reference, json) if is_pod(&reference) => {
                let name = format!("{}/{}", reference.namespace, reference.name);
                let bytes = json.len();
                self.course
                    .warns("a plugin", &format!("creates the pod {name} ({bytes} bytes), which the replay leaves out"));
            }
            Intent::Create(reference, json) => {
                let key = key(&reference);
                self.changed.insert(key.clone());
                self.set_object(Arc::new(Object { key, uid: reference.uid, fields: json }));
            }
            Intent::Delete(reference) if is_pod(&reference) => {
                self.named_pod(&reference).into_iter().for_each(|index| self.end(index));
            }
            Intent::Delete(reference) => {
                let key = key(&reference);
                self.changed.insert(key.clone());
                self.remove_object(&key);
            }
            // The core keeps assumptions. In this world, no controller works that a plugin could wait for.
            Intent::WaitUntil(_) | Intent::Assume(_) => {}
        }
    }

    fn named_pod(&self, reference: &ObjectReference) -> Option<PodIndex> {
        if !reference.uid.is_empty() {
            return self.by_uid.get(&reference.uid).copied();
        }
        let is_meant = |pod: &Pod| pod.key.name == reference.name && pod.key.namespace == reference.namespace;
        self.pods.iter().position(|known| known.as_ref().is_some_and(|known| is_meant(&known.pod)))
    }

    fn patch(&mut self, patch: &Patch) {
        let Ok(changes) = serde_json::from_str::<Value>(&patch.patch) else { return };
        if is_pod(&patch.object) {
            if let Some(index) = self.named_pod(&patch.object) {
                self.patch_pod(index, &changes);
            }
            return;
        }
        let key = key(&patch.object);
        let Some(known) = self.objects.get(&key) else { return };
        // The capture contains JSON that the host wrote.
        let Ok(mut fields) = serde_json::from_str::<Value>(&known.fields) else { return };
        json_patch::merge(&mut fields, &changes);
        let object = Object { key: key.clone(), uid: known.uid.clone(), fields: fields.to_string().into() };
        self.changed.insert(key);
        self.set_object(Arc::new(object));
    }

    fn patch_pod(&mut self, index: PodIndex, changes: &Value) {
        let Some(known) = &mut self.pods[index] else { return };
        let mut object = write::pod(&known.pod);
        json_patch::merge(&mut object, changes);
        let Ok(pod) = EventReader::default().pod(&object, &mut Notes::default()) else { return };
        let Pod { node_name, nominated_node_name, start_time, fields, .. } = Pod::clone(&known.pod);
        known.pod = Arc::new(Pod { node_name, nominated_node_name, start_time, fields, ..pod });
        self.events.push_back(Event::PodSet(Arc::clone(&known.pod)));
    }

    /// Sets an object, and tells the core about it if a plugin reads its kind.
    pub(super) fn set_object(&mut self, object: Arc<Object>) {
        if let Some(shown) = self.shown(&object) {
            self.events.push_back(Event::ObjectSet(shown));
        }
        self.objects.insert(object.key.clone(), object);
    }

    /// Removes an object.
    pub(super) fn remove_object(&mut self, key: &ObjectKey) {
        if self.objects.remove(key).is_some_and(|object| self.shown(&object).is_some()) {
            self.events.push_back(Event::ObjectRemoved(key.clone()));
        }
    }

    /// Returns the object with the fields that plugins read; `None` if no plugin reads the kind.
    pub(super) fn shown(&self, object: &Arc<Object>) -> Option<Arc<Object>> {
        let objects = self.engine.core().cache().objects();
        objects.kinds().find(|(_, kind, _)| **kind == *object.key.kind)?;
        let wanted = objects.fields(objects.kind_id(&object.key.kind)?)?;
        let paths: Vec<FieldPath> = wanted.iter().filter_map(|path| FieldPath::parse(path).ok()).collect();
        let Ok(whole) = serde_json::from_str::<Value>(&object.fields) else { return Some(Arc::clone(object)) };
        let fields = pruned(&whole, &paths).to_string();
        if *fields == *object.fields {
            return Some(Arc::clone(object));
        }
        Some(Arc::new(Object { fields: fields.into(), ..Object::clone(object) }))
    }
}

fn key(reference: &ObjectReference) -> ObjectKey {
    let ObjectReference { api_version, kind, namespace, name, .. } = reference;
    let kind = Arc::new(ObjectKind { api_version: api_version.clone(), kind: kind.clone() });
    ObjectKey { kind, namespace: namespace.clone(), name: name.clone() }
}

fn is_pod(reference: &ObjectReference) -> bool {
    &*reference.kind == "Pod" && &*reference.api_version == "v1"
}
