//! Converts the core's model to the types of the contract.
//!
//! Strings and numbers are borrowed from the model and never copied. Lists of records are in an arena, which the
//! caller resets after the call. So sending thousands of nodes to a plugin takes only a few allocations.

mod declaration;
mod event;
mod kinds;
mod node;
mod pod;
mod resources;
mod selector;
mod volume;

use bumpalo::Bump;

pub(super) use self::declaration::{declaration, interest};
pub(super) use self::event::{event_actions, node_then};
pub use self::kinds::BadKinds;
pub(super) use self::kinds::{is_fact, kinds};
pub(super) use self::node::node;
pub(super) use self::pod::pod;

/// Returns the converted items, in the arena.
fn each<'a, S, T>(arena: &'a Bump, items: &'a [S], with: impl Fn(&'a S) -> T) -> &'a [T] {
    arena.alloc_slice_fill_iter(items.iter().map(with))
}

/// Returns the strings as slices, in the arena.
fn strings<'a>(arena: &'a Bump, strings: &'a [Box<str>]) -> &'a [&'a str] {
    each(arena, strings, |string| &**string)
}
