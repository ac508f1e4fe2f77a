//! `berth plugin list` and `berth config check`: what would serve, found out once and without a cluster.

use super::LoaderError;
use super::options::LoaderOptions;
use super::stock::Stock;
use crate::set::{self, AssembleError, LineUp, PluginStatus};
use berth_core::profile_spec::ProfileSpec;

/// Loads and tries all components as a [`super::Loader`] with the same options would, and says how they fare. The
/// second part is what keeps the profiles from being served, if anything does.
///
/// # Errors
/// The engine can't be started.
pub fn survey(
    options: &LoaderOptions,
    specs: Vec<ProfileSpec>,
) -> Result<(Vec<PluginStatus>, Option<AssembleError>), LoaderError> {
    let stock = Stock::load(options)?;
    let (mut assembler, assembled) = stock.assemble(specs);
    let error = match assembled {
        Ok(Some(assembled)) => {
            assembler.commit(assembled.inventory);
            None
        }
        Ok(None) => None,
        Err(error) => Some(error),
    };
    Ok((assembler.board(stock.catalog, error.clone()).status(), error))
}

/// Which plugins would be asked, at each extension point in which order, for each of the profiles. The second part is what
/// keeps the profiles from being served apart from what is absent, if anything does.
///
/// # Errors
/// The engine can't be started.
pub fn line_up(
    options: &LoaderOptions,
    specs: Vec<ProfileSpec>,
) -> Result<(Vec<LineUp>, Option<AssembleError>), LoaderError> {
    let stock = Stock::load(options)?;
    let lines: Vec<LineUp> = specs.iter().map(|spec| set::line_up(spec, &stock.catalog)).collect();
    // What is absent is told plugin by plugin.
    let error = if lines.iter().all(|line| line.absent.is_empty()) { stock.assemble(specs).1.err() } else { None };
    Ok((lines, error))
}
