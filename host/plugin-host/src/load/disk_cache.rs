//! Compiled components on disk, so that a restart doesn't compile again.
//!
//! Compiled code is as powerful as the process that loads it. The folder therefore has to be this user's alone, and so
//! has every file in it; anything else is refused or compiled again. A file's name has a checksum of its content, so that a file that
//! was cut off or altered, by a crash or by a disk, is compiled again as well.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use wasmtime::Engine;
use wasmtime::component::Component;
use xxhash_rust::xxh3::Xxh3;

use super::cached::deserialize;
use super::digest::Digest;

/// The end of a file's name.
const EXTENSION: &str = ".cwasm";

/// Files kept; the oldest go first.
const KEPT: usize = 256;

/// A folder of compiled components. A file is named by the digest of the component, the hash of the engine and the checksum of the file.
#[derive(Debug)]
pub struct DiskCache {
    dir: PathBuf,
    engine: u64,
}

/// Why a folder can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DiskCacheError {
    /// It can't be made or read, for instance on a read-only system.
    #[error("{}: {error}", dir.display())]
    Io {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Somebody else could put code there.
    #[error("{} must be a folder that belongs to this user and that nobody else can write to (mode 0700); it is {found}", dir.display())]
    NotOurs {
        /// The folder.
        dir: PathBuf,
        /// Owner and mode.
        found: String,
    },
}

impl DiskCache {
    /// Uses `dir`, made if it is not there.
    ///
    /// # Errors
    /// It can't be made, or is not ours alone.
    pub fn open(dir: &Path, engine: &Engine) -> Result<Self, DiskCacheError> {
        let io = |error| DiskCacheError::Io { dir: dir.to_owned(), error };
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)?;
        let found = fs::symlink_metadata(dir).map_err(io)?;
        if !found.is_dir() || !ours_alone(&found) {
            let found = format!("owned by user {} with mode {:04o}", found.uid(), found.mode() & 0o7777);
            return Err(DiskCacheError::NotOurs { dir: dir.to_owned(), found });
        }
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Ok(Self { dir: dir.to_owned(), engine: hasher.finish() })
    }

    /// The compiled component, if it is here and good.
    pub(super) fn get(&self, engine: &Engine, digest: Digest) -> Option<Component> {
        let stem = self.stem(digest);
        let is_of = |name: &str| name.strip_prefix(&stem).is_some_and(|rest| rest.starts_with('-'));
        let names = fs::read_dir(&self.dir).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| is_of(name)).find_map(|name| load(engine, &self.dir.join(&name)))
    }

    /// Keeps the compiled component.
    pub(super) fn put(&self, digest: Digest, component: &Component) {
        if let Err(error) = self.write(digest, component) {
            tracing::warn!(folder = %self.dir.display(), "compiled code can't be kept: {error:#}");
        }
    }

    fn write(&self, digest: Digest, component: &Component) -> wasmtime::Result<()> {
        let code = component.serialize()?;
        let unfinished = self.dir.join(format!(".{digest}.{}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        let finished = self.dir.join(format!("{}-{}{EXTENSION}", self.stem(digest), checksum(&*code)?));
        // After a crash of the machine the name stands for the whole content.
        let written = file.write_all(&code).and_then(|()| file.sync_all());
        let written = written.and_then(|()| fs::rename(&unfinished, finished));
        let written = written.and_then(|()| File::open(&self.dir)?.sync_all());
        if written.is_err() {
            // It may not even be there; the error that matters is the one before.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        Ok(self.prune()?)
    }

    /// Returns the beginning of the names of a component's files. It names the kind of checksum, so that files with another kind, of
    /// another version of Berth, are not taken for damaged ones.
    fn stem(&self, digest: Digest) -> String {
        format!("{digest}-{:016x}-xxh3", self.engine)
    }

    fn prune(&self) -> io::Result<()> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "cwasm") {
                files.push((entry.metadata()?.modified()?, entry.path()));
            }
        }
        files.sort();
        let surplus = files.len().saturating_sub(KEPT);
        files.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
    }
}

/// Returns the XXH3 of the content. It finds damage in a folder that nobody else may write to. SHA-256 would take a tenth of the CPU
/// time of a start.
fn checksum(mut content: impl io::Read) -> io::Result<String> {
    let mut hash = Xxh3::new();
    io::copy(&mut content, &mut hash)?;
    Ok(format!("{:032x}", hash.digest128()))
}

/// The component in this file, if the file is ours alone and as it was written.
fn load(engine: &Engine, path: &Path) -> Option<Component> {
    let unusable = |why: &str| tracing::warn!(file = %path.display(), "compiled code is not used: {why}");
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || !ours_alone(&found) {
        unusable("others could have written it");
        return None;
    }
    let found = File::open(path).and_then(checksum).inspect_err(|error| unusable(&error.to_string())).ok()?;
    let name = path.file_name()?.to_str()?;
    if !name.ends_with(&format!("-{found}{EXTENSION}")) {
        unusable("it is not as it was written");
        return None;
    }
    deserialize(engine, path).inspect_err(|error| unusable(&format!("{error:#}"))).ok()
}

fn ours_alone(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0
}
