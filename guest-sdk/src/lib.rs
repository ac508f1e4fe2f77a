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
//! The parameters' types say which facts the plugin reads: here the labels of both. They are references to types of [`pod`],
//! [`node`] and [`cluster`], as many as you like and in any order. A fact that is no parameter can't be read, and is never
//! sent to the component.
//!
//! # A score, with arguments
//!
//! Scores are 0 to 100, or whatever `normalization` makes of them. Arguments are a struct of your own, read from the profile's
//! `pluginConfig`; what is wrong in them is told with plugin and field.
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
//! Many pods look the same to a plugin, and each is asked about on thousands of nodes. What depends on the pod alone is worked out
//! once by `prepare`; the functions take what it returns by reference.
//!
//! ```
//! use berth_guest::prelude::*;
//!
//! pub struct Wanted {
//!     gib: i64,
//! }
//!
//! fn prepare(pod: &pod::Annotations) -> Wanted {
//!     Wanted { gib: pod.get("example.com/cache").and_then(|gib| gib.parse().ok()).unwrap_or(0) }
//! }
//!
//! fn gib(node: &node::Labels) -> i64 {
//!     node.get("example.com/cache").and_then(|gib| gib.parse().ok()).unwrap_or(0)
//! }
//!
//! fn pre_filter(wanted: &Wanted) -> PreFilter {
//!     if wanted.gib == 0 { PreFilter::Skip } else { PreFilter::All }
//! }
//!
//! fn filter(wanted: &Wanted, node: &node::Labels) -> Verdict {
//!     match gib(node) {
//!         0 => Verdict::unresolvable("node(s) had no cache"),
//!         gib if gib < wanted.gib => Verdict::unschedulable(format!("node(s) had a cache of {gib} GiB")),
//!         _ => Verdict::FITS,
//!     }
//! }
//!
//! fn score(wanted: &Wanted, node: &node::Labels) -> i64 {
//!     gib(node) - wanted.gib
//! }
//!
//! berth_guest::plugin!(
//!     name: "Cache",
//!     prepare: prepare => Wanted,
//!     pre_filter: pre_filter,
//!     filter: filter,
//!     score: score,
//!     normalization: Default,
//! );
//! # fn main() {}
//! ```
//!
//! # State of its own
//!
//! What depends on more than one pod and one node, as the pods that run elsewhere, is kept in an [`index`] that is told of every
//! change, and of [`objects`] of any kind. [`groups`], [`topology`] and [`room`] are what one is made of
//! that counts pods.
//!
//! # After the choice
//!
//! [`lifecycle`] is about what happens between the choice of a node and the pod's start there: set something aside, hold the pod,
//! do something to the cluster first by [`intents`], bind it in a way of its own. [`hints`] say which events can help a pod that
//! was rejected.
//!
//! # The rest
//!
//! [`plugin!`] lists all its keys. With `skip` a plugin says with which pods it has nothing to do. [`classes`] are for plugins that count over domains and are asked about many nodes. One that makes [room](post_filter) where no node fits asks what would be without some pods. [`testing`] runs a plugin natively, for plain `cargo test`. [`args`] has types for arguments
//! that are checked, and [`selector`] matches node selectors and affinities. [`error!`], [`warn!`], [`info!`] and [`debug!`] write
//! to the host's log, and so does a panic before it fails the call.
//!
//! A crate of a plugin has `crate-type = ["cdylib", "rlib"]` and depends on this one, and on `serde` where it takes arguments.

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
pub mod index;
pub mod intents;
mod labels;
pub mod lifecycle;
#[doc(hidden)]
pub mod lift;
pub mod log;
mod macros;
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

pub use bindings::base::berth::scheduler::types;
pub use bindings::base::exports::berth::scheduler::plugin::{ClusterEvent, EventActions};
pub use field_value::FieldValue;
pub use guest::Guest;
pub use labels::LabelMap;
pub use pre_filter::PreFilter;
pub use problems::Problems;
pub use queued::Queued;
pub use resources::Resource;
pub use score::{IntoOutcome, Outcome, PreScore};
pub use types::Cycle;
pub use verdict::{Reason, Rejection, RejectionCode, Verdict};
pub use verdicts::Verdicts;
#[doc(hidden)]
pub use wit_bindgen;

/// What nearly every plugin uses.
pub mod prelude {
    pub use crate::types::{HostPort, Label, Resources, Taint, TaintEffect, Toleration};
    pub use crate::{Cycle, PreFilter, PreScore, Reason, Rejection, RejectionCode, Verdict, cluster, node, pod};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
