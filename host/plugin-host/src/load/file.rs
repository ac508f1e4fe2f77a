//! Reads a component's file with a size limit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::LoadCause;

/// Returns the file's bytes. A file of more than `limit` bytes is an error.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, LoadCause> {
    let unreadable = |error: std::io::Error| LoadCause::Unreadable(error.to_string());
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(LoadCause::Unreadable("not a file".into()));
    }
    let size = metadata.len();
    if size > limit {
        return Err(LoadCause::TooLarge { size, limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // The file may grow during the read.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(LoadCause::TooLarge { size: bytes.len() as u64, limit });
    }
    Ok(bytes)
}
