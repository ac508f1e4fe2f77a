//! An instance of a component: its store, its limits, and the calls into it.

mod answers;
mod call;
mod cycle;
mod deadline;
mod error;
mod hints;
mod ids;
mod instance;
mod intents;
mod lifecycle;
mod log;
mod memory;
mod meter;
mod post_filter;
mod queueing;
mod shorten;
mod state;

pub use self::deadline::thread_cpu_time;
pub use self::error::CallError;
pub use self::instance::Instance;
pub(super) use self::instance::StartError;
pub(crate) use self::post_filter::Answer;
pub(super) use self::shorten::shorten;
pub(super) use self::state::HostState;
