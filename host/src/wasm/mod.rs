//! The WebAssembly side: components compiled, checked against the contract, limited, fed with the cluster, asked, and
//! exchanged while the scheduler runs.

mod bindings;
mod convert;
mod engine;
pub mod feed;
mod guest;
mod guests;
mod limits;
mod load;
mod metrics;
mod synthetic;

pub use self::engine::engine;
pub use self::guest::{CallError, Export};
pub use self::guests::{ClusterRequest, Delivery, Guests, Health, Outbox, Prepared};
pub use self::limits::Limits;
pub use self::load::{CONTRACT, Compiler, Digest, DiskCache, LoadCause, LoadError, LoadedComponent, Source};
pub use self::metrics::{Counters, Usage};
