//! The scheduler as a state machine: events in, actions out, plugins asked in between.
//!
//! [`Core::step`] takes one [`Event`] and the time, and returns the [`Action`]s that it wants done. It does no I/O, has no
//! clock, no threads and no randomness but its seed: the same events give the same actions. One thread owns it.
//!
//! The way of the data, which is also the way through the folders:
//! [`model`] (pods and nodes as scheduling reads them) → [`cache`] (the cluster, with what is assumed, and a log of what
//! changed) → [`queue`] (which pod is next) → [`cycle`] (filters, scores, choice) → [`answers`] (what plugins said, kept)
//! → [`plugins`] (the trait through which guests are asked), [`extenders`] (the one for programs beside them) and [`lifecycle`] (what they say after the choice) → [`action`]
//! (what is to be done), and [`attempt`] (what came of it, for who measures).

pub mod action;
pub mod answers;
pub mod attempt;
pub mod cache;
pub mod classes;
pub mod cluster_event;
pub mod core;
pub mod cycle;
pub mod declaration;
pub mod event;
pub mod extenders;
pub mod facts;
pub mod intent;
pub mod lifecycle;
pub mod limits;
pub mod model;
pub mod nominations;
pub mod plugins;
pub mod profile;
pub mod profile_spec;
pub mod queue;
pub mod template;
pub mod time;

pub use crate::action::Action;
pub use crate::answers::USUAL_NODES;
pub use crate::core::{Core, Options};
pub use crate::event::Event;
pub use crate::plugins::Plugins;
pub use crate::time::Timestamp;
