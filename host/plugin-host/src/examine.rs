//! One component outside of a set, for checks of a component (`berth-conformance`). The scheduler does not use it.
//!
//! [`open`] compiles a file, [`configure`] gives the component its arguments, [`Resident::fill`] sends it a cluster, and
//! [`asking`](crate::asking) calls its extension points in the order of a scheduling cycle.

pub use crate::authority::{add_needed_grants, needed_grants};
pub use crate::contract::names_of;
pub use crate::feed::Feeder;
pub use crate::guest::{Instance, thread_cpu_time};
pub use crate::guests::{Resident, Stale};
pub use crate::load::{Opened, Trial, configure, open, trial};
