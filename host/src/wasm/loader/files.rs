//! The components of the directory, as they were last read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::{Fingerprint, Listed};
use super::options::BuiltIn;
use crate::wasm::limits::Limits;
use crate::wasm::load::{Compiler, Digest, LoadCause, LoadError, LoadedComponent, Source, read_bounded};
use crate::wasm::set::{Catalog, Found};

/// Files and what became of them.
pub(super) struct Files {
    built_in: Vec<Found>,
    known: BTreeMap<PathBuf, Known>,
}

struct Known {
    fingerprint: Fingerprint,
    /// `None` where it could not be read.
    digest: Option<Digest>,
    loaded: Result<Arc<LoadedComponent>, LoadError>,
    /// It was bad twice in a row with the same content: nobody is still writing it.
    reported: bool,
}

impl Files {
    /// The components in the binary.
    pub fn new(built_in: &[BuiltIn], compiler: &Compiler) -> Self {
        let load = |from: &BuiltIn| {
            let source = Source::BuiltIn(from.file);
            let loaded = compiler.load(source.clone(), from.bytes).map(Arc::new);
            loaded.as_ref().err().into_iter().for_each(|error| tracing::error!("{error}"));
            Found { source, loaded }
        };
        Self { built_in: built_in.iter().map(load).collect(), known: BTreeMap::new() }
    }

    /// Reads what is new or looks changed; with `all`, the content of every file. Returns whether something is bad that
    /// may still be being written, so that it is worth another look soon.
    pub fn refresh(&mut self, listed: Vec<Listed>, all: bool, compiler: &Compiler, limits: &Limits) -> bool {
        let mut before = std::mem::take(&mut self.known);
        for (number, Listed { path, fingerprint }) in listed.into_iter().enumerate() {
            let known = match before.remove(&path) {
                Some(known) if known.fingerprint == fingerprint && !all => known,
                known => read(&path, fingerprint, known, number, compiler, limits),
            };
            self.known.insert(path, known);
        }
        self.known.values().any(|known| known.loaded.is_err() && !known.reported)
    }

    /// All of them.
    pub fn catalog(&self) -> Catalog {
        let files =
            self.known.iter().map(|(path, known)| Found { source: Source::file(path), loaded: known.loaded.clone() });
        Catalog::new(self.built_in.iter().cloned().chain(files))
    }
}

/// Reads a file, and loads it unless it is what it was.
fn read(
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
    let loaded = content
        .map_err(|cause| LoadError::new(&source, cause))
        .and_then(|bytes| compiler.load(source, &bytes))
        .map(Arc::new);
    Known { fingerprint, digest, loaded, reported: false }
}

/// Says what is wrong with a file, once, when it has stayed so.
fn report(known: &mut Known) {
    if let Err(error) = &known.loaded
        && !std::mem::replace(&mut known.reported, true)
    {
        tracing::warn!("plugin refused: {error}");
    }
}
