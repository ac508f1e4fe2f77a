//! Shared code of plugins that spread pods: the selectors of Services and controllers, and the pods on each node that
//! match a selector.

mod placed;
mod selectors;

pub use placed::Placed;
pub use selectors::Selectors;
