//! The store: one [`Collection`] of objects with recent history for each kind, and one resource version counter for
//! all kinds.

mod chunks;
mod collection;
mod history;
mod object;
mod tail;

pub use chunks::Chunks;
pub use collection::{Collection, Snapshot, Span, WriteError};
pub use history::{Change, Retention, TooOld};
pub use object::{Head, Object, key};
