//! The files of a capture.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// How the name of a file of a capture ends.
pub const EXTENSION: &str = "jsonl.zst";

/// The folder, in the directory of a capture, with a copy of each component that served.
pub const MODULES: &str = "modules";

/// Where a recorder writes.
pub(crate) trait Files: Send + 'static {
    /// A file that is written from its beginning to its end.
    type File: Write + Send;

    /// Creates the next file. Returns it with its name for messages.
    fn create(&mut self) -> io::Result<(Self::File, String)>;

    /// Deletes the oldest files, but not the latest one, until all files together have at most `limit` bytes.
    fn delete_oldest(&mut self, limit: u64) -> io::Result<()>;
}

/// A directory. Names begin with the time, so that their order is that of the files.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Files for Directory {
    type File = File;

    fn create(&mut self) -> io::Result<(File, String)> {
        let time = stamp();
        let mut number = 1;
        loop {
            let path = self.0.join(format!("{time}-{number:03}.{EXTENSION}"));
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => return Ok((file, path.display().to_string())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 999 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn delete_oldest(&mut self, limit: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for path in list(&self.0)? {
            let size = fs::metadata(&path)?.len();
            files.push((path, size));
        }
        let mut total: u64 = files.iter().map(|(_, size)| size).sum();
        files.pop();
        for (path, size) in files {
            if total <= limit {
                break;
            }
            fs::remove_file(&path)?;
            total -= size;
        }
        Ok(())
    }
}

/// One file, which is not followed by another.
pub(crate) struct SingleFile(PathBuf);

impl SingleFile {
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Files for SingleFile {
    type File = File;

    fn create(&mut self) -> io::Result<(File, String)> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.0)?;
        Ok((file, self.0.display().to_string()))
    }

    fn delete_oldest(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the present time as file names begin with it.
fn stamp() -> String {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// The files that a recorder writes to a directory, which can have files of earlier recorders.
#[derive(Clone, Debug)]
pub struct OwnFiles {
    directory: PathBuf,
    /// The time before the first file, as file names begin with it.
    since: String,
}

impl OwnFiles {
    /// Returns the files of a recorder that starts after this call.
    #[must_use]
    pub fn from_now(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), since: stamp() }
    }

    /// Returns the directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the files that exist now, oldest first.
    ///
    /// # Errors
    /// The directory can't be read.
    pub fn list(&self) -> io::Result<Vec<PathBuf>> {
        let mut files = list(&self.directory)?;
        files
            .retain(|file| file.file_name().is_some_and(|name| name.to_string_lossy().as_ref() >= self.since.as_str()));
        Ok(files)
    }
}

/// Returns the files of a capture in a directory, oldest first.
///
/// # Errors
/// The directory can't be read.
pub fn list(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(EXTENSION)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
