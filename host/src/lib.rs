//! The program `berth`: the event loop that connects core, plugins and API client ([`scheduler`]), and the command
//! line ([`cli`]).
//!
//! **In:** the command line, configuration files, plugins, and the objects of a cluster. **Out:** bindings, events
//! and conditions in the cluster; for the other commands, their output and exit status.
//!
//! **Never:** this crate takes no scheduling decision. `berth-core` decides, `berth-plugin-host` calls plugins, and
//! `berth-kube` sends requests to the API server. Only the scheduling thread accesses core and plugin instances.

pub mod cli;
mod default_plugins;
mod history;
pub mod scheduler;

pub use self::default_plugins::{default_plugins, grant_policy, loader_options};
