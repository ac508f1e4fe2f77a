//! Generates the contract's C bindings from `wit/`. The SDKs of C and Zig are based on them.

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
        fs::write(&file, bytes).map_err(at(&file))?;
    }
    Ok(())
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
