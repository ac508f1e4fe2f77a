//! Write a filter or a score for Berth as one plain function of a pod and a node.
//!
//! # A filter
//!
//! ```
//! use berth_guest::prelude::*;
//!
//! /// Pods with a team go to their team's nodes.
//! fn filter(pod: &pod::Labels, node: &node::Labels) -> Result<(), &'static str> {
//!     match pod.get("team") {
//!         Some(team) if node.get("team") != Some(team) => Err("node(s) belong to another team"),
//!         _ => Ok(()),
//!     }
//! }
//!
//! berth_guest::plugin!(name: "TeamNodes", filter: filter);
//! # fn main() {}
//! ```
//!
//! The parameters' types say which facts the plugin reads: here the labels of the pod and of the node. Each parameter
//! is a reference to a type of [`pod`], [`node`] or [`cluster`]. A function takes any number of them, in any order. A
//! plugin can't read a fact that is not a parameter, and the host never sends such a fact to the component.
//!
//! # A score, with arguments
//!
//! Scores are 0 to 100, or any `i64` that `normalization` scales to 0 to 100. Arguments are a struct of your own,
//! read from the profile's `pluginConfig`. An error in the arguments names the plugin and the field.
//!
//! ```
//! use berth_guest::prelude::*;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! pub struct Args {
//!     label: String,
//! }
//!
//! /// Nodes with the same value as the pod.
//! fn score(pod: &pod::Labels, node: &node::Labels, args: &Args) -> i64 {
//!     if pod.get(&args.label) == node.get(&args.label) { 100 } else { 0 }
//! }
//!
//! berth_guest::plugin!(name: "SameLabel", args: Args, score: score);
//! # fn main() {}
//! ```
//!
//! # Both, with work done once
//!
//! Many pods are equal in all facts that a plugin reads. Such pods share a *pod signature*, and
//! the host asks the plugin about a pod signature on thousands of nodes. `prepare` computes the data that depends on
//! the pod alone, once for each pod signature. The other functions take the result by reference.
//!
//! ```
//! use berth_guest::prelude::*;
//!
//! pub struct PreparedPod {
//!     gib: i64,
//! }
//!
//! fn prepare(pod: &pod::Annotations) -> PreparedPod {
//!     PreparedPod { gib: pod.get("example.com/cache").and_then(|gib| gib.parse().ok()).unwrap_or(0) }
//! }
//!
//! fn gib(node: &node::Labels) -> i64 {
//!     node.get("example.com/cache").and_then(|gib| gib.parse().ok()).unwrap_or(0)
//! }
//!
//! fn pre_filter(pod: &PreparedPod) -> PreFilter {
//!     if pod.gib == 0 { PreFilter::Skip } else { PreFilter::All }
//! }
//!
//! fn filter(pod: &PreparedPod, node: &node::Labels) -> Verdict {
//!     match gib(node) {
//!         0 => Verdict::unresolvable("node(s) had no cache"),
//!         gib if gib < pod.gib => Verdict::unschedulable(format!("node(s) had a cache of {gib} GiB")),
//!         _ => Verdict::FITS,
//!     }
//! }
//!
//! fn score(pod: &PreparedPod, node: &node::Labels) -> i64 {
//!     gib(node) - pod.gib
//! }
//!
//! berth_guest::plugin!(
//!     name: "Cache",
//!     prepare: prepare => PreparedPod,
//!     pre_filter: pre_filter,
//!     filter: filter,
//!     score: score,
//!     normalization: Default,
//! );
//! # fn main() {}
//! ```
//!
//! # A plugin's own state
//!
//! A plugin that depends on more than one pod and one node, such as on the pods of other nodes, keeps that state in
//! an [`index`]. The SDK updates the index after every change of nodes, pods, and [`objects`] of any kind. [`groups`],
//! [`topology`] and [`room`] are building blocks of an index that counts pods.
//!
//! # After a node is chosen
//!
//! [`lifecycle`] covers the steps between the choice of a node and the bind: reserve resources, hold the pod
//! (permit), change objects in the cluster first through [`intents`], or bind the pod in your own way. [`hints`] say
//! which events can help a pod that was rejected.
//!
//! # The rest
//!
//! [`plugin!`] lists all its keys. `skip` tells the host which pods the plugin does not apply to. [`classes`]
//! are for plugins that count over topology domains and are asked about many nodes. A [post-filter](post_filter)
//! preempts pods when no node fits: it asks whether the pod would fit without some of the other pods. [`testing`] runs
//! a plugin natively, for plain `cargo test`. [`args`] has types for checked arguments. [`selector`] matches node
//! selectors and affinities. [`error!`], [`warn!`], [`info!`] and [`debug!`] write to the host's log. A panic is
//! logged as well, before it fails the call.
//!
//! A plugin's crate has `crate-type = ["cdylib", "rlib"]`. It depends on this crate, and on `serde` if it takes
//! arguments.

pub mod args;
#[doc(hidden)]
pub mod arguments;
#[doc(hidden)]
pub mod bindings;
pub mod call;
pub mod classes;
pub mod cluster;
#[doc(hidden)]
pub mod component;
mod cycle;
mod declaration;
mod fact;
mod field_value;
pub mod groups;
mod guest;
pub mod hints;
mod identity;
pub mod index;
pub mod intents;
mod labels;
pub mod lifecycle;
#[doc(hidden)]
pub mod lift;
pub mod log;
mod macros;
#[doc(hidden)]
pub mod named;
pub mod names;
pub mod node;
pub mod objects;
pub mod param;
pub mod plugin;
pub mod pod;
pub mod post_filter;
mod pre_filter;
mod problems;
mod queued;
mod reads;
mod resources;
pub mod room;
mod score;
pub mod selector;
mod snapshot;
mod taints;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
pub mod topology;
mod verdict;
mod verdicts;

pub use bindings::base::exports::berth::scheduler::plugin::{ClusterEvent, EventActions};
pub use cycle::{Attempt, Cycle, Time};
pub use field_value::FieldValue;
pub use guest::Guest;
pub use labels::LabelMap;
pub use named::FieldError;
pub use pre_filter::PreFilter;
pub use problems::Problems;
pub use queued::Queued;
pub use resources::Resource;
pub use schemars;
pub use score::{IntoOutcome, Outcome, PreScore};
pub use verdict::{Reason, Rejection, RejectionCode, Verdict};
pub use verdicts::Verdicts;
#[doc(hidden)]
pub use wit_bindgen;

/// The types of the contract in `wit/`.
pub mod types {
    pub use crate::bindings::base::berth::scheduler::facts::{
        ClusterFacts, Container, NodeFacts, NodeInfo, NodeReads, Pod, PodActions, PodFacts, PodIdentity, PodReads,
        PodRequests, QosClass,
    };
    pub use crate::bindings::base::berth::scheduler::types::*;
}

/// The names that nearly every plugin uses.
pub mod prelude {
    pub use crate::types::{HostPort, Label, Resources, Taint, TaintEffect, Toleration};
    pub use crate::{Cycle, PreFilter, PreScore, Reason, Rejection, RejectionCode, Time, Verdict, cluster, node, pod};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
