//! Generates the contract's C bindings from `wit/0.2/`. The SDKs of C and Zig are based on them.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use wit_bindgen_core::Files;
use wit_parser::{Resolve, SourceMap};

use crate::at;

/// A world with all extension points that the C SDK supports. A plugin exports those whose functions it defines.
const WORLD: &str = "world berth { include base; include with-snapshot; include with-filter; include with-score; }";

/// Writes `berth.h` and `berth.c` to the folder.
pub fn write(wit: &Path, folder: &Path) -> Result<(), String> {
    let (mut resolve, package) = resolve(wit)?;
    let world = resolve.select_world(&[package], Some("berth")).map_err(|error| format!("{error:#}"))?;
    let name = &resolve.packages[package].name;
    let options = wit_bindgen_c::Opts {
        rename: vec![
            (name.interface_id("types"), "berth".to_owned()),
            (name.interface_id("facts"), "berth".to_owned()),
            (name.interface_id("log"), "berth_log".to_owned()),
        ],
        // The object file would only carry the component type, which `berth plugin componentize` adds itself.
        no_object_file: true,
        ..wit_bindgen_c::Opts::default()
    };
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files).map_err(|error| format!("{error:#}"))?;
    fs::create_dir_all(folder).map_err(at(folder))?;
    for (name, bytes) in files.iter() {
        let file = folder.join(name);
        fs::write(&file, without_repetitions(&String::from_utf8_lossy(bytes))).map_err(at(&file))?;
    }
    Ok(())
}

/// Returns the code without second definitions of functions. The interfaces `types` and `facts` share a prefix, so the
/// generator repeats the functions that free the types that `facts` uses. The repetitions call themselves.
fn without_repetitions(code: &str) -> String {
    let mut defined = HashSet::new();
    let mut blocks: Vec<&str> = code.split("\n\n").collect();
    blocks.retain(|block| match block.lines().next() {
        Some(line) if line.starts_with("void ") && line.ends_with('{') => defined.insert(line),
        _ => true,
    });
    blocks.join("\n\n")
}

/// Parses the contract and adds [`WORLD`] to its package.
fn resolve(wit: &Path) -> Result<(Resolve, wit_parser::PackageId), String> {
    let mut sources = SourceMap::new();
    for entry in fs::read_dir(wit).map_err(at(wit))? {
        let path = entry.map_err(at(wit))?.path();
        if path.extension().is_some_and(|extension| extension == "wit") {
            sources.push_file(&path).map_err(|error| format!("{error:#}"))?;
        }
    }
    sources.push("berth.wit".as_ref(), WORLD);
    let mut resolve = Resolve::default();
    let group = sources.parse().map_err(|(_, error)| format!("{error:#}"))?;
    let package = resolve.push_group(group).map_err(|error| format!("{error:#}"))?;
    Ok((resolve, package))
}
