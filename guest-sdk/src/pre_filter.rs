//! The answer of a pre-filter.

use crate::bindings::pre_filter::exports::berth::scheduler::pre_filter::PreFilterResult;
use crate::verdict::Rejection;

/// The nodes that the host should filter for this pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PreFilter {
    /// Every node.
    #[default]
    All,
    /// This plugin has nothing to filter for this pod.
    Skip,
    /// Only the nodes with these names. The host intersects the lists of several plugins.
    Narrow(Vec<String>),
    /// The pod fits no node.
    Reject(Rejection),
}

impl From<Rejection> for PreFilter {
    fn from(rejection: Rejection) -> PreFilter {
        PreFilter::Reject(rejection)
    }
}

impl<E: Into<Rejection>> From<Result<PreFilter, E>> for PreFilter {
    fn from(result: Result<PreFilter, E>) -> PreFilter {
        result.unwrap_or_else(|rejection| PreFilter::Reject(rejection.into()))
    }
}

impl From<PreFilter> for PreFilterResult {
    fn from(answer: PreFilter) -> PreFilterResult {
        match answer {
            PreFilter::All => PreFilterResult::All,
            PreFilter::Skip => PreFilterResult::Skip,
            PreFilter::Narrow(names) => PreFilterResult::Narrow(names),
            PreFilter::Reject(rejection) => PreFilterResult::Reject(rejection.into()),
        }
    }
}
