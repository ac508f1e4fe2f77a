//! The core's model in the shapes of the contract: borrowed wherever a string or a number stands in the model already.
//!
//! Lists of records live in an arena that the caller empties after the call: strings are never copied on the way to the
//! guest, and filling one with thousands of nodes allocates a few blocks.

mod declaration;
mod event;
mod kinds;
mod node;
mod pod;
mod resources;
mod selector;
mod volume;

use bumpalo::Bump;

pub(super) use self::declaration::declaration;
pub(super) use self::event::{event_actions, node_then};
pub use self::kinds::BadKinds;
pub(super) use self::kinds::kinds;
pub(super) use self::node::node;
pub(super) use self::pod::pod;

/// `items`, each turned by `with`, in the arena.
fn each<'a, S, T>(arena: &'a Bump, items: &'a [S], with: impl Fn(&'a S) -> T) -> &'a [T] {
    arena.alloc_slice_fill_iter(items.iter().map(with))
}

/// Strings.
fn strings<'a>(arena: &'a Bump, strings: &'a [Box<str>]) -> &'a [&'a str] {
    each(arena, strings, |string| &**string)
}
