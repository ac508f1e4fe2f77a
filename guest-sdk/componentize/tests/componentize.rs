//! Tests of componentize with valid and invalid core modules.
#![allow(clippy::unwrap_used, reason = "a test ends there")]

use berth_componentize::{Error, componentize};
use wasmparser::{ComponentExternalKind, Parser, Payload};
use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// A plugin that can be described and filters, and that imports several functions of WASI.
const PLUGIN: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open" (func (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func (param i32)))
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
  (func (export "berth:scheduler/plugin@0.2.0#describe") (result i32) unreachable)
  (func (export "berth:scheduler/plugin@0.2.0#configure") (param i32 i32) (result i32) unreachable)
  (func (export "berth:scheduler/plugin@0.2.0#add-signature") (param i32) unreachable)
  (func (export "berth:scheduler/plugin@0.2.0#remove-signatures") (param i32 i32) unreachable)
  (func (export "berth:scheduler/score@0.2.0#score") (param i64 i64 i64 i32 i32 i32) (result i32) unreachable)
  (func (export "berth:scheduler/filter@0.2.0#filter") (param i64 i64 i64 i32 i32 i32) (result i32) unreachable))"#;

fn module(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

/// Returns the names of a component's imports, and of its exported instances.
fn outside(component: &[u8]) -> (Vec<String>, Vec<String>) {
    let (mut imports, mut exports, mut depth) = (Vec::new(), Vec::new(), 0);
    for payload in Parser::new(0).parse_all(component) {
        match payload.unwrap() {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::ComponentImportSection(section) if depth == 0 => {
                imports.extend(section.into_iter().map(|import| import.unwrap().name.name.to_owned()));
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                let exported = section.into_iter().map(Result::unwrap);
                let instances = exported.filter(|export| export.kind == ComponentExternalKind::Instance);
                exports.extend(instances.map(|export| export.name.name.to_owned()));
            }
            _ => {}
        }
    }
    (imports, exports)
}

#[test]
fn a_component_imports_no_wasi() {
    let (imports, _) = outside(&componentize(&module(PLUGIN), None).unwrap());
    // The second and the third import have only types.
    let expected = ["berth:scheduler/log@0.2.0", "berth:scheduler/types@0.2.0", "berth:scheduler/facts@0.2.0"];
    assert_eq!(imports, expected);
}

#[test]
fn the_caller_can_select_the_exports() {
    let exports = |named: Option<&[&str]>| {
        let mut exports = outside(&componentize(&module(PLUGIN), named).unwrap()).1;
        exports.sort();
        exports
    };
    let (filter, score) = ("berth:scheduler/filter@0.2.0", "berth:scheduler/score@0.2.0");
    let plugin = "berth:scheduler/plugin@0.2.0";
    assert_eq!(exports(None), [filter, plugin, score]);
    assert_eq!(exports(Some(&["filter", "plugin"])), [filter, plugin]);
    assert_eq!(exports(Some(&["score"])), [plugin, score]);
}

/// As wit-bindgen for Rust: the type of the component is embedded in the module.
#[test]
fn a_module_can_list_its_exports_itself() {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit/0.2")).unwrap();
    let world = resolve.select_world(&[package], Some("with-score")).unwrap();
    let mut module = module(PLUGIN);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    assert_eq!(outside(&componentize(&module, None).unwrap()).1, ["berth:scheduler/score@0.2.0"]);
    assert!(matches!(componentize(&module, Some(&["filter"])), Err(Error::Described)));
}

#[test]
fn errors_name_the_mismatch_with_the_contract() {
    let cases: [(&str, &str, Option<&[&str]>, &str); 6] = [
        ("(module)", "", None, "no function of `berth:scheduler/plugin@0.2.0`"),
        (PLUGIN, "", Some(&["filters"]), "no interface `filters`"),
        (PLUGIN, "", Some(&["normalize"]), "no function of `berth:scheduler/normalize@0.2.0`"),
        (PLUGIN, "#configure", None, "configure"),
        (PLUGIN, "(param i64 i64 i64 i32 i32 i32)", None, "score"),
        (PLUGIN, "wasi_snapshot_preview1", None, "elsewhere"),
    ];
    for (text, taken, exports, expected) in cases {
        let text = if taken.is_empty() { text.to_owned() } else { text.replacen(taken, replacement(taken), 1) };
        let error = componentize(&module(&text), exports).unwrap_err().to_string();
        assert!(error.contains(expected), "{taken}: {error}");
    }
}

fn replacement(taken: &str) -> &'static str {
    match taken {
        "#configure" => "#another",
        "wasi_snapshot_preview1" => "elsewhere",
        _ => "(param i64)",
    }
}

#[test]
fn only_core_modules_are_accepted() {
    let component = componentize(&module(PLUGIN), None).unwrap();
    for bytes in [&component[..], b"", b"\0asm", b"#!/bin/sh"] {
        assert!(matches!(componentize(bytes, None), Err(Error::NotACoreModule(_))));
    }
}
