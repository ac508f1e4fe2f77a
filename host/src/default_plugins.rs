//! The components in the binary: the default plugins, and the plugins that run only where a profile names them.

use berth_plugin_host::BuiltIn;

#[cfg(feature = "embed")]
const COMPONENTS: &[BuiltIn] = &include!(concat!(env!("OUT_DIR"), "/default_plugins.rs"));

#[cfg(not(feature = "embed"))]
const COMPONENTS: &[BuiltIn] = &[];

/// Returns the components that were embedded when the binary was built; none without the feature `embed`.
#[must_use]
pub fn default_plugins() -> &'static [BuiltIn] {
    COMPONENTS
}
