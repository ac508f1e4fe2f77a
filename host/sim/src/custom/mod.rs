//! Custom resources: reads CustomResourceDefinitions, and validates the objects that they define.

mod definition;
mod validate;

pub use definition::{Custom, PrinterColumn, accept, check, versions};
pub use validate::{default, prune, validate};
