//! Generates the parts of the Go SDK that follow from the contract: the types in `contract/`, and their layouts in
//! memory in `internal/abi/`. Run `cargo run -p berth-go-types && gofmt -w guest-sdk/go` after a change of `wit/`. A
//! test fails while the generated files differ.

mod layout;
mod names;
mod reach;
mod types;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use wit_parser::{Resolve, SizeAlign, TypeId, TypeOwner};

use crate::layout::Direction;
use crate::reach::Reach;

/// The types that come from the host, apart from scalars.
const FROM_HOST: [&str; 6] =
    ["facts.pod", "snapshot.change", "objects.change", "queueing-hint.event", "verdicts", "extenders.candidate"];
/// The types that go to the host.
const TO_HOST: [&str; 11] = [
    "description",
    "declaration",
    "objects.kind",
    "pre-filter-result",
    "verdicts",
    "post-filter-result",
    "what-if-case",
    "extenders.candidate",
    "reservation",
    "undone",
    "permit.verdict",
];
/// Types of parameters and results that need a Go type but no code for their memory layout.
const WITHOUT_LAYOUT: [&str; 6] = ["cycle", "pod-identity", "pre-score-result", "level", "hint", "queue-times"];

const HEADER: &str = "// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.\n\n";

fn main() -> ExitCode {
    let written = generate().and_then(|files| {
        let write = |(path, text): &(PathBuf, String)| std::fs::write(path, text).map_err(|error| error.to_string());
        files.iter().try_for_each(write)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the generated files, each with its text.
fn generate() -> Result<Vec<(PathBuf, String)>, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut resolve = Resolve::default();
    resolve.push_path(here.join("../../../wit/0.2")).map_err(|error| format!("{error:#}"))?;
    let mut sizes = SizeAlign::default();
    sizes.fill(&resolve);
    let mut files = vec![
        (here.join("../internal/abi/layout.go"), layouts(&resolve, &sizes)?),
        (here.join("../internal/abi/lift.go"), functions(&resolve, &FROM_HOST, Direction::Lift)?),
        (here.join("../internal/abi/lower.go"), functions(&resolve, &TO_HOST, Direction::Lower)?),
    ];
    for (interface, text) in types_by_interface(&resolve)? {
        files.push((here.join("../contract").join(interface.replace('-', "_") + ".go"), text));
    }
    Ok(files)
}

/// Returns the text of a file for each interface that has types.
fn types_by_interface(resolve: &Resolve) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    for id in reached(resolve, &[&FROM_HOST[..], &TO_HOST, &WITHOUT_LAYOUT].concat())? {
        let interface = match resolve.types[id].owner {
            TypeOwner::Interface(interface) => resolve.interfaces[interface].name.clone().unwrap_or_default(),
            _ => return Err("a type belongs to no interface".into()),
        };
        let text = files.entry(interface).or_insert_with(|| format!("{HEADER}package contract\n"));
        *text += "\n";
        *text += &types::declare(resolve, id)?;
    }
    Ok(files)
}

fn layouts(resolve: &Resolve, sizes: &SizeAlign) -> Result<String, String> {
    let mut text = abi_header(true);
    for id in reached(resolve, &[&FROM_HOST[..], &TO_HOST].concat())? {
        text += &layout::raw(resolve, sizes, id)?;
    }
    Ok(text.trim_end().to_owned() + "\n")
}

fn functions(resolve: &Resolve, roots: &[&str], direction: Direction) -> Result<String, String> {
    let mut functions = String::new();
    for id in reached(resolve, roots)? {
        functions += &direction.function(resolve, id)?;
    }
    Ok(abi_header(functions.contains("unsafe.")) + functions.trim_end() + "\n")
}

fn abi_header(uses_unsafe: bool) -> String {
    let more = if uses_unsafe { "\t\"unsafe\"\n\n" } else { "" };
    format!("{HEADER}package abi\n\nimport (\n{more}\t\"berth.dev/framework/contract\"\n)\n\n")
}

fn reached(resolve: &Resolve, roots: &[&str]) -> Result<Vec<TypeId>, String> {
    Ok(Reach::from(resolve, roots)?.types)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without this check, the Go SDK would read a changed contract at wrong offsets.
    #[test]
    fn generated_files_match_the_contract() {
        for (path, generated) in generate().unwrap() {
            // gofmt changes the alignment, so the test compares words.
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let on_disk = std::fs::read_to_string(&path).unwrap();
            assert!(
                words(&on_disk) == words(&generated),
                "{}: cargo run -p berth-go-types, then gofmt -w",
                path.display()
            );
        }
    }
}
