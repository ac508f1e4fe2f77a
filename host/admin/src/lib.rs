//! The administrative interface of the scheduler process: probes, metrics, debug dumps and reports of refused files.
//!
//! **In:** the options of the HTTPS server, a [`Subject`] with the scheduler's [`Vitals`], [`metrics`] and
//! configuration, and the scheduler itself through the trait [`SchedulerView`]. **Out:** `/healthz`, `/livez`,
//! `/readyz`, `/metrics` and `/configz` over HTTPS; at SIGUSR2, a dump of cache and queue in the log, with a
//! comparison to the API server; an event on the process's own pod for each refused plugin or configuration.
//!
//! **Never:** this crate takes no scheduling decision and does not change the core. Over HTTPS, it serves no path to a
//! client that [`AuthenticationOptions`] and [`AuthorizationOptions`] don't admit. Without TLS, it listens on loopback only
//! ([`LocalServer`]). It neither stores nor logs a bearer token.

mod access;
pub mod api;
mod checks;
mod connections;
mod debugger;
mod file;
mod local;
pub mod metrics;
mod refusals;
mod routes;
mod server;
mod status;
mod subject;
mod tls;
mod view;
mod vitals;

pub use self::access::{AccessError, AuthenticationOptions, AuthorizationOptions, Headers};
pub use self::debugger::DebugSignal;
pub use self::local::{LocalServer, LocalServerError};
pub use self::refusals::report_refusals;
pub use self::server::{Options, Server, Sharing, StartError};
pub use self::subject::Subject;
pub use self::tls::{Choice, MinVersion, Options as TlsOptions, Pair, TlsError};
pub use self::view::SchedulerView;
pub use self::vitals::Vitals;
