//! The file of a capture.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhow::{Context, Result, anyhow, ensure};
use berth_capture::files;

/// A file that counts the bytes that were read, for a progress bar.
pub(super) struct Counted {
    file: File,
    read: Arc<AtomicUsize>,
}

impl Counted {
    /// Opens a file that adds the bytes that are read to `read`. Also returns its size in bytes.
    pub fn open(path: &Path, read: &Arc<AtomicUsize>) -> io::Result<(Self, usize)> {
        let file = File::open(path)?;
        let total = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        Ok((Self { file, read: Arc::clone(read) }, total))
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.file.read(buffer)?;
        self.read.fetch_add(size, Relaxed);
        Ok(size)
    }
}

/// Returns the folder with copies of components that `berth run --capture-modules` made beside the capture, if there is
/// one.
pub(super) fn modules(capture: &Path) -> Option<PathBuf> {
    Some(capture.parent()?.join(files::MODULES)).filter(|folder| folder.is_dir())
}

/// The folder of kept captures in the repository.
const KEPT: &str = "tests/captures";

/// Returns the path of a kept capture with this name.
///
/// # Errors
/// The current directory is not the repository, or the name can't be the name of a file.
pub(super) fn kept(name: &str) -> Result<PathBuf> {
    let folder = Path::new(KEPT);
    ensure!(folder.is_dir(), "--keep: there is no folder {KEPT}; run the command in Berth's repository");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_name = !name.is_empty() && name.bytes().all(plain);
    ensure!(is_name, "--keep: {name:?} is not a name; use letters, digits and hyphens");
    Ok(folder.join(format!("{name}.{}", files::EXTENSION)))
}

/// Returns the files of the capture, oldest first: the path itself, or all captures in a directory.
///
/// # Errors
/// The directory can't be read, or has no capture.
pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let files = files::list(path).with_context(|| path.display().to_string())?;
    let none = || anyhow!("{}: the directory has no capture (*.{})", path.display(), files::EXTENSION);
    if files.is_empty() { Err(none()) } else { Ok(files) }
}
