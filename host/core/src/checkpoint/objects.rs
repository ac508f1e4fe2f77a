//! The state of the objects of other kinds, with the assumptions about them.

use serde::{Deserialize, Serialize};

use super::error::{RestoreError, check};
use super::shared::{Reading, Writing};
use super::slab::SlabState;
use crate::cache::assumed::{Assumptions, Layer, Layers};
use crate::cache::objects::KnownKind;
use crate::cache::{CachedObject, KindId, Objects};
use crate::model::ObjectKey;

/// An [`Objects`]. Numbers named `object`, `real` and `over` are indexes in the list of objects.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ObjectsState {
    known: SlabState<ObjectState>,
    kinds: Vec<KnownKind>,
    /// Ordered by key.
    assumed: Vec<LayersState>,
}

/// A [`CachedObject`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectState {
    kind: KindId,
    object: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
}

/// A [`Layers`] with its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayersState {
    key: ObjectKey,
    real: Option<u32>,
    layers: Vec<LayerState>,
}

/// A [`Layer`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayerState {
    by: Box<str>,
    object: u32,
    over: Option<u32>,
    lasting: bool,
}

impl ObjectsState {
    pub fn of(objects: &Objects, writing: &mut Writing) -> Self {
        let list = &mut writing.objects;
        let known = SlabState::of(&objects.known, |cached| ObjectState {
            kind: cached.kind,
            object: list.index(&cached.object),
            assumed: cached.assumed,
        });
        let mut assumed: Vec<(&ObjectKey, &Layers)> = objects.assumed.by_key.iter().collect();
        assumed.sort_unstable_by_key(|(key, _)| *key);
        let mut layer_state = |layer: &Layer| LayerState {
            by: layer.by.clone(),
            object: list.index(&layer.object),
            over: list.index_of_option(layer.over.as_ref()),
            lasting: layer.lasting,
        };
        let layers: Vec<Vec<LayerState>> =
            assumed.iter().map(|(_, of)| of.layers.iter().map(&mut layer_state).collect()).collect();
        let assumed = assumed.into_iter().zip(layers).map(|((key, of), layers)| LayersState {
            key: key.clone(),
            real: list.index_of_option(of.real.as_ref()),
            layers,
        });
        Self { known, kinds: objects.kinds.clone(), assumed: assumed.collect() }
    }

    pub fn restore(self, reading: &Reading) -> Result<Objects, RestoreError> {
        let Self { known, kinds, assumed } = self;
        let known = known.restore("the object", |_, state: ObjectState| {
            let object = reading.objects.get(state.object)?;
            let kind = kinds.get(usize::from(state.kind.0)).map(|known| &known.kind);
            let key = &object.key;
            check(kind == Some(&key.kind), || format!("the object {key} is of another kind"))?;
            Ok(CachedObject { kind: state.kind, object, assumed: state.assumed })
        })?;
        let mut assumptions = Assumptions::default();
        for LayersState { key, real, layers } in assumed {
            let layers = layers.into_iter().map(|layer| {
                Ok(Layer {
                    by: layer.by,
                    object: reading.objects.get(layer.object)?,
                    over: reading.objects.get_option(layer.over)?,
                    lasting: layer.lasting,
                })
            });
            let layers = Layers { real: reading.objects.get_option(real)?, layers: layers.collect::<Result<_, _>>()? };
            if assumptions.by_key.contains_key(&key) {
                return Err(RestoreError::duplicate("the assumed object", key));
            }
            assumptions.by_key.insert(key, layers);
        }
        Ok(Objects { known, kinds, assumed: assumptions })
    }
}
