//! Makes the `Cargo.toml` of the Rust SDK's crates usable outside of the workspace.

use std::fs;
use std::path::Path;

use crate::at;

/// Tables that only development in the repository needs.
const LEFT_OUT: [&str; 2] = ["[dev-dependencies]", "[lints]"];

/// Writes the `Cargo.toml` of a crate of the repository below the folder. Values inherited from the workspace are replaced by the workspace's
/// values.
pub fn write(repository: &Path, sdk_crate: &str, folder: &Path) -> Result<(), String> {
    let read = |file: &str| {
        let path = repository.join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        fs::read_to_string(&path).map_err(at(&path))
    };
    let resolved = resolve(&read(&format!("{sdk_crate}/Cargo.toml"))?, &read("Cargo.toml")?)?;
    let folder = folder.join(sdk_crate);
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let file = folder.join("Cargo.toml");
    fs::write(&file, resolved).map_err(at(&file))
}

/// Resolves inherited values. In both manifests, each key must be on a line of its own.
fn resolve(manifest: &str, workspace: &str) -> Result<String, String> {
    let (mut text, mut table) = (String::new(), "");
    for line in manifest.lines() {
        if line.starts_with('[') {
            table = line;
        }
        if LEFT_OUT.contains(&table) {
            continue;
        }
        let (key, value) = line.split_once('=').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
        let inherited = match value {
            "true" => key.strip_suffix(".workspace"),
            "{ workspace = true }" => Some(key),
            _ => None,
        };
        match inherited {
            Some(key) => {
                let table = format!("[workspace.{}]", table.trim_matches(['[', ']']));
                text +=
                    inherited_line(workspace, &table, key).ok_or(format!("the workspace has no {key} in {table}"))?;
            }
            None => text += line,
        }
        text.push('\n');
    }
    Ok(text.trim_end().to_owned() + "\n")
}

fn inherited_line<'a>(workspace: &'a str, table: &str, key: &str) -> Option<&'a str> {
    let of_table =
        workspace.lines().skip_while(|line| *line != table).skip(1).take_while(|line| !line.starts_with('['));
    of_table.into_iter().find(|line| line.split_once('=').is_some_and(|(name, _)| name.trim() == key))
}
