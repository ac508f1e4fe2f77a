//! What `berth plugin new` writes: each language's SDK with the contract, and its template. A list of `include_bytes!` for
//! `cli/plugin/new/sources.rs`, with the paths that the files have in a project: the SDK's lie in `berth/` as in the
//! repository, so that they find each other.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{at, contract, manifest};

/// The languages, each with its SDK: files, and folders with all that is in them.
const LANGUAGES: [(&str, &[&str]); 6] = [
    ("rust", &["guest-sdk/README.md", "guest-sdk/src"]),
    ("go", &["guest-sdk/go"]),
    (
        "typescript",
        &[
            "guest-sdk/typescript/README.md",
            "guest-sdk/typescript/bin",
            "guest-sdk/typescript/build",
            "guest-sdk/typescript/src",
            "guest-sdk/typescript/package.json",
            "guest-sdk/typescript/tsconfig.json",
        ],
    ),
    ("python", &["guest-sdk/python/README.md", "guest-sdk/python/berth_guest", "guest-sdk/python/pyproject.toml"]),
    ("c", &C),
    ("zig", &ZIG),
];

const C: [&str; 6] = [
    "guest-sdk/c/README.md",
    "guest-sdk/c/berth_guest.h",
    "guest-sdk/c/build",
    "guest-sdk/c/src",
    "guest-sdk/c/testing.c",
    "guest-sdk/c/testing.h",
];

/// It stands over C's.
const ZIG: [&str; 9] =
    [C[0], C[1], C[2], C[3], C[4], C[5], "guest-sdk/zig/README.md", "guest-sdk/zig/build", "guest-sdk/zig/src"];

/// What authors don't need of the SDKs: folders and ends of files' names.
const LEFT_OUT: [&str; 4] = ["decisions", "generate", "__pycache__", "_test.go"];

pub fn embed(repository: &Path, out: &Path) -> Result<(), String> {
    let generated = out.join("sdk");
    contract::write(&repository.join("wit"), &generated.join("c/guest-sdk/c/contract"))?;
    manifest::write(repository, &generated.join("rust/guest-sdk"))?;
    let mut list = String::from("[\n");
    for (language, parts) in LANGUAGES {
        let mut add = |folder: &str, files: Files| {
            let lines = files.0.iter().map(|(path, from)| {
                let path = format!("{folder}{path}");
                format!("    Source {{ language: {language:?}, path: {path:?}, bytes: include_bytes!({from:?}) }},\n")
            });
            list.extend(lines);
        };
        add("berth/", watched(repository, parts, &LEFT_OUT)?);
        add("berth/", watched(repository, &["LICENSE", "wit"], &LEFT_OUT)?);
        let made = generated.join(if language == "zig" { "c" } else { language });
        if made.is_dir() {
            add("berth/", files(&made, &["guest-sdk"], &[])?);
        }
        let templates = repository.join("guest-sdk/template");
        add("", watched(&templates, &["cases.yaml"], &[])?);
        add("", watched(&templates.join(language), &[""], &[])?);
    }
    list.push_str("]\n");
    let file = out.join("sources.rs");
    fs::write(&file, list).map_err(at(&file))
}

/// Paths below a folder, with slashes, and the files there.
#[derive(Default)]
struct Files(Vec<(String, PathBuf)>);

/// As [`files`]; a change of one, or a new one, has this program run again.
fn watched(folder: &Path, parts: &[&str], left_out: &[&str]) -> Result<Files, String> {
    // Cargo looks at all that is in a folder.
    parts.iter().for_each(|part| println!("cargo::rerun-if-changed={}", folder.join(part).display()));
    files(folder, parts, left_out)
}

/// The files that these parts of a folder are and have in them, without those that are left out.
fn files(folder: &Path, parts: &[&str], left_out: &[&str]) -> Result<Files, String> {
    let mut files = Files::default();
    parts.iter().try_for_each(|part| collect(folder, &folder.join(part), left_out, &mut files))?;
    files.0.sort();
    Ok(files)
}

fn collect(folder: &Path, path: &Path, left_out: &[&str], files: &mut Files) -> Result<(), String> {
    if !path.is_dir() {
        let below = path.strip_prefix(folder).map_err(|error| error.to_string())?;
        let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
        let names = names.ok_or_else(|| format!("{}: its name is not text", path.display()))?;
        files.0.push((names.join("/"), path.to_owned()));
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(at(path))? {
        let entry = entry.map_err(at(path))?;
        let name = entry.file_name();
        if !left_out.iter().any(|end| name.to_string_lossy().ends_with(end)) {
            collect(folder, &entry.path(), left_out, files)?;
        }
    }
    Ok(())
}
