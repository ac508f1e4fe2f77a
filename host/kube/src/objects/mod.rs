//! Reads the API server's objects and converts them into the core's model. Only the fields that the scheduler needs
//! are read.
//!
//! A pod takes about ten kilobytes on the wire, half of it managedFields; the structs here take a tenth of that. No
//! content of an object stops its informer: see [`Observed`].

mod affinity;
mod container;
mod further;
mod json;
mod meta;
mod node;
mod notes;
mod observed;
mod pod;
mod spec;
mod volume;

pub use self::further::{FurtherKind, FurtherObject};
pub(super) use self::meta::ObjectMeta;
pub use self::node::NodeObject;
pub use self::notes::Notes;
pub use self::observed::{Observed, Slim, Unreadable};
pub use self::pod::PodObject;
pub(super) use self::pod::{PodScheduled, scheduled_condition};
