//! Write a filter or a score for Berth as one plain function of a pod and a node.

mod arguments;
#[doc(hidden)]
pub mod bindings;
pub mod call;
pub mod cluster;
#[doc(hidden)]
pub mod component;
mod cycle;
mod declaration;
mod fact;
mod guest;
mod labels;
pub mod log;
mod macros;
pub mod node;
pub mod param;
pub mod plugin;
pub mod pod;
mod pre_filter;
mod reads;
mod resources;
mod score;
mod snapshot;
mod taints;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod verdict;
mod verdicts;

pub use bindings::base::berth::scheduler::types;
pub use guest::Guest;
pub use labels::LabelMap;
pub use pre_filter::PreFilter;
pub use score::{IntoOutcome, Outcome, PreScore};
pub use types::Cycle;
pub use verdict::{Reason, Rejection, RejectionCode, Verdict};
#[doc(hidden)]
pub use wit_bindgen;

/// What nearly every plugin uses.
pub mod prelude {
    pub use crate::types::{HostPort, Label, Resources, Taint, TaintEffect, Toleration};
    pub use crate::{Cycle, PreFilter, PreScore, Reason, Rejection, RejectionCode, Verdict, cluster, node, pod};
}
