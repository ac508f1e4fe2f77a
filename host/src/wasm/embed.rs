//! The default plugins, and those that run only where they are named, carried inside the binary.

use super::loader::BuiltIn;

#[cfg(feature = "embed")]
const COMPONENTS: &[BuiltIn] = &include!(concat!(env!("OUT_DIR"), "/default_plugins.rs"));

#[cfg(not(feature = "embed"))]
const COMPONENTS: &[BuiltIn] = &[];

/// The components that were embedded when the binary was built.
#[must_use]
pub fn components() -> &'static [BuiltIn] {
    COMPONENTS
}
