//! What the process says about itself over HTTP: `/healthz`, `/livez`, `/readyz` and `/metrics`; and what it says about
//! plugins and configurations that it refused.

mod checks;
pub mod metrics;
mod refusals;
mod server;
mod subject;

pub use self::refusals::report_refusals;
pub use self::server::{Server, StartError};
pub use self::subject::Subject;
