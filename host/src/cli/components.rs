//! Loads the components for a command that works on a copy of a cluster.

use anyhow::Result;
use berth_plugin_host::{ComponentSet, LoaderOptions};

use super::progress::Progress;

/// Loads the components, with a progress bar.
///
/// # Errors
/// The plugins directory can't be read.
pub(super) fn load(options: &LoaderOptions) -> Result<ComponentSet> {
    let _progress = Progress::counted("plugins compiled", options.built_in.len(), options.loaded.clone());
    Ok(ComponentSet::load(options)?)
}
