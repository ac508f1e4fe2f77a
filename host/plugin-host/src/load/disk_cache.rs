//! Compiled components on disk, so that a restart does not compile again.
//!
//! Compiled code has all rights of the process that loads it. So the folder and its files must belong to this user,
//! and no other user may write to them; otherwise the folder is refused, and a file is compiled again. The name of a
//! file contains a checksum of its content, so a file that was truncated or altered, by a crash or by the disk, is
//! also compiled again.

use std::env;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, futimens};
use wasmtime::Engine;
use wasmtime::component::Component;
use xxhash_rust::xxh3::Xxh3;

use super::cached::deserialize;
use super::digest::Digest;

/// The suffix of the files.
const EXTENSION: &str = ".cwasm";

/// The largest number of files after a file was stored. The files that were used longest ago are removed first. The time
/// of a file's last use is its time of modification, because many file systems don't record reads.
const KEPT: usize = 256;

/// A folder of compiled components. The name of a file consists of the component's digest, the engine's hash and the
/// file's checksum.
#[derive(Debug)]
pub struct DiskCache {
    dir: PathBuf,
    engine: u64,
}

/// The reason why a folder can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DiskCacheError {
    /// The folder can't be created or read, for example on a read-only file system.
    #[error("can't use the folder {}: {error}", dir.display())]
    Io {
        /// The folder.
        dir: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Another user could write to the folder.
    #[error("{} must be a folder that belongs to this user and that nobody else can write to (mode 0700); it is {found}", dir.display())]
    OtherOwner {
        /// The folder.
        dir: PathBuf,
        /// Its owner and mode.
        found: String,
    },
}

impl DiskCache {
    /// Returns the folder in the user's cache: `$XDG_CACHE_HOME/berth`, or else `$HOME/.cache/berth`. `None` if neither
    /// variable is set.
    #[must_use]
    pub fn folder_of_user() -> Option<PathBuf> {
        let from = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        Some(from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")))?.join("berth"))
    }

    /// Opens the folder `dir`, or creates it.
    ///
    /// # Errors
    /// The folder can't be created, or another user could write to it.
    pub fn open(dir: &Path, engine: &Engine) -> Result<Self, DiskCacheError> {
        let io = |error| DiskCacheError::Io { dir: dir.to_owned(), error };
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)?;
        let found = fs::symlink_metadata(dir).map_err(io)?;
        if !found.is_dir() || !only_owner_can_write(&found) {
            let found = format!("owned by user {} with mode {:04o}", found.uid(), found.mode() & 0o7777);
            return Err(DiskCacheError::OtherOwner { dir: dir.to_owned(), found });
        }
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Ok(Self { dir: dir.to_owned(), engine: hasher.finish() })
    }

    /// Returns the compiled component, if there is a valid file.
    pub(super) fn get(&self, engine: &Engine, digest: Digest) -> Option<Component> {
        let stem = self.stem(digest);
        let is_of = |name: &str| name.strip_prefix(&stem).is_some_and(|rest| rest.starts_with('-'));
        let names = fs::read_dir(&self.dir).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| is_of(name)).find_map(|name| load(engine, &self.dir.join(&name)))
    }

    /// Stores the compiled component.
    pub(super) fn put(&self, digest: Digest, component: &Component) {
        if let Err(error) = self.write(digest, component) {
            let (file, error) = (self.dir.display(), format_args!("{error:#}"));
            tracing::warn!(%file, %error, "storing compiled code failed; compiling the plugin again at the next start");
        }
    }

    fn write(&self, digest: Digest, component: &Component) -> wasmtime::Result<()> {
        let code = component.serialize()?;
        let unfinished = self.dir.join(format!(".{digest}.{}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        let finished = self.dir.join(format!("{}-{}{EXTENSION}", self.stem(digest), checksum(&*code)?));
        // After a crash of the machine, a file with this name is complete.
        let written = file.write_all(&code).and_then(|()| file.sync_all());
        let written = written.and_then(|()| fs::rename(&unfinished, finished));
        let written = written.and_then(|()| File::open(&self.dir)?.sync_all());
        if written.is_err() {
            // The file may not exist; the earlier error is the one to report.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        Ok(self.prune()?)
    }

    /// Returns the start of the names of a component's files. It includes the kind of the checksum, so that files
    /// with another kind, from another version of Berth, do not count as damaged.
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

/// Returns the XXH3 of the content. It detects damage in a folder that no other user may write to. SHA-256 would take
/// a tenth of the CPU time of a start.
fn checksum(mut content: impl io::Read) -> io::Result<String> {
    let mut hash = Xxh3::new();
    io::copy(&mut content, &mut hash)?;
    Ok(format!("{:032x}", hash.digest128()))
}

/// Returns the component in this file, if no other user can write to the file, and the checksum in its name matches.
fn load(engine: &Engine, path: &Path) -> Option<Component> {
    let log_unusable = |reason: &str| {
        tracing::warn!(file = %path.display(), %reason, "stored code is not used; compiling the plugin again");
    };
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || !only_owner_can_write(&found) {
        log_unusable("another user can write to the file, or it is not a regular file");
        return None;
    }
    let found = File::open(path).and_then(checksum).inspect_err(|error| log_unusable(&error.to_string())).ok()?;
    let name = path.file_name()?.to_str()?;
    if !name.ends_with(&format!("-{found}{EXTENSION}")) {
        log_unusable("its checksum does not match");
        return None;
    }
    let component = deserialize(engine, path).inspect_err(|error| log_unusable(&format!("{error:#}"))).ok()?;
    if let Err(error) = mark_used(path) {
        tracing::debug!(file = %path.display(), %error, "the time of the last use of stored code can't be set");
    }
    Some(component)
}

/// Sets the file's time of modification to the present.
fn mark_used(path: &Path) -> io::Result<()> {
    let at = |nanoseconds| Timespec { tv_sec: 0, tv_nsec: nanoseconds };
    let times = Timestamps { last_access: at(UTIME_OMIT), last_modification: at(UTIME_NOW) };
    Ok(futimens(File::open(path)?, &times)?)
}

fn only_owner_can_write(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0
}
