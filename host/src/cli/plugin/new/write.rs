//! Writes the files of a project.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::language::Language;
use super::name::Name;
use super::sources::{SOURCES, Source};

/// The folder of the SDK in a project.
const SDK: &str = "berth/";

/// Writes a project for a plugin of this name.
pub(super) fn project(dir: &Path, language: Language, name: &Name) -> Result<()> {
    claim(dir)?;
    for source in of(language) {
        let own = !source.path.starts_with(SDK);
        match str::from_utf8(source.bytes) {
            Ok(text) if own => write(dir, source.path, name.put_into(text).as_bytes())?,
            _ => write(dir, source.path, source.bytes)?,
        }
    }
    Ok(())
}

/// Writes the files of the SDK that a project has in `berth/`, without the rest of the project (`berth plugin sdk`).
pub(super) fn sdk(dir: &Path, language: Language) -> Result<()> {
    claim(dir)?;
    let sdk = of(language).filter_map(|source| Some((source.path.strip_prefix(SDK)?, source.bytes)));
    sdk.into_iter().try_for_each(|(path, bytes)| write(dir, path, bytes))
}

fn of(language: Language) -> impl Iterator<Item = &'static Source> {
    SOURCES.iter().filter(move |source| source.language == language.key())
}

/// Creates the directory if it is missing. Refuses a directory with content, so that no file is overwritten.
fn claim(dir: &Path) -> Result<()> {
    match fs::read_dir(dir) {
        Ok(mut entries) => {
            ensure!(entries.next().is_none(), "the directory {} is not empty: choose another directory", dir.display());
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            fs::create_dir_all(dir).with_context(|| format!("creating the directory {}", dir.display()))
        }
        Err(error) => Err(error).with_context(|| format!("reading the directory {}", dir.display())),
    }
}

fn write(dir: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    let file = dir.join(path);
    let folder = file.parent().unwrap_or(dir);
    fs::create_dir_all(folder).with_context(|| format!("creating the directory {}", folder.display()))?;
    // Make scripts executable.
    let mode = if bytes.starts_with(b"#!") { 0o777 } else { 0o666 };
    let opened = OpenOptions::new().write(true).create_new(true).mode(mode).open(&file);
    opened.and_then(|mut file| file.write_all(bytes)).with_context(|| format!("writing {}", file.display()))
}
