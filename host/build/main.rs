//! Build script: generates the lists of files that the binary embeds. **In:** built plugins (`*.wasm`), SDKs,
//! templates and `wit/`. **Out:** Rust lists of `include_bytes!` and generated SDK files in `OUT_DIR`. The script
//! writes nowhere else and downloads nothing.

#[cfg(feature = "simulator")]
mod contract;
#[cfg(feature = "simulator")]
mod manifest;
mod plugins;
#[cfg(feature = "simulator")]
mod sources;

use std::path::{Path, PathBuf};
use std::{env, process};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=BERTH_DEFAULT_PLUGINS");
    if let Err(sentence) = run() {
        eprintln!("{sentence}");
        process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let variable = |name: &str| env::var_os(name).ok_or(format!("{name} is not set: this runs under cargo only"));
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let repository = manifest.parent().ok_or("the host's folder has no parent")?;
    let out = PathBuf::from(variable("OUT_DIR")?);
    if env::var_os("CARGO_FEATURE_EMBED").is_some() {
        plugins::embed(repository, &out)?;
    }
    #[cfg(feature = "simulator")]
    sources::embed(repository, &out)?;
    Ok(())
}

/// Returns a function that adds the file's name to an I/O error.
fn at(path: &Path) -> impl Fn(std::io::Error) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}
