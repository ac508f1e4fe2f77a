//! Installs, changes and removes files of a plugins directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Installs a file by writing it under another name and renaming it, so that no reader sees a partial file.
///
/// # Errors
/// Returns the file system's error.
pub fn install(directory: &Path, file: &str, content: &[u8]) -> Result<()> {
    let temporary = directory.join(format!(".{file}.new"));
    fs::write(&temporary, content).with_context(|| format!("writing {}", temporary.display()))?;
    fs::rename(&temporary, directory.join(file)).with_context(|| format!("installing {file}"))
}

/// Writes the file in place, as `cp` does.
///
/// # Errors
/// Returns the file system's error.
pub fn overwrite(directory: &Path, file: &str, content: &[u8]) -> Result<()> {
    fs::write(directory.join(file), content).with_context(|| format!("writing {file}"))
}

/// Removes the file.
///
/// # Errors
/// Returns the file system's error.
pub fn remove(directory: &Path, file: &str) -> Result<()> {
    fs::remove_file(directory.join(file)).with_context(|| format!("removing {file}"))
}

/// A directory in the layout of a ConfigMap that kubelet mounted: the files are symbolic links through `..data`
/// into the directory of one generation. An update replaces the link `..data`.
pub struct ConfigMapMount {
    directory: PathBuf,
    generation: u32,
}

impl ConfigMapMount {
    /// Creates a mount without files.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), generation: 0 }
    }

    /// Replaces the files of the mount with `files` (name, content), in the order of steps of kubelet's `AtomicWriter`.
    ///
    /// # Errors
    /// Returns the file system's error.
    pub fn set(&mut self, files: &[(&str, &[u8])]) -> Result<()> {
        let before = self.directory.join(format!("..generation_{}", self.generation));
        self.generation += 1;
        let name = format!("..generation_{}", self.generation);
        let now = self.directory.join(&name);
        fs::create_dir(&now)?;
        for (file, content) in files {
            fs::write(now.join(file), content)?;
        }
        symlink(&name, self.directory.join("..data_tmp"))?;
        fs::rename(self.directory.join("..data_tmp"), self.directory.join("..data"))?;
        for (file, _) in files {
            let link = self.directory.join(file);
            if link.symlink_metadata().is_err() {
                symlink(Path::new("..data").join(file), link)?;
            }
        }
        if before.is_dir() {
            for entry in fs::read_dir(&before)? {
                let file = entry?.file_name();
                if !now.join(&file).exists() {
                    fs::remove_file(self.directory.join(&file))?;
                }
            }
            fs::remove_dir_all(before)?;
        }
        Ok(())
    }
}
