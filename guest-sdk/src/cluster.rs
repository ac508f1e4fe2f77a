//! Facts of the whole cluster. A change of such a fact invalidates every cached answer of each plugin that reads it,
//! so read these facts only where they matter.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::bindings::snapshot::exports::berth::scheduler::snapshot;
use crate::fact::value_fact;
use crate::param::{Param, PodParam, Scene, SignatureParam, SignatureScene};
use crate::plugin::Plugin;
use crate::reads::Reads;
use crate::types::ClusterFacts;

value_fact! {
    /// The number of nodes in the cluster.
    NodeCount(u32),
}

/// The id of an image. Valid while any node has the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageId(pub u32);

/// An image under one of its names. The host sends an image with several names as several values, each with its own id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// The image's id, as in [`node::Images`](crate::node::Images).
    pub id: ImageId,
    /// The size in bytes: `sizeBytes` from the node that reported the name first.
    pub size: i64,
    /// The number of nodes that have the image.
    pub nodes: u32,
}

/// A hasher without a random seed: a component has no randomness.
type Seedless = BuildHasherDefault<DefaultHasher>;

/// The images of all nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Images {
    by_name: HashMap<String, Image, Seedless>,
    names: HashMap<u32, String, Seedless>,
}

impl Images {
    /// Returns the image with this name. The name is written as the kubelet reports it, always with a tag.
    pub fn find(&self, name: &str) -> Option<Image> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn set(&mut self, image: snapshot::Image) {
        self.remove(image.id);
        self.names.insert(image.id, image.name.clone());
        self.by_name.insert(image.name, Image { id: ImageId(image.id), size: image.size, nodes: image.nodes });
    }

    pub(crate) fn remove(&mut self, id: u32) {
        // The host may send a new image with the same name before it reports the old one as removed.
        if let Some(name) = self.names.remove(&id)
            && self.by_name.get(&name).is_some_and(|image| image.id.0 == id)
        {
            self.by_name.remove(&name);
        }
    }
}

/// All facts of the cluster.
#[derive(Debug, Default)]
pub struct Facts {
    pub(crate) node_count: NodeCount,
    pub(crate) images: Images,
    /// Grows with every change of these facts. A result of `prepare` from an older version is stale if `prepare` reads
    /// cluster facts.
    pub(crate) version: u64,
}

macro_rules! params {
    ($($fact:ident [$flags:expr] $field:ident,)*) => { $(
        impl<P: Plugin> Param<P> for &$fact {
            type Item<'a> = &'a $fact;
            const READS: Reads = Reads::cluster($flags);

            #[inline(always)]
            fn of<'a>(scene: &Scene<'a, P>) -> &'a $fact {
                &scene.signature.cluster.$field
            }
        }

        impl<P: Plugin> PodParam<P> for &$fact {}

        impl<P: Plugin> SignatureParam<P> for &$fact {
            fn of_signature<'a>(scene: &SignatureScene<'a, P>) -> &'a $fact {
                &scene.cluster.$field
            }
        }
    )* };
}

params! {
    NodeCount [ClusterFacts::NODE_COUNT] node_count,
    Images [ClusterFacts::IMAGES] images,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(id: u32, name: &str) -> snapshot::Image {
        snapshot::Image { id, name: name.into(), size: 1, nodes: 1 }
    }

    #[test]
    fn a_name_that_moves_to_a_new_image_is_found() {
        let mut images = Images::default();
        images.set(image(1, "app"));
        images.set(image(2, "app"));
        images.remove(1);
        assert_eq!(images.find("app").map(|image| image.id), Some(ImageId(2)));
        images.remove(2);
        assert_eq!((images.find("app"), images.names.len()), (None, 0));
    }
}
