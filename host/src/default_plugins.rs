//! The components embedded in the binary: the default plugins, and plugins that run only if a profile names them.

use berth_plugin_host::BuiltIn;

#[cfg(feature = "embed")]
const COMPONENTS: &[BuiltIn] = &include!(concat!(env!("OUT_DIR"), "/default_plugins.rs"));

#[cfg(not(feature = "embed"))]
const COMPONENTS: &[BuiltIn] = &[];

/// Returns the components that were embedded at build time. Without the feature `embed`, there are none.
#[must_use]
pub fn default_plugins() -> &'static [BuiltIn] {
    COMPONENTS
}
