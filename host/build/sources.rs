//! Embeds what `berth plugin new` writes: each language's SDK with the contract, and its template. Writes a list of
//! `include_bytes!` for `src/cli/plugin/new/sources.rs`, with the path of each file in a project. The SDK's files are
//! in `berth/`, with the same paths as in the repository, so that relative references stay valid.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{at, contract, manifest};

/// The languages with the parts of their SDKs: files, and folders with their whole content.
const LANGUAGES: [(&str, &[&str]); 6] = [
    ("rust", &["guest-sdk/README.md", "guest-sdk/quantity/src", "guest-sdk/src"]),
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

const C: [&str; 7] = [
    "guest-sdk/c/README.md",
    "guest-sdk/c/berth_facts.h",
    "guest-sdk/c/berth_guest.h",
    "guest-sdk/c/build",
    "guest-sdk/c/src",
    "guest-sdk/c/testing.c",
    "guest-sdk/c/testing.h",
];

/// The Zig SDK is based on the C SDK.
const ZIG: [&str; 10] =
    [C[0], C[1], C[2], C[3], C[4], C[5], C[6], "guest-sdk/zig/README.md", "guest-sdk/zig/build", "guest-sdk/zig/src"];

/// Suffixes of files and folders that plugin authors don't need.
const LEFT_OUT: [&str; 4] = ["decisions", "generate", "__pycache__", "_test.go"];

pub fn embed(repository: &Path, out: &Path) -> Result<(), String> {
    let generated = out.join("sdk");
    contract::write(&repository.join("wit/0.2"), &generated.join("c/guest-sdk/c/contract"))?;
    for sdk_crate in ["guest-sdk", "guest-sdk/quantity"] {
        manifest::write(repository, sdk_crate, &generated.join("rust"))?;
    }
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
        add("berth/", watched(repository, &["LICENSE", "wit/0.2"], &LEFT_OUT)?);
        let made = generated.join(if language == "zig" { "c" } else { language });
        if made.is_dir() {
            add("berth/", files(&made, &["guest-sdk"], &[])?);
        }
        let templates = repository.join("guest-sdk/template");
        add("", watched(&templates, &["cases.yaml", "scenario.yaml"], &[])?);
        add("", watched(&templates.join(language), &[""], &[])?);
    }
    list.push_str("]\n");
    let file = out.join("sources.rs");
    fs::write(&file, list).map_err(at(&file))
}

/// Files by their path below a folder, with slashes.
#[derive(Default)]
struct Files(Vec<(String, PathBuf)>);

/// Returns the same as [`files`], and has cargo run this script again if a part changes.
fn watched(folder: &Path, parts: &[&str], left_out: &[&str]) -> Result<Files, String> {
    // For a folder, cargo checks the whole content.
    parts.iter().for_each(|part| println!("cargo::rerun-if-changed={}", folder.join(part).display()));
    files(folder, parts, left_out)
}

/// Returns the files of these parts of a folder, recursively, without names that end in a suffix of `left_out`.
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
