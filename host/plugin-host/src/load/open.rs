//! Opens a single component from a file, for commands without a scheduler.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::compiler::{Compiler, LoadedComponent};
use super::error::{LoadCause, LoadError};
use super::file::read_bounded;
use super::source::Source;
use crate::engine::engine;
use crate::guest::thread_cpu_time;
use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;

/// A component whose type and `describe` conform to the contract.
pub struct Opened {
    /// The compiled component.
    pub component: LoadedComponent,
    /// The CPU time to compile it.
    pub compile: Duration,
}

/// Reads and compiles the component in `file`. With `cache_dir`, compiled code is kept there. The component may read and
/// ask for everything, because nothing that it asks for is executed.
pub fn open(file: &Path, cache_dir: Option<&Path>, limits: &Arc<Limits>) -> Result<Opened, LoadError> {
    let source = Source::file(file);
    let refused = |cause| LoadError::new(&source, cause);
    let no_engine = |error: wasmtime::Error| refused(LoadCause::NoEngine(format!("{error:#}")));
    let bytes = read_bounded(file, limits.file_size).map_err(refused)?;
    let compiler = Compiler::new(engine().map_err(no_engine)?, cache_dir, Arc::clone(limits), GrantPolicy::Everything)
        .map_err(no_engine)?;
    let before = thread_cpu_time();
    let component = compiler.load(source, &bytes)?;
    Ok(Opened { component, compile: thread_cpu_time().saturating_sub(before) })
}
