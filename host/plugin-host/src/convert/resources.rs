//! Converts quantities of resources.

use berth_core::model::{PodRequests, Resources};
use bumpalo::Bump;

use super::each;
use crate::bindings::types as wit;
use crate::bindings::v0_2::berth::scheduler::facts;

pub(super) fn resources<'a>(arena: &'a Bump, from: &'a Resources) -> wit::Resources<'a> {
    wit::Resources {
        milli_cpu: from.milli_cpu,
        memory: from.memory,
        ephemeral_storage: from.ephemeral_storage,
        pods: from.pods,
        scalars: each(arena, &from.scalars, |(name, quantity)| wit::Scalar { name, quantity: *quantity }),
    }
}

pub(super) fn requests<'a>(arena: &'a Bump, from: &'a PodRequests) -> facts::PodRequests<'a> {
    facts::PodRequests {
        fit: resources(arena, &from.fit),
        effective: resources(arena, &from.effective),
        non_zero_milli_cpu: from.scored_milli_cpu,
        non_zero_memory: from.scored_memory,
    }
}

/// The value for resources that are not declared.
pub(super) const NOTHING: wit::Resources<'static> =
    wit::Resources { milli_cpu: 0, memory: 0, ephemeral_storage: 0, pods: 0, scalars: &[] };

/// The value for requests that are not declared.
pub(super) const NO_REQUESTS: facts::PodRequests<'static> =
    facts::PodRequests { fit: NOTHING, effective: NOTHING, non_zero_milli_cpu: 0, non_zero_memory: 0 };
