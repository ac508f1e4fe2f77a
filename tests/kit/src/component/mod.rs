//! Builds small components from `guest.wat` and the contract, valid or deliberately faulty. Tests with these components
//! need no toolchain for plugins.
use std::collections::BTreeMap;
use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, SizeAlign, SourceMap, Type, WorldId};

const MODULE: &str = include_str!("guest.wat");

/// The bit of the node fact `usage`.
pub const USAGE: u16 = 1 << 6;
/// The declared normalization `none`.
pub const NORMALIZE_NONE: u8 = 0;
/// The declared normalization `default`.
pub const NORMALIZE_DEFAULT: u8 = 1;
/// The declared normalization `custom`: the component exports `normalize`.
pub const NORMALIZE_CUSTOM: u8 = 3;

/// Imports from outside the contract.
#[derive(Clone, Default)]
struct Foreign {
    /// The WIT source of the packages.
    packages: &'static str,
    /// The names of the interfaces.
    imports: &'static [&'static str],
}

/// A component to build.
#[derive(Clone)]
pub struct Guest {
    name: String,
    version: String,
    contract: &'static str,
    /// A line of the contract, and the line that replaces it in this component's build.
    contract_line: Option<(&'static str, &'static str)>,
    exports: Vec<&'static str>,
    foreign: Foreign,
    node_facts: u16,
    pod_facts: u32,
    normalization: u8,
    scope: u8,
    /// The apiVersion, kind and field of the objects that the component reads if it exports `objects`.
    objects: [&'static str; 3],
    what_if: bool,
    bodies: BTreeMap<&'static str, String>,
}

impl Guest {
    /// Returns a component that filters and scores. Every node fits. A node's score is the CPU in use on the node; the
    /// host normalizes the score.
    pub fn new(name: &str) -> Self {
        let bodies = [
            ("imports", ""),
            ("data", ""),
            ("describe", "(i32.const 96)"),
            ("configure", "(i32.const 128)"),
            ("hold", ""),
            ("apply", ""),
            // Whether a row of usage is kept.
            ("takes", "(i32.const 1)"),
            ("pre_filter", "(i64.store (i32.const 600) (i64.const 0)) (i32.const 600)"),
            ("filter", ""),
            ("post_filter", ""),
            ("pre_score", "(i64.store (i32.const 600) (i64.const 0)) (i32.const 600)"),
            ("score", ""),
            ("normalize", ""),
        ];
        Self {
            name: name.to_owned(),
            version: "1.2.3".to_owned(),
            contract: "0.1.0",
            contract_line: None,
            exports: vec!["plugin", "snapshot", "filter", "score"],
            foreign: Foreign::default(),
            node_facts: USAGE,
            pod_facts: 0,
            normalization: NORMALIZE_DEFAULT,
            scope: 0,
            objects: ["v1", "ConfigMap", "data"],
            what_if: false,
            bodies: bodies.map(|(function, body)| (function, body.to_owned())).into(),
        }
    }

    /// Sets the version that `describe` returns.
    pub fn version(mut self, version: &str) -> Self {
        self.version = version.to_owned();
        self
    }

    /// Replaces a line of the contract in this component's build.
    pub fn contract_line(mut self, line: &'static str, replacement: &'static str) -> Self {
        self.contract_line = Some((line, replacement));
        self
    }

    /// Sets the version of the contract.
    pub fn contract(mut self, version: &'static str) -> Self {
        self.contract = version;
        self
    }

    /// Sets the exported interfaces.
    pub fn exports(mut self, interfaces: &[&'static str]) -> Self {
        self.exports = interfaces.to_vec();
        self
    }

    /// Declares scope `node`.
    pub fn scope_node(mut self) -> Self {
        self.scope = 1;
        self
    }

    /// Sets the declared node facts.
    pub fn node_facts(mut self, facts: u16) -> Self {
        self.node_facts = facts;
        self
    }

    /// Sets the declared pod facts.
    pub fn pod_facts(mut self, facts: u32) -> Self {
        self.pod_facts = facts;
        self
    }

    /// Sets the declared normalization.
    pub fn normalization(mut self, normalization: u8) -> Self {
        self.normalization = normalization;
        self
    }

    /// Declares this field of this kind. The component counts the objects with the field in `$objects`.
    pub fn reads(mut self, api_version: &'static str, kind: &'static str, field: &'static str) -> Self {
        self.objects = [api_version, kind, field];
        self.exports.push("objects");
        self
    }

    /// Adds code, in the text format, to a function.
    pub fn body(mut self, function: &'static str, wat: &str) -> Self {
        assert!(self.bodies.insert(function, wat.to_owned()).is_some(), "guest.wat has no function {function}");
        self
    }

    /// Imports `$now` of WASI's clock.
    pub fn with_clock(mut self) -> Self {
        self.foreign = Foreign {
            packages: "package wasi:clocks@0.2.0 { interface monotonic-clock { now: func() -> u64; } }",
            imports: &["wasi:clocks/monotonic-clock@0.2.0"],
        };
        self.body("imports", r#"(import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $now (result i64)))"#)
    }

    /// Imports of WASI: `$stderr`, `$print` (stream, address and length of the bytes, address of the result),
    /// `$directories` (address of the result), `$read` (descriptor, address of the result); and `$root`, which WASI
    /// does not have, for a descriptor to read from.
    pub fn with_files(mut self) -> Self {
        self.foreign = Foreign {
            packages: include_str!("wasi.wit"),
            imports: &[
                "wasi:cli/stderr@0.2.3",
                "wasi:io/streams@0.2.3",
                "wasi:filesystem/types@0.2.3",
                "wasi:filesystem/preopens@0.2.3",
            ],
        };
        self.body(
            "imports",
            r#"(import "wasi:cli/stderr@0.2.3" "get-stderr" (func $stderr (result i32)))
               (import "wasi:io/streams@0.2.3" "[method]output-stream.blocking-write-and-flush"
                 (func $print (param i32 i32 i32 i32)))
               (import "wasi:filesystem/preopens@0.2.3" "get-directories" (func $directories (param i32)))
               (import "wasi:filesystem/preopens@0.2.3" "root" (func $root (result i32)))
               (import "wasi:filesystem/types@0.2.3" "[method]descriptor.read" (func $read (param i32 i32)))"#,
        )
    }

    /// Imports an HTTP client, which plugins may not use.
    pub fn with_http(mut self) -> Self {
        self.foreign = Foreign {
            packages: "package wasi:http@0.2.0 { interface outgoing-handler { now: func() -> u64; } }",
            imports: &["wasi:http/outgoing-handler@0.2.0"],
        };
        self.body("imports", r#"(import "wasi:http/outgoing-handler@0.2.0" "now" (func $now (result i64)))"#)
            .body("describe", "(drop (call $now)) (i32.const 96)")
    }

    /// Makes `function` log `message` as an error and then trap, as a panic in the SDK does.
    pub fn panics(self, function: &'static str, message: &str) -> Self {
        let log = format!(r#"(i32.const 0) (i32.const 640) (i32.const {}) (call $log) (unreachable)"#, message.len());
        let import = r#"(import "berth:scheduler/log@0.1.0" "write" (func $log (param i32 i32 i32)))"#;
        let data = format!(r#"(data (i32.const 640) "{message}")"#);
        self.body("imports", import).body("data", &data).body(function, &log)
    }

    /// Adds a post-filter that asks about its first node without pod 0. If the pod fits, the post-filter nominates the
    /// node; otherwise the post-filter returns an error.
    pub fn makes_room(self) -> Self {
        let import = r#"(import "berth:scheduler/what-if@0.1.0" "ask"
            (func $ask (param i64 i64 i64 i32 i32 i32 i32)))"#;
        // Addresses: the case (node, pods) at 2176, the pod's id at 2200, and the result (verdicts) at 2208.
        let body = "
            (i32.store (i32.const 2200) (i32.const 0))
            (i32.store (i32.const 2176) (i32.load (local.get $nodes)))
            (i32.store (i32.const 2180) (i32.const 2200))
            (i32.store (i32.const 2184) (i32.const 1))
            (call $ask (local.get $id) (local.get $time) (local.get $seed) (local.get $template)
              (i32.const 2176) (i32.const 1) (i32.const 2208))
            (if (i32.eqz (i32.load16_u (i32.load (i32.const 2216))))
              (then (call $room (i32.load (local.get $nodes)) (i32.const 0)))
              (else (return (i32.const 208))))";
        Self { what_if: true, ..self.body("imports", import).body("post_filter", body) }
    }

    /// Returns the core module.
    pub fn core_module(&self) -> Vec<u8> {
        let (resolve, world) = self.resolve();
        wat::parse_str(self.text(&resolve, world)).expect("guest.wat with its values is valid")
    }

    /// Returns the component.
    pub fn build(&self) -> Vec<u8> {
        let (resolve, world) = self.resolve();
        let mut module = wat::parse_str(self.text(&resolve, world)).expect("guest.wat with its values is valid");
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
            .expect("the world can be embedded");
        let mut encoder = ComponentEncoder::default();
        encoder.module(&module).expect("the module fits its world");
        encoder.validate(false).encode().expect("the module can be encoded as a component")
    }

    /// Returns the contract with a world of this component's exports.
    fn resolve(&self) -> (Resolve, WorldId) {
        let mut resolve = Resolve::default();
        let mut sources = SourceMap::new();
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit/0.1");
        let mut changed = self.contract_line.is_none();
        for entry in std::fs::read_dir(wit).expect("the folder wit/ can be read") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "wit") {
                let mut text = std::fs::read_to_string(&path).expect("readable");
                if let Some((line, replacement)) = self.contract_line {
                    changed |= text.contains(line);
                    text = text.replace(line, replacement);
                }
                sources.push(&path, text.replace("@0.1.0", &format!("@{}", self.contract)));
            }
        }
        assert!(changed, "the contract does not have the line to replace: {:?}", self.contract_line);
        resolve.push_group(sources.parse().expect("the contract parses")).expect("the contract is valid");
        let mut world =
            format!("package test:guest;\nworld guest {{\n  import berth:scheduler/log@{};\n", self.contract);
        if self.what_if {
            world.push_str(&format!("  import berth:scheduler/what-if@{};\n", self.contract));
        }
        for interface in self.foreign.imports {
            world.push_str(&format!("  import {interface};\n"));
        }
        for interface in &self.exports {
            world.push_str(&format!("  export berth:scheduler/{interface}@{};\n", self.contract));
        }
        world.push_str("}\n");
        world.push_str(self.foreign.packages);
        let package = resolve.push_str("guest.wit", &world).expect("the guest's world is valid");
        let world = resolve.select_world(&[package], Some("guest")).expect("the guest's world exists");
        (resolve, world)
    }

    fn text(&self, resolve: &Resolve, world: WorldId) -> String {
        let mut text = MODULE.to_owned();
        let mut fill = |placeholder: &str, value: &str| text = text.replace(&format!("@{placeholder}@"), value);
        for (function, body) in &self.bodies {
            fill(function, body);
        }
        fill("contract", &format!("@{}", self.contract));
        fill("name", &self.name);
        fill("name_length", &length(&self.name));
        fill("version", &self.version);
        fill("version_length", &length(&self.version));
        for (placeholder, value) in ["api_version", "kind", "field"].into_iter().zip(self.objects) {
            fill(placeholder, value);
            fill(&format!("{placeholder}_length"), &length(value));
        }
        fill("pod_facts", &bytes(&self.pod_facts.to_le_bytes()));
        fill("node_facts", &bytes(&self.node_facts.to_le_bytes()));
        fill("cluster_facts", &bytes(&[0]));
        fill("scope", &bytes(&[self.scope]));
        fill("normalization", &bytes(&[self.normalization]));
        fill("change_size", &change_size(resolve).to_string());
        remove_other_exports(&text, resolve, world)
    }
}

fn length(text: &str) -> String {
    bytes(&(text.len() as u32).to_le_bytes())
}

fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// Returns the bytes of a `change` in a list.
fn change_size(resolve: &Resolve) -> usize {
    let mut sizes = SizeAlign::default();
    sizes.fill(resolve);
    let snapshot = resolve.interfaces.iter().find(|(_, i)| i.name.as_deref() == Some("snapshot"));
    let change = snapshot.and_then(|(_, interface)| interface.types.get("change")).expect("the contract has changes");
    sizes.size(&Type::Id(*change)).size_wasm32()
}

/// Removes the exports that the world does not have.
fn remove_other_exports(text: &str, resolve: &Resolve, world: WorldId) -> String {
    let exported: Vec<String> = resolve.worlds[world].exports.keys().map(|key| resolve.name_world_key(key)).collect();
    let mut kept = String::new();
    for part in text.split_inclusive('\n') {
        let export = part.split("(export \"").nth(1).and_then(|rest| rest.split('"').next());
        let interface = export.and_then(|name| name.trim_start_matches("cabi_post_").split_once('#')).map(|(i, _)| i);
        match (interface, export) {
            (Some(interface), Some(export)) if !exported.iter().any(|name| name == interface) => {
                kept.push_str(&part.replace(&format!("(export {export:?})"), ""));
            }
            _ => kept.push_str(part),
        }
    }
    kept
}
