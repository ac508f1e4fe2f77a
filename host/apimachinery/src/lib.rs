//! The Kubernetes API's types without a client: the fields of the built-in kinds ([`schema`]), a reader of
//! Kubernetes' protobuf ([`protobuf`]), objects in the core's model ([`objects`]) and back ([`objects::write`]), paths
//! of fields ([`fields`], [`all_fields()`]), suggestions for mistyped names ([`nearest`]), and durations as kubectl prints them
//! ([`human_duration`]).
//!
//! In: bytes, JSON, names, and objects of the core's model. Out: objects of the core's model, API objects in JSON,
//! decoded or validated values, and errors with the path of the field. Informers, replay and tests read objects with
//! the same code.
//!
//! The protobuf reader is our own; [`protobuf`] says why.
//!
//! This crate must never do I/O, and must never make decisions about objects.

mod all_fields;
pub mod fields;
mod human_duration;
mod nearest;
pub mod objects;
pub mod protobuf;
pub mod schema;

pub use all_fields::all_fields;
pub use human_duration::human_duration;
pub use nearest::nearest;
