//! Shared code of the end-to-end tests: API servers to run against, a scheduler to run, and conditions to wait for.
//!
//! A test of the suite is a function of a [`Target`]. `suite/` runs each test against the embedded API server.
//! Where `KUBEBUILDER_ASSETS` names a folder with etcd and kube-apiserver, it runs each test against these as well.

pub mod account;
pub mod api;
pub mod authority;
pub mod binds;
pub mod capacity;
mod clean;
pub mod comparison;
mod control_plane;
pub mod crafted;
pub mod directory;
pub mod engine;
pub mod events;
pub mod extender;
mod history;
mod journal;
pub mod objects;
mod process;
pub mod programs;
mod proxy;
pub mod recording;
pub mod redacted;
pub mod replayed;
pub mod served;
mod session;
mod target;
pub mod toolchains;
pub mod unlike;

pub use control_plane::{SCHEDULER_TOKEN, start_control_plane};
pub use journal::{Journal, ObservedPod, Pods};
pub use process::Process;
pub use proxy::{Bind, End, Fault, LeaseWrite, Proxy, Record, RequestSelector};
pub use session::Session;
pub use target::Target;
