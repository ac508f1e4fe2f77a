//! The commands of the cargo feature `simulator`.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The commands that this binary does not have because it was built without the feature.
const ABSENT: &[&str] =
    if cfg!(feature = "simulator") { &[] } else { &["sim", "controllers", "scenario", "demo", "new", "sdk"] };

/// Returns the name of the command that was called if this binary does not have it because of its features.
pub(super) fn absent_command(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let absent = ABSENT.iter().find(|absent| **absent == name.as_str());
    absent.copied().filter(|_| error.kind() == ErrorKind::InvalidSubcommand)
}
