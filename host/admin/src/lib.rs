//! What the process says about itself over HTTPS: `/healthz`, `/livez`, `/readyz`, `/metrics`; what it says at SIGUSR2; and
//! what it says about plugins and configurations that it refused.

mod access;
mod checks;
mod connections;
mod debugger;
mod file;
pub mod metrics;
mod refusals;
mod routes;
mod server;
mod subject;
mod tls;
mod view;
mod vitals;

pub use self::access::{AccessError, AuthenticationOptions, AuthorizationOptions, Headers};
pub use self::debugger::DebugSignal;
pub use self::refusals::report_refusals;
pub use self::server::{Options, Server, Sharing, StartError};
pub use self::subject::Subject;
pub use self::tls::{Choice, MinVersion, Options as TlsOptions, Pair, TlsError};
pub use self::view::SchedulerView;
pub use self::vitals::Vitals;
