//! The exports. Each answers with drawn values, or with a harmless answer.

mod binding;
mod declaration;
mod hypothetical;
#[path = "../../hostile/src/exported/nodes.rs"]
mod nodes;
mod queueing;
#[path = "../../hostile/src/exported/refusal.rs"]
mod refusal;

use crate::exports::berth::scheduler::classes::{ClassFilter, Classified};
pub(crate) use refusal::refuse_sometimes;

fn classified(filter: ClassFilter, scores: bool, replaces_all: bool, nodes: Vec<u32>, classes: Vec<u32>) -> Classified {
    Classified { filter, scores, anew: replaces_all, nodes, classes }
}
