//! The connection between the scheduler's core and the Kubernetes API server.
//!
//! ```text
//!  API server ──list, watch──▶ informer ──read by apimachinery──▶ Event ──▶ core
//!      ▲                          │ known pods                          │
//!      └── rest ◀── binder, status, events ◀──── Shell::perform ◀── Action
//! ```
//!
//! - In: pods, nodes and the other kinds that plugins read, through informers (list and watch); the core's actions
//!   ([`berth_core::Action`]).
//! - Out: [`berth_core::Event`]s for the core; bindings, Events, pod conditions, evictions and the intents of plugins
//!   for the API server; calls to extenders.
//! - Never: this crate makes no scheduling decision. [`Shell`] starts no binding, eviction, status patch or intent
//!   after the Lease has ended. A malformed object does not stop its informer. The core does not wait for a request,
//!   except for one to an extender.
//!
//! Begin with [`Shell`], which owns all of this, and [`connect`], which builds the client. [`lease`] is the leader
//! election. Berth has its own, because the `kube` crates have none and a state machine without I/O can be simulated.
//! [`extender`] calls extenders over HTTP.
//!
//! Pods, nodes and the kinds that plugins read have informers in this crate, because kube-runtime's `watcher` reads
//! lists as JSON only. The waits of plugins use kube-runtime's `watcher`.

mod binder;

mod cel_cost;
mod client;
mod cluster_event;
mod events;
mod evictor;
pub mod extender;
mod host;
mod informer;
mod intake;
mod intent_executor;
mod kinds;
mod known;
mod lanes;
mod leader_client;
pub mod lease;
mod list;
mod list_objects;
mod list_report;
mod named_fields;
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
mod user;
mod waiter;

pub use self::client::{ConnectError, connect, connect_at, connect_to};
pub use self::cluster_event::{ClusterEvent, ResourceVersion};
pub use self::list_objects::{each_object, list_objects};
pub use self::own_pod::OwnPod;
pub use self::rate::limited;
pub use self::rest::chain as error_with_causes;
pub use self::shell::{Options, Shell, Undone};
pub use self::until::{Until, Verdict, cel_value};
pub use self::user::{ForwardError, ServerOptions, UserConnection};
