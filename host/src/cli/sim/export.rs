//! `berth sim --export`: writes all objects to a file.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_sim::Server;
use tempfile::NamedTempFile;

use crate::cli::cluster::write_objects;

/// The file to which a cluster's objects are written.
#[derive(Debug)]
pub struct Export {
    path: PathBuf,
}

impl Export {
    /// Checks that the file can be written, so that the mistake does not show at the end only.
    ///
    /// # Errors
    /// The path is a directory, or its directory can't be written to.
    pub fn new(path: PathBuf) -> Result<Self> {
        ensure!(!path.is_dir(), "--export {} is a directory; give the path of a file", path.display());
        let export = Self { path };
        NamedTempFile::new_in(export.directory()).with_context(|| export.place())?;
        Ok(export)
    }

    /// Writes all objects of the server, except Secrets, Leases and Events. Replaces the file at the end only, so that
    /// the file is always complete. Returns the number of objects.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write(&self, server: &Server) -> Result<usize> {
        let write = || -> std::io::Result<usize> {
            let mut file = NamedTempFile::new_in(self.directory())?;
            let count = write_objects(&server.objects(), BufWriter::new(&mut file))?;
            file.persist(&self.path)?;
            Ok(count)
        };
        write().with_context(|| self.place())
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn place(&self) -> String {
        format!("writing --export {}", self.path.display())
    }

    fn directory(&self) -> &Path {
        self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}
