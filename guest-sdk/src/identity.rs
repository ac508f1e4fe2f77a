//! The pod's namespace, name and uid, where a plugin acts for one pod.

use crate::param::{Param, PodParam, Scene};
use crate::plugin::Plugin;
use crate::reads::Reads;
use crate::types::PodIdentity;

impl<P: Plugin> Param<P> for &PodIdentity {
    type Item<'a> = &'a PodIdentity;
    const READS: Reads = Reads { identity: true, ..Reads::NONE };

    fn of<'a>(scene: &Scene<'a, P>) -> &'a PodIdentity {
        scene.identity
    }
}

impl<P: Plugin> PodParam<P> for &PodIdentity {}

/// The identity in functions that have none. These functions can't take `&pod::Identity`.
pub(crate) const NO_IDENTITY: &PodIdentity =
    &PodIdentity { namespace: String::new(), name: String::new(), uid: String::new() };
