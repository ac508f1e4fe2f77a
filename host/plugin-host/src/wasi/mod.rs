//! WASI 0.2 without files, network, arguments and input, for languages whose normal builds need WASI.
//!
//! The clock starts from the cycle's time, random numbers come from the cycle's seed, stdout and stderr are logged, and
//! waiting takes no time. The code does not depend on WASI's definitions: except for the few functions in
//! [`functions`], an answer is derived from the types that the component declares.

mod answer;
mod functions;
mod link;
mod output;
mod state;

pub(super) use self::link::{is_offered, link};
pub(super) use self::output::Stream;
pub(super) use self::state::WasiState;
