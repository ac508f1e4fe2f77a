//! A component by itself, from its file: for commands that need no scheduler around it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::compiler::{Compiler, LoadedComponent};
use super::error::{LoadCause, LoadError};
use super::file::read_bounded;
use super::source::Source;
use crate::engine::engine;
use crate::guest::thread_cpu_time;
use berth_core::limits::Limits;

/// A component that keeps to the contract as far as its type and its `describe` say.
pub(crate) struct Opened {
    pub component: LoadedComponent,
    /// CPU time of compiling it.
    pub compile: Duration,
}

/// Reads and compiles the component in `file`; with `cache_dir`, compiled code is kept there.
pub(crate) fn open(file: &Path, cache_dir: Option<&Path>, limits: &Arc<Limits>) -> Result<Opened, LoadError> {
    let source = Source::file(file);
    let refused = |cause| LoadError::new(&source, cause);
    let no_engine = |error: wasmtime::Error| refused(LoadCause::NoEngine(format!("{error:#}")));
    let bytes = read_bounded(file, limits.file_size).map_err(refused)?;
    let compiler = Compiler::new(engine().map_err(no_engine)?, cache_dir, Arc::clone(limits)).map_err(no_engine)?;
    let before = thread_cpu_time();
    let component = compiler.load(source, &bytes)?;
    Ok(Opened { component, compile: thread_cpu_time().saturating_sub(before) })
}
