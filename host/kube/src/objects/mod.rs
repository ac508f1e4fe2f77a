//! Objects as the API server sends them, read no further than scheduling needs, and turned into the core's model.
//!
//! A pod on the wire is ten kilobytes, half of it bookkeeping of who set which field; what is built here is a tenth of
//! that. Nothing that an object contains stops its informer: see [`Observed`].

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
