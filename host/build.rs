//! Puts the default plugins into the binary: a list of `include_bytes!` for `wasm/embed.rs`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=BERTH_DEFAULT_PLUGINS");
    if env::var_os("CARGO_FEATURE_EMBED").is_some()
        && let Err(sentence) = embed()
    {
        eprintln!("{sentence}");
        process::exit(1);
    }
}

fn embed() -> Result<(), String> {
    let dir = plugins_dir()?;
    // Cargo compares times of the files in it, too.
    println!("cargo::rerun-if-changed={}", dir.display());
    let components = components(&dir)?;
    if components.is_empty() {
        return Err(format!(
            "no default plugins (*.wasm) in {}: run `make guests` first, or build the host alone with --no-default-features",
            dir.display()
        ));
    }
    let mut list = String::from("[\n");
    for path in &components {
        let file = path.file_name().and_then(|name| name.to_str()).ok_or("a plugin's file name is not text")?;
        writeln!(list, "    BuiltIn {{ file: {file:?}, bytes: include_bytes!({path:?}) }},")
            .map_err(|e| e.to_string())?;
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: this runs under cargo only")?);
    fs::write(out.join("default_plugins.rs"), list).map_err(|error| format!("{}: {error}", out.display()))
}

/// `BERTH_DEFAULT_PLUGINS`, or where `make guests` leaves them.
fn plugins_dir() -> Result<PathBuf, String> {
    if let Some(dir) = env::var_os("BERTH_DEFAULT_PLUGINS") {
        return Ok(PathBuf::from(dir));
    }
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set: this runs under cargo only")?;
    let workspace = Path::new(&manifest).parent().ok_or("the host's folder has no parent")?;
    Ok(workspace.join("target/plugins/default"))
}

fn components(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Ok(Vec::new());
    };
    let mut components = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", dir.display()))?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            components.push(path);
        }
    }
    components.sort();
    Ok(components)
}
