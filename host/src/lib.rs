//! The scheduler as a program: the loop that joins core, plugins and API client ([`scheduler`]), and the command line ([`cli`]).

pub mod cli;
mod default_plugins;
pub mod scheduler;

pub use self::default_plugins::default_plugins;
