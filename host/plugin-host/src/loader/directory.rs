//! Lists the files in the plugins directory.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The metadata that changes when a file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Fingerprint {
    fn of(metadata: &Metadata) -> Self {
        Self {
            file: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// A file of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub path: PathBuf,
    pub fingerprint: Fingerprint,
}

/// Returns the `*.wasm` files of the directory by name. Follows links. A missing directory is empty. Skips hidden
/// files, which editors and copy tools write first, and broken links.
pub(super) fn list(dir: &Path) -> io::Result<Vec<Listed>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        other => other?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        if hidden || path.extension().is_none_or(|extension| extension != "wasm") {
            continue;
        }
        // The file may have been deleted since it was listed.
        if let Ok(metadata) = fs::metadata(&path)
            && metadata.is_file()
        {
            files.push(Listed { path, fingerprint: Fingerprint::of(&metadata) });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns the folders in which a change can change the result of [`list`]: the directory and its parent (or the
/// nearest two ancestors that exist), and the folders of its links' targets.
pub(super) fn to_watch(dir: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let existing = dir.ancestors().filter(|folder| folder.is_dir());
    folders.extend(existing.take(2).map(Path::to_owned));
    for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_link && let Ok(target) = fs::canonicalize(entry.path()) {
            let folder = if target.is_dir() { Some(target.as_path()) } else { target.parent() };
            folders.extend(folder.map(Path::to_owned));
        }
    }
    folders.sort();
    folders.dedup();
    folders
}
