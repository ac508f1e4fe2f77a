//! Leader election: of several schedulers that share a Lease, only the holder schedules pods.
//!
//! - In: the settings `leaderElection`, and the Lease of `coordination.k8s.io/v1`.
//! - Out: whether this process leads, and a [`LeaseTerm`], which every write of the leader checks.
//! - Never: a write by a process whose Lease has ended, or two candidates that hold the Lease at once.
//!   `election_simulation.rs` tests this with lost messages, pauses, and clocks whose rates differ by up to 4 %.
//!
//! The rules are those of client-go (`tools/leaderelection`), so Berth and kube-scheduler can share a Lease.
//! [`Election`] is the state machine, [`Lock`] is the Lease at the API server, and [`Elector`] drives the state
//! machine with a clock and the lock.
//!
//! Berth has its own election for two reasons. The `kube` crates contain no leader election. And a state machine
//! without clock and I/O can be simulated: the tests run whole elections in simulated time, with faults from a seed.

mod announce;
mod clock;
mod election;
mod elector;
mod location;
mod lock;
mod record;
mod term;

pub use self::clock::{Clock, system as system_clock};
pub use self::election::{Answer, Election, Loss, Moment, Next, Request};
pub use self::elector::{Elector, Lost};
pub use self::location::{Locate, ServerLocation, fingerprint};
pub use self::lock::Lock;
pub use self::record::Record;
pub use self::term::{LeaseTerm, Unanswered};
