//! What plugins that spread pods share: the Services and controllers by which pods are of a kind, and how many of them are on
//! which node.

mod placed;
mod selectors;

pub use placed::Placed;
pub use selectors::Selectors;
