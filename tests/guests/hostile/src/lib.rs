//! A plugin that answers calls with values of the right type and random content, which is drawn from a seed.
//! `tests/hostile` runs it. `tests/guests/hostile-v0-1` builds most of this code for version 0.1 of the contract.
//!
//! The answers are harmless until a node's name starts with `hostile-`, unless the argument `armed` is true. Then the
//! answers change from call to call, and the plugin logs heavily and names objects that do not exist. With the argument
//! `breaks`, it also traps, loops endlessly and allocates much memory.

#![allow(missing_docs, reason = "the functions are those of the contract in wit/")]

mod documents;
mod draw;
mod exported;
mod facts;
mod intents;
mod misbehavior;

use std::cell::RefCell;

use crate::draw::Draw;
use crate::facts::Facts;

#[allow(unsafe_code, clippy::all, reason = "generated code")]
mod generated {
    wit_bindgen::generate!({
        path: "../../../wit/0.2",
        world: "everything",
        pub_export_macro: true,
        default_bindings_module: "crate::generated",
    });
}

pub(crate) use generated::berth::scheduler::facts::Cycle;
pub(crate) use generated::{berth, exports};

thread_local! {
    static FACTS: RefCell<Facts> = RefCell::default();
}

fn with_facts<R>(use_facts: impl FnOnce(&mut Facts) -> R) -> R {
    FACTS.with_borrow_mut(use_facts)
}

/// Returns the generator of this call's answer, or `None` if the answer is to be harmless. If the answer is to be
/// hostile, this function may also trap, loop, allocate memory or log.
fn draw(export: &str, about: u64) -> Option<Draw> {
    let mut draw = with_facts(|facts| facts.draw(export, about))?;
    misbehavior::misbehave(&mut draw);
    Some(draw)
}

struct Hostile;

#[cfg(target_family = "wasm")]
#[allow(unsafe_code, clippy::all, reason = "generated code")]
mod component {
    use crate::Hostile;
    crate::generated::export!(Hostile with_types_in crate::generated);
}
