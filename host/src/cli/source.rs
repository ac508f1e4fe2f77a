//! Reads the files that commands take objects from.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use berth_import::MAX_BYTES;

/// Reads a file, or standard input if the path is `-`.
///
/// # Errors
/// The file can't be read, or is too large.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut add = |reader: &mut dyn Read| reader.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    match path.as_os_str() == "-" {
        true => add(&mut std::io::stdin().lock()).context("reading standard input")?,
        false => add(&mut std::fs::File::open(path).context("opening the file")?).context("reading the file")?,
    };
    ensure!(bytes.len() as u64 <= MAX_BYTES, "the file has more than {MAX_BYTES} bytes; split it into several files");
    Ok(bytes)
}

/// Reads a file as [`read`], as text.
///
/// # Errors
/// As [`read`]. The file is not in UTF-8.
pub(super) fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).context("reading the file as text")
}
