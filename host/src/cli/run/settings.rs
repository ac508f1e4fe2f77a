//! Flags of `berth run` that override the configuration file, and `--write-config-to`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tracing::info;

use berth_config::Configuration;

/// The flags that override fields of the configuration file.
#[derive(Debug, clap::Args)]
pub struct SettingsFlags {
    /// Directory of further plugins (*.wasm), watched [default: from --config].
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// Cache of compiled plugins [default: from --config, else ~/.cache/berth].
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
    /// Write the configuration in force, with defaults and flags, and exit.
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
    info!(file = %path.display(), "wrote the configuration in force");
    Ok(())
}
