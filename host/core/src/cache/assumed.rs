//! Objects as they will be, laid over what the informer says.
//!
//! Each layer remembers over what it was laid. It holds until the informer brings a change of an assumed field: then what was
//! assumed has come true, or is not to be had any more. A change of other fields, such as a finalizer that is written before the
//! assumed status, moves the layer onto the new version. An object that is about to be made needs two steps, as its status comes
//! after it: so what is assumed of one that was not there holds over its first version, too.

use std::sync::Arc;

use hashbrown::HashMap;

use super::carry_over::carried_over;
use crate::model::{Object, ObjectKey, ObjectKind};

/// What is assumed of which objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumptions {
    by_key: HashMap<ObjectKey, Layers>,
}

#[derive(Clone, Debug)]
struct Layers {
    /// As the informer has it.
    real: Option<Arc<Object>>,
    /// In the order in which they were laid; never none.
    layers: Vec<Layer>,
}

#[derive(Clone, Debug)]
struct Layer {
    /// The uid of the pod for which it is assumed.
    by: Box<str>,
    object: Arc<Object>,
    over: Option<Arc<Object>>,
    /// Its reservation has come to its end.
    lasting: bool,
}

/// How an object shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub object: Option<Arc<Object>>,
    pub assumed: bool,
}

impl Shown {
    fn real(object: Option<Arc<Object>>) -> Self {
        Self { object, assumed: false }
    }
}

impl Layers {
    fn shown(&self) -> Shown {
        match self.layers.last() {
            Some(layer) => Shown { object: Some(Arc::clone(&layer.object)), assumed: true },
            None => Shown::real(self.real.clone()),
        }
    }
}

impl Layer {
    /// Whether the object was not there, and now is, but not yet as it is assumed to become. From here on it is laid over that.
    fn comes_into_being(&mut self, real: Option<&Arc<Object>>) -> bool {
        let Some(real) = real.filter(|real| self.over.is_none() && real.fields != self.object.fields) else {
            return false;
        };
        self.object = Arc::new(Object { uid: real.uid.clone(), ..Object::clone(&self.object) });
        self.over = Some(Arc::clone(real));
        true
    }
}

impl Layer {
    /// Moves the layer onto `real`, a version of the object that has the assumed fields as they were. Returns false for another one.
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
    /// Whether nothing is assumed.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The informer brought the object, or took it away: how it shows now.
    pub fn brought(&mut self, key: &ObjectKey, real: Option<Arc<Object>>) -> Shown {
        let Some(layers) = self.by_key.get_mut(key) else { return Shown::real(real) };
        if layers.real != real {
            let mut below = real.clone();
            layers.layers.retain_mut(|layer| {
                let known = below.as_ref();
                let holds = layer.over.as_ref() == known || layer.comes_into_being(known) || layer.moves_onto(known);
                if holds {
                    below = Some(Arc::clone(&layer.object));
                }
                holds
            });
            layers.real = real;
        }
        self.result(key)
    }

    /// The object is assumed to become so, which shows as `shown` now.
    pub fn assume(&mut self, object: Arc<Object>, by: &str, shown: Option<Arc<Object>>) -> Shown {
        let key = object.key.clone();
        let layers = self.by_key.entry(key).or_insert_with(|| Layers { real: shown.clone(), layers: Vec::new() });
        layers.layers.push(Layer { by: by.into(), object, over: shown, lasting: false });
        layers.shown()
    }

    /// What is assumed of the object for the pod is so no longer.
    pub fn take_back(&mut self, key: &ObjectKey, by: &str) -> Option<Shown> {
        self.by_key.get_mut(key)?.layers.retain(|layer| *layer.by != *by);
        Some(self.result(key))
    }

    /// The pod is bound: what is assumed of the object for it will show.
    pub fn keep(&mut self, key: &ObjectKey, by: &str) {
        let layers = self.by_key.get_mut(key).into_iter().flat_map(|layers| &mut layers.layers);
        layers.filter(|layer| *layer.by == *by).for_each(|layer| layer.lasting = true);
    }

    /// Forgets what is assumed of the objects of the kind.
    pub fn forget(&mut self, kind: &ObjectKind) {
        self.by_key.retain(|key, _| *key.kind != *kind);
    }

    /// All objects of the kind were brought anew. What was to show has had its time: if it did, it was between two lists.
    pub fn listed(&mut self, kind: &ObjectKind) -> Vec<(ObjectKey, Shown)> {
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

    fn result(&mut self, key: &ObjectKey) -> Shown {
        let Some(layers) = self.by_key.get(key) else { return Shown::real(None) };
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
