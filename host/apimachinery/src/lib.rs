//! What the API server's types look like, without a client: the built-in kinds' fields ([`schema`]), Kubernetes' protobuf
//! ([`protobuf`]), paths to fields ([`fields`]), and the name that a mistyped one stands for ([`nearest`]).
//!
//! In go bytes, JSON and names; out come values that are read or checked. Nothing here does I/O, and nothing here decides.

pub mod fields;
mod nearest;
pub mod protobuf;
pub mod schema;

pub use nearest::nearest;
