//! Leader election: of several schedulers of one name, the one that holds a Lease places pods.
//!
//! The rules are client-go's (`tools/leaderelection`), so that Berth and kube-scheduler can share a Lease: [`Election`] is
//! the state machine, without clock and I/O; [`Lock`] is the Lease at the API server; [`Elector`] joins them with time.

mod announce;
mod election;
mod elector;
mod lock;
mod options;
mod record;

pub use self::election::{Answer, Election, Loss, Moment, Next, Request};
pub use self::elector::{Elector, Lost};
pub use self::lock::Lock;
pub use self::options::{LeaderElection, LeaderElectionError, Timing};
pub use self::record::Record;
