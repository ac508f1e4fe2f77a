//! The Kubernetes scheduler as a deterministic state machine.
//!
//! Input: one [`Event`] and the current time for each call of [`Core::step`], and the answers of plugins through the
//! trait [`Plugins`]. A scheduling cycle can also ask extenders through the trait [`extenders::Extenders`].
//! Output: the [`Action`]s that the caller executes, such as a binding, a watch or an eviction. The results that the
//! core needs come back as events.
//!
//! This crate must never do I/O, read a clock, start a thread, or depend on tokio, kube or wasmtime. No decision may
//! depend on the iteration order of a hash map. Random numbers come from a generator that starts from
//! [`Options::seed`], so the same seed, events, times and answers give the same actions. One thread owns the [`Core`].
//!
//! Data passes through the modules in this order:
//! - [`model`]: pods, nodes and other objects, reduced to the fields that scheduling reads.
//! - [`cache`]: the cluster with its assumed pods and objects, and a log of changes.
//! - [`queue`]: the pending pods, and which pod is next.
//! - [`cycle`]: the scheduling cycle: filters, scores and the choice of a node.
//! - [`results`]: the cache of plugin results, with the candidate index. [`pod_signature`] holds the pod signatures.
//! - [`plugins`]: the trait through which the core asks plugins; [`extenders`] is the trait for extenders.
//!   [`verdict`] and [`classes`] hold the answers of plugins about nodes. [`lifecycle`] holds the answers that plugins
//!   give after a node is chosen and about waiting pods.
//! - [`action`]: the work for the caller.
//! - [`attempt`]: the outcome of each scheduling attempt, for metrics. [`decision`]: the records of how attempts ended
//!   and why.
//! - [`checkpoint`]: the whole state of a core as plain data, to store it and to restore it.

pub mod action;
pub mod attempt;
pub mod cache;
pub mod checkpoint;
pub mod classes;
pub mod cluster_event;
pub mod cycle;
pub mod decision;
pub mod declaration;
pub mod event;
pub mod extenders;
pub mod facts;
pub mod grants;
pub mod intent;
pub mod lifecycle;
pub mod limits;
pub mod model;
pub mod nominations;
pub mod plugins;
pub mod pod_signature;
pub mod profile;
pub mod profile_spec;
pub mod queue;
pub mod reads;
pub mod results;
pub mod scheduler;
pub mod time;
pub mod verdict;

pub use crate::action::Action;
pub use crate::event::Event;
pub use crate::plugins::Plugins;
pub use crate::results::USUAL_NODES;
pub use crate::scheduler::{Core, Options};
pub use crate::time::Timestamp;
