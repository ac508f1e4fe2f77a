//! The objects and their recent history: one [`Collection`] a kind, one resource version counter for all.

mod collection;
mod history;
mod object;

pub use collection::{Collection, Snapshot, Span, WriteError};
pub use history::{Change, Retention, TooOld};
pub use object::{Head, Object, key};
