//! The host of the plugins, which are WebAssembly components.
//!
//! - In: component files or bytes, the profiles with the arguments of each plugin, the limits, and the core's cluster
//!   cache.
//! - Out: [`Guests`], which implements [`berth_core::Plugins`] and returns the plugins' answers, checked against the
//!   contract. Also the state of each plugin ([`PluginStatus`]) and its counters.
//! - Never: a failing plugin does not stop the scheduler. Every call has limits of CPU time, wall time and memory,
//!   and an invalid answer is an error of the plugin. A plugin gets no files and no network; its time and its random
//!   seed come from the cycle. The [`Loader`] replaces the serving set only with one that was filled and tested.
//!
//! The path of a component: `loader` watches the plugins directory, `load` compiles, checks and tests a component,
//! `set` assembles the plugins of the profiles, `guests` holds the instances that serve, `guest` makes the calls, and
//! [`feed`] keeps the snapshot of an instance up to date. [`examine`] has what the checks of a single component need
//! (`berth-conformance`).

pub mod asking;
mod authority;
mod bindings;
mod contract;
mod convert;
mod crossing;
mod engine;
pub mod examine;
pub mod feed;
mod guest;
mod guests;
mod load;
mod loader;
mod metrics;
mod set;
pub mod synthetic;
mod wasi;

pub use self::contract::{Export, Version};
pub use self::engine::{counting_engine, engine};
pub use self::guest::CallError;
pub use self::guests::{
    CallObserver, ClusterRequest, Delivery, Guests, Health, Observed, Outbox, PluginAnswer, PluginCall, Prepared,
};
pub use self::load::{
    ArgumentSchema, Compiler, Digest, DiskCache, LoadCause, LoadError, LoadedComponent, Mistake, Source,
};
pub use self::loader::{BuiltIn, ComponentSet, Loader, LoaderError, LoaderOptions, Succession, line_up, survey};
pub use self::metrics::{Counters, Usage};
pub use self::set::{Absent, AssembleError, LineUp, PluginState, PluginStatus, Standing};
