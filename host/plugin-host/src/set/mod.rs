//! Combines the configured profiles with the available components.

mod assemble;
mod catalog;
mod error;
mod inventory;
mod line_up;
mod needs;
mod profiles;
mod status;

pub(super) use self::assemble::{Assembled, Assembler};
pub(super) use self::catalog::{Catalog, Found};
pub use self::error::AssembleError;
pub(super) use self::line_up::line_up;
pub use self::line_up::{Absent, LineUp, Standing};
pub(super) use self::status::Board;
pub use self::status::{PluginState, PluginStatus};
