//! Loads the components for a command that works on a copy of a cluster.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use berth_config::v1alpha1::BerthConfiguration;
use berth_core::limits::Limits;
use berth_plugin_host::{ComponentSet, LoaderOptions};

use super::progress::Progress;

/// Loads the default plugins and the components of the directory, with the grants and the cache directory of the
/// configuration.
///
/// # Errors
/// The directory or the default plugins' grants can't be read.
pub(super) fn load(
    berth: &BerthConfiguration,
    plugins_dir: Option<PathBuf>,
    limits: Arc<Limits>,
) -> Result<ComponentSet> {
    let options = LoaderOptions {
        plugins_dir,
        cache_dir: berth.cache_directory.clone(),
        limits,
        grants: crate::default_plugins::grant_policy(berth)?,
        built_in: crate::default_plugins().to_vec(),
        ..LoaderOptions::default()
    };
    let total = options.built_in.len();
    let _progress = Progress::counted("plugins compiled", total, options.loaded.clone());
    Ok(ComponentSet::load(&options)?)
}
