//! Custom resources: what a CustomResourceDefinition says, and how the objects it defines are checked.

mod definition;
mod validate;

pub use definition::{Custom, PrinterColumn, accept, check, versions};
pub use validate::{default, prune, validate};
