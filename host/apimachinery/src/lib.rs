//! The Kubernetes API's types without a client: the fields of the built-in kinds ([`schema`]), a reader of
//! Kubernetes' protobuf ([`protobuf`]), paths of fields ([`fields`]), and suggestions for mistyped names
//! ([`nearest`]).
//!
//! In: bytes, JSON and names. Out: decoded or validated values, and errors with the path of the field.
//!
//! This crate must never do I/O, and must never make decisions about objects.

pub mod fields;
mod nearest;
pub mod protobuf;
pub mod schema;

pub use nearest::nearest;
