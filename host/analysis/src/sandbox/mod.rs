//! A core of its own with plugin instances of its own, on a copy of the cluster.

mod answers;
mod left_out;
mod state;
mod undo;
mod update;

pub use self::answers::{Answers, NodeAnswer, PluginScore, PreEnqueueAnswer, PreFilterAnswer};
pub use self::state::{Sandbox, SandboxError, wanted};
pub use self::undo::Position;
