//! Flags of `berth run` that override the configuration file, and `--write-config-to`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tracing::info;

use berth_config::Configuration;

/// Where plugins are, and what becomes of the configuration.
#[derive(Debug, clap::Args)]
pub struct SettingsFlags {
    /// A directory of plugins (`*.wasm`), watched: what is dropped there takes effect [default: what the configuration says].
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// Where compiled plugins are kept between runs [default: what the configuration says, or a folder of the user's cache].
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
    /// Write what is in force, defaults and flags included, into this file, and end.
    #[arg(long, value_name = "FILE")]
    pub write_config_to: Option<PathBuf>,
}

impl SettingsFlags {
    /// Overrides the configuration with the flags that were given.
    pub fn apply_to(&self, configuration: &mut Configuration) {
        let berth = &mut configuration.berth;
        for (field, given) in
            [(&mut berth.plugin_directory, &self.plugins), (&mut berth.cache_directory, &self.cache_dir)]
        {
            if given.is_some() {
                field.clone_from(given);
            }
        }
    }
}

/// Writes the effective configuration.
///
/// # Errors
/// The file can't be written.
pub fn write(configuration: &Configuration, path: &Path) -> Result<()> {
    std::fs::write(path, configuration.to_yaml()?).with_context(|| format!("--write-config-to {}", path.display()))?;
    info!("wrote the configuration in force to {}", path.display());
    Ok(())
}
