//! Writes API objects from the core's model: the reverse of reading. A capture holds only the model, so that an
//! analysis of a recorded cluster and a simulation of this cluster need the objects again.
//!
//! Reading a written object gives the same model value. The doc comment of [`pod`] names the exceptions. A written
//! object has only the fields that the model has, and fields whose value is the API's default are absent. An object
//! can therefore lack fields that an API server requires, such as the `exitCodes` of a restart policy rule.
//!
//! The model has the sums of a pod's requests, but not the overhead and the pod-level resources that are a part of the
//! sums. [`resources`] finds resources with the same sums.

mod affinity;
mod container;
mod fields;
mod metadata;
mod named;
mod node;
mod object;
mod pod;
mod resources;
mod spec;
mod volume;

pub use self::node::node;
pub use self::object::object;
pub use self::pod::pod;
