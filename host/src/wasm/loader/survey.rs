//! `berth plugin list`: what would serve, found out once and without a cluster.

use std::sync::Arc;

use berth_core::cache::Cache;

use super::files::Files;
use super::options::LoaderOptions;
use super::{LoaderError, compiler, directory};
use crate::wasm::load::Cluster;
use crate::wasm::set::{AssembleError, Assembler, PluginStatus, ProfileSpec};

/// Loads and tries all components as a [`super::Loader`] with the same options would, and says how they fare. The
/// second part is what keeps the profiles from being served, if anything does.
///
/// # Errors
/// The engine can't be started.
pub fn survey(
    options: &LoaderOptions,
    specs: Vec<ProfileSpec>,
) -> Result<(Vec<PluginStatus>, Option<AssembleError>), LoaderError> {
    let compiler = compiler(options)?;
    let mut files = Files::new(&options.built_in, &compiler);
    if let Some(dir) = &options.plugins_dir {
        let unreadable = |error| LoaderError::Directory(dir.clone(), Arc::new(error));
        files.refresh(directory::list(dir).map_err(unreadable)?, true, &compiler, &options.limits);
    }
    let catalog = files.catalog();
    let mut assembler = Assembler::new(specs, Arc::clone(&options.limits));
    let assembled = assembler.assemble(&catalog, &mut Cluster::new(&mut |_| Ok(Cache::default())));
    let error = match assembled {
        Ok(Some(assembled)) => {
            assembler.commit(assembled.inventory);
            None
        }
        Ok(None) => None,
        Err(error) => Some(error),
    };
    Ok((assembler.board(catalog, error.clone()).status(), error))
}
