//! What the end-to-end tests share: API servers to run against, a scheduler to run, and conditions to wait for.
//!
//! A test of the suite is a function of a [`Target`]; `tests/suite` runs each against the embedded API server and,
//! where `KUBEBUILDER_ASSETS` names a folder with etcd and kube-apiserver, against those.

mod clean;
mod control_plane;
mod objects;
mod target;
mod wait;

pub use control_plane::ControlPlane;
pub use objects::{create, node, pod};
pub use target::Target;
pub use wait::{eventually, eventually_within};
