//! The components embedded in the binary: the default plugins, and plugins that run only if a profile names them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use berth_config::v1alpha1::BerthConfiguration;
use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;
use berth_plugin_host::{BuiltIn, LoaderOptions};

/// The grants of the default plugins, as a BerthConfiguration.
const GRANTS: &str = include_str!("../../plugins/grants.yaml");

#[cfg(feature = "embed")]
const COMPONENTS: &[BuiltIn] = &include!(concat!(env!("OUT_DIR"), "/default_plugins.rs"));

#[cfg(not(feature = "embed"))]
const COMPONENTS: &[BuiltIn] = &[];

/// Returns the components that were embedded at build time. Without the feature `embed`, there are none.
#[must_use]
pub fn default_plugins() -> &'static [BuiltIn] {
    COMPONENTS
}

/// Returns options that load the default plugins and the components of a directory, with the grants and the cache
/// directory of the configuration.
///
/// # Errors
/// As [`grant_policy`].
pub fn loader_options(
    configuration: &BerthConfiguration,
    plugins_dir: Option<PathBuf>,
    limits: Arc<Limits>,
) -> Result<LoaderOptions> {
    Ok(LoaderOptions {
        plugins_dir,
        cache_dir: configuration.cache_directory.clone(),
        limits,
        grants: grant_policy(configuration)?,
        built_in: default_plugins().to_vec(),
        ..LoaderOptions::default()
    })
}

/// Returns what the default plugins and the plugins of the configuration may read and change.
///
/// # Errors
/// `plugins/grants.yaml`, which is part of the binary, is invalid.
pub fn grant_policy(configuration: &BerthConfiguration) -> Result<GrantPolicy> {
    let built_in = berth_config::parse(GRANTS, "plugins/grants.yaml").context("reading the default plugins' grants")?;
    Ok(GrantPolicy::Named { built_in: built_in.berth.grants(), configured: configuration.grants() })
}
