//! The images of the whole cluster: their sizes and their numbers of nodes.

use serde::{Deserialize, Serialize};

use super::ids::ImageId;
use super::log::{Change, ChangeLog};
use super::register::{Keyed, Register};
use crate::model::NodeImage;

/// An image under one of its names.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageState {
    /// The name.
    pub name: Box<str>,
    /// The size in bytes, as reported by the first node with this name. If only one node has the image, a later
    /// report of this node replaces the size.
    pub size: i64,
    /// The number of nodes that have the image.
    pub nodes: u32,
}

impl Keyed for ImageState {
    type Key = str;

    fn key(&self) -> &str {
        &self.name
    }
}

/// All images of the cluster.
#[derive(Clone, Debug, Default)]
pub struct Images {
    pub(crate) states: Register<ImageState>,
}

impl Images {
    /// Returns the image with this id.
    #[must_use]
    pub fn get(&self, id: ImageId) -> Option<&ImageState> {
        self.states.get(id.0)
    }

    /// Returns all images, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (ImageId, &ImageState)> {
        self.states.entries().map(|(id, state)| (ImageId(id), state))
    }

    /// Replaces the images of a node, which had `before`. Returns the ids of the new images, each once, ascending.
    pub(super) fn exchange(&mut self, before: &[ImageId], images: &[NodeImage], log: &mut ChangeLog) -> Vec<ImageId> {
        let names = images.iter().flat_map(|image| image.names.iter().map(|name| (name, image.size)));
        let mut sizes: Vec<(ImageId, i64)> = names.map(|(name, size)| (self.id_of(name, size), size)).collect();
        // The sort is stable: the first of several sizes for a name counts.
        sizes.sort_by_key(|(id, _)| *id);
        sizes.dedup_by_key(|(id, _)| *id);
        for (id, size) in sizes.iter().filter(|(id, _)| before.binary_search(id).is_ok()) {
            self.correct(*id, *size, log);
        }
        let after: Vec<ImageId> = sizes.into_iter().map(|(id, _)| id).collect();
        for id in after.iter().filter(|id| before.binary_search(id).is_err()) {
            if let Some(state) = self.states.get_mut(id.0) {
                state.nodes += 1;
                log.push(Change::Image(*id));
            }
        }
        let gone: Vec<ImageId> = before.iter().filter(|id| after.binary_search(id).is_err()).copied().collect();
        self.leave(&gone, log);
        after
    }

    /// Updates the size of an image that only this node has.
    fn correct(&mut self, id: ImageId, size: i64, log: &mut ChangeLog) {
        if let Some(state) = self.states.get_mut(id.0).filter(|state| state.nodes == 1 && state.size != size) {
            state.size = size;
            log.push(Change::Image(id));
        }
    }

    /// Removes these images from a node.
    pub(super) fn leave(&mut self, ids: &[ImageId], log: &mut ChangeLog) {
        for id in ids {
            let Some(state) = self.states.get_mut(id.0) else {
                continue;
            };
            state.nodes -= 1;
            if state.nodes > 0 {
                log.push(Change::Image(*id));
            } else if self.states.retire(id.0).is_some() {
                log.push(Change::ImageRemoved(*id));
            }
        }
    }

    pub(super) fn free(&mut self, id: ImageId) {
        self.states.free(id.0);
    }

    fn id_of(&mut self, name: &str, size: i64) -> ImageId {
        let known = self.states.find(name);
        ImageId(known.unwrap_or_else(|| self.states.insert(ImageState { name: name.into(), size, nodes: 0 })))
    }
}
