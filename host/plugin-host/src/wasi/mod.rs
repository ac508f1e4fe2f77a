//! WASI 0.2 with nothing behind it: for languages whose ordinary builds can't do without.
//!
//! Its interfaces link, and answer what a machine without files, network, arguments and input answers. The clock shows
//! the cycle's time, random numbers come from the cycle's seed, what is written to stdout and stderr is logged, and
//! waiting takes no time. Nothing here depends on WASI's own definitions: the answer to a function follows from the
//! types that the component declares for it, but for the few in [`functions`].

mod answer;
mod functions;
mod link;
mod output;
mod state;

pub(super) use self::link::{is_offered, link};
pub(super) use self::output::Stream;
pub(super) use self::state::WasiState;
