//! Reads the API server's objects and converts them into the core's model. Only the fields that the scheduler needs
//! are read. [`mod@write`] converts in the other direction.
//!
//! A pod takes about ten kilobytes on the wire, and managedFields is half of this size. The structs here take a
//! tenth of this size. An
//! object with invalid content does not stop the informer: see [`Observed`].

mod affinity;
mod container;
mod event_reader;
mod intern;
mod json;
mod meta;
mod named;
mod node;
mod notes;
mod observed;
mod pod;
mod raw;
mod spec;
mod volume;
pub mod write;

pub use self::event_reader::{EventReader, ReadError};
pub use self::intern::{NodeParts, PodParts};
pub use self::meta::ObjectMeta;
pub use self::named::NamedFieldsReader;
pub use self::node::NodeObject;
pub use self::notes::Notes;
pub use self::observed::{Observed, PartialObject, Unreadable};
pub use self::pod::{PodObject, PodScheduled};
pub use self::raw::{ObjectReader, RawObject};
