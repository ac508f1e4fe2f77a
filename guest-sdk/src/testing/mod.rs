//! Tests of plugins without WebAssembly: builders for pods and nodes, and a host that runs a whole plugin natively.
//!
//! ```
//! use berth_guest::prelude::*;
//! use berth_guest::testing::{Host, node, pod};
//!
//! fn filter(pod: &pod::Tolerations, node: &node::Taints) -> Result<(), &'static str> {
//!     node.iter().all(|taint| pod.tolerate(taint)).then_some(()).ok_or("node(s) had a taint")
//! }
//!
//! berth_guest::plugin!(name: "NoTaints", filter: filter);
//!
//! # fn main() {
//! let mut host = Host::<Plugin>::new();
//! host.node(node("clean"));
//! host.node(node("tainted").taint("gpu", "", TaintEffect::NoSchedule));
//!
//! assert_eq!(host.fits(&pod()), ["clean"]);
//! assert_eq!(host.reasons(&pod(), "tainted"), ["node(s) had a taint"]);
//! assert_eq!(host.fits(&pod().tolerate_everything()), ["clean", "tainted"]);
//! # }
//! ```
//!
//! This module exists on native targets only and is not part of a component. Its functions panic if a test passes
//! invalid input, so that the test fails.

// A builder panics on an invalid argument, so that the test fails.
#![allow(clippy::panic)]

mod classes;
mod cycle;
mod hints;
mod host;
mod lifecycle;
mod node;
mod pod;
mod post_filter;
mod quantity;
mod schema;
mod selector;
mod what_if;

pub use host::Host;
pub use node::{NodeBuilder, node};
pub use pod::{PodBuilder, expression, pod, term};
pub use post_filter::{Extenders, Rejections};
pub use schema::check_schema;
pub use selector::{pod_term, selector, spread};
