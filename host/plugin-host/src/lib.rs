//! The WebAssembly side: components compiled, checked against the contract, limited, fed with the cluster, asked, and
//! exchanged while the scheduler runs.

mod asking;
mod bindings;
mod check;
mod conformance;
mod convert;
mod crossing;
mod engine;
pub mod feed;
mod guest;
mod guests;
mod load;
mod loader;
mod metrics;
mod set;
mod solo;
mod synthetic;
mod wasi;

pub use self::check::{CHECK_NODES, CheckReport, check};
pub use self::conformance::{Answer, Conformance, Examination, Finding, MemoryUse, Promise, Variety, What};
pub use self::engine::{counting_engine, engine};
pub use self::guest::{CallError, Export};
pub use self::guests::{ClusterRequest, Delivery, Guests, Health, Outbox, Prepared};
pub use self::load::{CONTRACT, Compiler, Digest, DiskCache, LoadCause, LoadError, LoadedComponent, Source};
pub use self::loader::{BuiltIn, Loader, LoaderError, LoaderOptions, Stock, line_up, survey};
pub use self::metrics::{Counters, Usage};
pub use self::set::{Absent, AssembleError, LineUp, PluginState, PluginStatus, Standing};
pub use self::solo::{Said, Solo};
