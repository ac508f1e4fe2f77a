//! Finds out which plugins would serve, once and without a cluster, for `berth plugin list` and `berth config check`.

use super::LoaderError;
use super::component_set::ComponentSet;
use super::options::LoaderOptions;
use crate::set::{self, AssembleError, LineUp, PluginStatus};
use berth_core::profile_spec::ProfileSpec;

/// Loads and tests all components, as a [`super::Loader`] with the same options does. Returns the state of each, and
/// the reason why the profiles can't serve, if there is one.
///
/// # Errors
/// The engine can't be started, or the directory can't be read.
pub fn survey(
    options: &LoaderOptions,
    specs: Vec<ProfileSpec>,
) -> Result<(Vec<PluginStatus>, Option<AssembleError>), LoaderError> {
    Ok(ComponentSet::load(options)?.status(specs))
}

impl ComponentSet {
    /// Returns the state of each component if these profiles serve, and the reason why they can't serve, if there is one.
    /// Starts an instance of each plugin.
    #[must_use]
    pub fn status(&self, specs: Vec<ProfileSpec>) -> (Vec<PluginStatus>, Option<AssembleError>) {
        let (mut assembler, assembled) = self.assemble(specs);
        let error = match assembled {
            Ok(Some(assembled)) => {
                assembler.commit(assembled.inventory);
                None
            }
            Ok(None) => None,
            Err(error) => Some(error),
        };
        (assembler.board(self.catalog.clone(), error.clone()).status(), error)
    }
}

/// Returns the plugins of each profile in the order of their calls at each extension point. The second part is the
/// reason why the profiles can't serve, if there is one besides absent plugins.
///
/// # Errors
/// The engine can't be started, or the directory can't be read.
pub fn line_up(
    options: &LoaderOptions,
    specs: Vec<ProfileSpec>,
) -> Result<(Vec<LineUp>, Option<AssembleError>), LoaderError> {
    let components = ComponentSet::load(options)?;
    let lines: Vec<LineUp> = specs.iter().map(|spec| set::line_up(spec, &components.catalog)).collect();
    // Absent plugins are reported in the line-up.
    let error = if lines.iter().all(|line| line.absent.is_empty()) { components.assemble(specs).1.err() } else { None };
    Ok((lines, error))
}
