//! Embeds the default plugins and the plugins for old Policy files: writes a list of `include_bytes!` for
//! `src/default_plugins.rs`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::at;

pub fn embed(repository: &Path, out: &Path) -> Result<(), String> {
    // The directory from the environment, or the output directory of `make guests`.
    let dir = env::var_os("BERTH_DEFAULT_PLUGINS").map_or(repository.join("target/plugins/default"), PathBuf::from);
    // For a directory, cargo also checks the modification times of the files in it.
    println!("cargo::rerun-if-changed={}", dir.display());
    let components = components(&dir)?;
    if components.is_empty() {
        return Err(format!(
            "no default plugins (*.wasm) in {}: run `make guests` first, or build the host alone with --no-default-features --features simulator",
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
    let list_file = out.join("default_plugins.rs");
    fs::write(&list_file, list).map_err(at(&list_file))
}

fn components(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Ok(Vec::new());
    };
    let mut components = Vec::new();
    for entry in entries {
        let path = entry.map_err(at(dir))?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            components.push(path);
        }
    }
    components.sort();
    Ok(components)
}
