//! `berth plugin componentize`: converts a core WebAssembly module into a component.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::cli::progress::Progress;
use berth_core::limits::Limits;

/// Arguments of `berth plugin componentize`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Core WebAssembly module, as a compiler writes it.
    module: PathBuf,
    /// Component file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Interface to export, such as filter; repeatable [default: from the module].
    ///
    /// Without the flag, the component exports the interfaces that the module's own list names. Without a list, the
    /// component exports every interface whose functions the module defines.
    #[arg(long = "export", value_name = "INTERFACE")]
    exports: Vec<String>,
}

/// Writes the component.
pub(super) fn componentize(args: &Args) -> Result<ExitCode> {
    let of_module = || args.module.display().to_string();
    let module = read(&args.module).with_context(of_module)?;
    let exports: Vec<&str> = args.exports.iter().map(String::as_str).collect();
    let exports = (!exports.is_empty()).then_some(&exports[..]);
    let progress = Progress::timed("converting the module");
    let component = berth_componentize::componentize(&module, exports).with_context(of_module)?;
    drop(progress);
    install(&args.output, &component).with_context(|| format!("writing {}", args.output.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the module. A module larger than the maximum size of a plugin is refused.
fn read(path: &Path) -> Result<Vec<u8>> {
    let (limit, mut bytes) = (Limits::default().file_size, Vec::new());
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    ensure!(
        bytes.len() as u64 <= limit,
        "is larger than {limit} bytes, the limit of a plugin; build the module without debug information"
    );
    Ok(bytes)
}

/// Writes the file atomically, so that a scheduler that watches the folder never reads a part of the file.
fn install(path: &Path, component: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".berth-").permissions(readable()).tempfile_in(folder)?;
    file.write_all(component)?;
    file.persist(path)?;
    Ok(())
}

/// Returns permissions that make the file readable for all users. By default, only the owner can read a
/// temporary file.
fn readable() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o644)
}
