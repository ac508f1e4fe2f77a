//! The shell to the Kubernetes API server: informers in; bindings, events and conditions out.
//!
//! ```text
//!  API server ──list, watch──▶ informer ──read by objects──▶ Event ──▶ core
//!      ▲                          │ known pods                          │
//!      └── rest ◀── binder, status, events ◀──── Shell::perform ◀── Action
//! ```
//!
//! [`Shell`] is all that others see of it, with [`connect`] for the client. Beside it stands [`lease`], which says whether
//! this process is the one that places pods.

mod binder;
mod carrier;
mod cel_cost;
mod client;
mod events;
mod evictor;
mod host;
mod informer;
mod intake;
mod intern;
mod kinds;
mod known;
mod lanes;
mod leader_client;
pub mod lease;
mod list;
pub mod objects;
mod own_pod;
mod patcher;
mod patient;
mod rate;
mod resources;
mod rest;
mod shared_watch;
mod shell;
#[cfg(test)]
mod silent;
mod status;
mod until;
mod waiter;

pub use self::client::{ConnectError, connect, connect_at, connect_to};
pub use self::intern::PodParts;
pub use self::own_pod::OwnPod;
pub use self::rate::limited;
pub(crate) use self::rest::chain as error_with_causes;
pub use self::shell::{Options, Shell, Undone};
pub use self::until::{Until, Verdict};
