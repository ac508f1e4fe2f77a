//! Reads and writes small files: certificates and keys.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// The maximum size of a file, in bytes. A bundle of all public certificate authorities has about a fifth of
/// this size.
const MOST: u64 = 1 << 20;

/// Reads the whole file. A file that is larger than [`MOST`] is an error.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MOST {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("larger than {MOST} bytes")));
    }
    Ok(content)
}

/// Writes the file atomically, readable for its owner only. Creates the directory if it is missing.
pub(super) fn write_privately(path: &Path, text: &str) -> Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}
