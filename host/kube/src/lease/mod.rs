//! Leader election: of several schedulers of one name, the one that holds a Lease places pods.
//!
//! The rules are client-go's (`tools/leaderelection`), so that Berth and kube-scheduler can share a Lease: [`Election`] is
//! the state machine, without clock and I/O; [`Lock`] is the Lease at the API server; [`Elector`] joins them with time. [`LeaseTerm`] keeps a leader
//! from writing after its Lease ran out.

mod announce;
mod clock;
mod election;
mod elector;
mod lock;
mod record;
mod term;

pub use self::clock::{Clock, system as system_clock};
pub use self::election::{Answer, Election, Loss, Moment, Next, Request};
pub use self::elector::{Elector, Lost};
pub use self::lock::Lock;
pub use self::record::Record;
pub use self::term::{LeaseTerm, Unanswered};
