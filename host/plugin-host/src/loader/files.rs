//! The built-in components, and those of the plugins directory as they were last read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use super::directory::{Fingerprint, Listed};
use super::options::{BuiltIn, LoaderOptions};
use crate::load::{Compiler, Digest, LoadCause, LoadError, LoadedComponent, Source, read_bounded};
use crate::set::{Catalog, Found};
use berth_core::limits::Limits;
use tempfile::NamedTempFile;

/// The known files and the results of loading them.
pub(super) struct Files {
    built_in: Vec<Found>,
    known: BTreeMap<PathBuf, Known>,
    /// See [`super::LoaderOptions::keep_files`].
    keep: Option<PathBuf>,
}

struct Known {
    fingerprint: Fingerprint,
    /// `None` if the file could not be read.
    digest: Option<Digest>,
    loaded: Result<Arc<LoadedComponent>, LoadError>,
    /// Whether the error of the file was logged. An error is logged when a second read finds the same content, because
    /// the file is then no longer being written.
    reported: bool,
}

impl Files {
    /// Loads the components in the binary.
    pub fn new(options: &LoaderOptions, compiler: &Compiler) -> Self {
        let LoaderOptions { built_in, loaded: counter, keep_files, .. } = options;
        let load = |from: &BuiltIn| {
            let source = Source::BuiltIn(from.file);
            let loaded = compiler.load(source.clone(), from.bytes).map(Arc::new);
            counter.fetch_add(1, Relaxed);
            loaded.as_ref().err().into_iter().for_each(|error| tracing::error!(%error, "built-in plugin refused"));
            Found { source, loaded }
        };
        Self { built_in: on_all_processors(built_in, load), known: BTreeMap::new(), keep: keep_files.clone() }
    }

    /// Reads files that are new or look changed; with `all`, reads every file. Returns whether a file is invalid and
    /// may still be being written, so that it is worth another look soon.
    pub fn refresh(&mut self, listed: Vec<Listed>, all: bool, compiler: &Compiler, limits: &Limits) -> bool {
        let mut before = std::mem::take(&mut self.known);
        for (number, Listed { path, fingerprint }) in listed.into_iter().enumerate() {
            let known = match before.remove(&path) {
                Some(known) if known.fingerprint == fingerprint && !all => known,
                known => self.read(&path, fingerprint, known, number, compiler, limits),
            };
            self.known.insert(path, known);
        }
        self.known.values().any(|known| known.loaded.is_err() && !known.reported)
    }

    /// Reads a file. Loads it only if its content has changed.
    fn read(
        &self,
        path: &Path,
        fingerprint: Fingerprint,
        known: Option<Known>,
        number: usize,
        compiler: &Compiler,
        limits: &Limits,
    ) -> Known {
        let source = Source::file(path);
        let content = if number < limits.files {
            read_bounded(path, limits.file_size)
        } else {
            Err(LoadCause::TooMany(limits.files))
        };
        let digest = content.as_deref().ok().map(Digest::of);
        if let Some(known) = known
            && known.digest == digest
        {
            let mut known = Known { fingerprint, ..known };
            report(&mut known);
            return known;
        }
        let load = |bytes: Vec<u8>| {
            let loaded = compiler.load(source.clone(), &bytes)?;
            if let Some(folder) = &self.keep {
                keep_copy(folder, loaded.digest, &bytes);
            }
            Ok(Arc::new(loaded))
        };
        let loaded = content.map_err(|cause| LoadError::new(&source, cause)).and_then(load);
        Known { fingerprint, digest, loaded, reported: false }
    }

    /// Returns all components.
    pub fn catalog(&self) -> Catalog {
        let files =
            self.known.iter().map(|(path, known)| Found { source: Source::file(path), loaded: known.loaded.clone() });
        Catalog::new(self.built_in.iter().cloned().chain(files))
    }
}

/// Processes the items on all processors and returns the results in the order of the items. Use it only before any pod
/// is scheduled: to compile all components takes many seconds of CPU time.
fn on_all_processors<T: Sync, R: Send>(items: &[T], process: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, process(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
        let helper = || thread::Builder::new().name("wasm-compiler".into()).spawn_scoped(scope, work);
        // If no thread can be started, this thread processes all items.
        let helpers: Vec<_> = (1..processors).filter_map(|_| helper().ok()).collect();
        let mut done = work();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Writes a copy of a component, unless there is one.
fn keep_copy(folder: &Path, digest: Digest, bytes: &[u8]) {
    let path = folder.join(format!("{digest}.wasm"));
    if path.exists() {
        return;
    }
    let write = || {
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.persist(&path).map_err(|error| error.error)
    };
    if let Err(error) = write() {
        tracing::warn!(file = %path.display(), %error, "no copy of a plugin is kept for replays; writing it failed");
    }
}

/// Logs the error of a file once, after it occurred twice.
fn report(known: &mut Known) {
    if let Err(error) = &known.loaded
        && !std::mem::replace(&mut known.reported, true)
    {
        tracing::warn!(file = %error.source_name, error = %error.cause, "plugin refused");
    }
}
