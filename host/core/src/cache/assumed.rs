//! Assumed versions of objects, layered over the versions from the informer.
//!
//! Each layer remembers the version under it. The layer holds until the informer reports the object's deletion or a
//! change of an assumed field: then the assumption came true or became impossible. A change of other fields, such as a
//! finalizer that is written before the assumed status, moves the layer onto the new version. A new object is created
//! in two steps, because its status is written after the object: so the layer of an object that did not exist also
//! holds over the object's first version.

use std::sync::Arc;

use hashbrown::HashMap;

use super::carry_over::carried_over;
use crate::model::{Object, ObjectKey, ObjectKind};

/// The assumed versions of all objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assumptions {
    pub by_key: HashMap<ObjectKey, Layers>,
}

#[derive(Clone, Debug)]
pub(crate) struct Layers {
    /// The version from the informer.
    pub real: Option<Arc<Object>>,
    /// The assumed versions, in the order in which they were added. An object without layers is removed from `by_key`.
    pub layers: Vec<Layer>,
}

#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// The uid of the pod for which the object is assumed.
    pub by: Box<str>,
    pub object: Arc<Object>,
    pub over: Option<Arc<Object>>,
    /// The pod is bound, so that only reports of the informer end the layer.
    pub lasting: bool,
}

/// The version of an object that readers see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VisibleObject {
    pub object: Option<Arc<Object>>,
    pub assumed: bool,
}

impl VisibleObject {
    fn real(object: Option<Arc<Object>>) -> Self {
        Self { object, assumed: false }
    }
}

impl Layers {
    fn shown(&self) -> VisibleObject {
        match self.layers.last() {
            Some(layer) => VisibleObject { object: Some(Arc::clone(&layer.object)), assumed: true },
            None => VisibleObject::real(self.real.clone()),
        }
    }
}

impl Layer {
    /// Handles the creation of an object that did not exist before. If the object is not yet in the assumed state,
    /// moves the layer onto it and returns true.
    fn moves_onto_new(&mut self, real: Option<&Arc<Object>>) -> bool {
        let Some(real) = real.filter(|real| self.over.is_none() && real.fields != self.object.fields) else {
            return false;
        };
        self.object = Arc::new(Object { uid: real.uid.clone(), ..Object::clone(&self.object) });
        self.over = Some(Arc::clone(real));
        true
    }
}

impl Layer {
    /// Moves the layer onto `real` if this version has the assumed fields unchanged. Returns false otherwise.
    fn moves_onto(&mut self, real: Option<&Arc<Object>>) -> bool {
        let (Some(over), Some(real)) = (&self.over, real) else { return false };
        if over.uid != real.uid {
            return false;
        }
        let Some(fields) = carried_over(&over.fields, &self.object.fields, &real.fields) else { return false };
        self.object = Arc::new(Object { fields: fields.into(), ..Object::clone(real) });
        self.over = Some(Arc::clone(real));
        true
    }
}

impl Assumptions {
    /// Returns whether nothing is assumed.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Applies a version from the informer, or a removal (`None`). Returns the version that readers see now.
    pub fn reported(&mut self, key: &ObjectKey, real: Option<Arc<Object>>) -> VisibleObject {
        let Some(layers) = self.by_key.get_mut(key) else { return VisibleObject::real(real) };
        if layers.real != real {
            let mut below = real.clone();
            layers.layers.retain_mut(|layer| {
                let known = below.as_ref();
                let holds = layer.over.as_ref() == known || layer.moves_onto_new(known) || layer.moves_onto(known);
                if holds {
                    below = Some(Arc::clone(&layer.object));
                }
                holds
            });
            layers.real = real;
        }
        self.result(key)
    }

    /// Adds an assumed version over `shown`, the version that readers see now.
    pub fn assume(&mut self, object: Arc<Object>, by: &str, shown: Option<Arc<Object>>) -> VisibleObject {
        let key = object.key.clone();
        let layers = self.by_key.entry(key).or_insert_with(|| Layers { real: shown.clone(), layers: Vec::new() });
        layers.layers.push(Layer { by: by.into(), object, over: shown, lasting: false });
        layers.shown()
    }

    /// Ends the assumption of the object for the pod with this uid. Returns the version that readers see now, or `None`
    /// if no version of the object was assumed.
    pub fn take_back(&mut self, key: &ObjectKey, by: &str) -> Option<VisibleObject> {
        self.by_key.get_mut(key)?.layers.retain(|layer| *layer.by != *by);
        Some(self.result(key))
    }

    /// Marks the assumption as lasting, because the pod is bound.
    pub fn keep(&mut self, key: &ObjectKey, by: &str) {
        let layers = self.by_key.get_mut(key).into_iter().flat_map(|layers| &mut layers.layers);
        layers.filter(|layer| *layer.by == *by).for_each(|layer| layer.lasting = true);
    }

    /// Drops all assumptions about objects of the kind.
    pub fn forget(&mut self, kind: &ObjectKind) {
        self.by_key.retain(|key, _| *key.kind != *kind);
    }

    /// Ends the lasting assumptions about the kind after a complete list, because the informer may have missed the
    /// change that made an assumption come true. Returns the version of each of these objects that readers see now.
    pub fn listed(&mut self, kind: &ObjectKind) -> Vec<(ObjectKey, VisibleObject)> {
        let lasts = |layers: &Layers| layers.layers.iter().any(|layer| layer.lasting);
        let of_kind = self.by_key.iter().filter(|(key, layers)| *key.kind == *kind && lasts(layers));
        let mut keys: Vec<ObjectKey> = of_kind.map(|(key, _)| key.clone()).collect();
        keys.sort_unstable();
        let mut shown = Vec::new();
        for key in keys {
            if let Some(layers) = self.by_key.get_mut(&key) {
                layers.layers.retain(|layer| !layer.lasting);
                shown.push((key.clone(), self.result(&key)));
            }
        }
        shown
    }

    fn result(&mut self, key: &ObjectKey) -> VisibleObject {
        let Some(layers) = self.by_key.get(key) else { return VisibleObject::real(None) };
        let shown = layers.shown();
        if layers.layers.is_empty() {
            self.by_key.remove(key);
        }
        shown
    }
}

#[cfg(test)]
#[path = "assumed_test.rs"]
mod tests;
