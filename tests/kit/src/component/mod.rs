//! Small guests, made of `guest.wat` and the contract, good ones and bad ones: for tests that need no toolchain for
//! guests.
use std::collections::BTreeMap;
use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, SizeAlign, SourceMap, Type, WorldId};

const MODULE: &str = include_str!("guest.wat");

/// Node facts: usage.
pub const USAGE: u16 = 1 << 6;
/// The declared normalization `none`.
pub const NORMALIZE_NONE: u8 = 0;
/// The declared normalization `default`.
pub const NORMALIZE_DEFAULT: u8 = 1;
/// The declared normalization `custom`: the guest exports `normalize`.
pub const NORMALIZE_CUSTOM: u8 = 3;

/// What a guest imports besides the contract.
#[derive(Clone, Default)]
struct Foreign {
    /// WIT.
    packages: &'static str,
    /// Names of interfaces.
    imports: &'static [&'static str],
}

/// A guest to be built.
#[derive(Clone)]
pub struct Guest {
    name: String,
    version: String,
    contract: &'static str,
    /// A line of the contract, and the line that this guest was built with instead.
    contract_line: Option<(&'static str, &'static str)>,
    exports: Vec<&'static str>,
    foreign: Foreign,
    node_facts: u16,
    pod_facts: u32,
    normalization: u8,
    scope: u8,
    /// apiVersion, kind and a field of the objects that it reads.
    objects: [&'static str; 3],
    what_if: bool,
    bodies: BTreeMap<&'static str, String>,
}

impl Guest {
    /// One that filters and scores: every node fits, and its score is the cpu in use on it, to be normalized.
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

    /// The version that it gives itself.
    pub fn version(mut self, version: &str) -> Self {
        self.version = version.to_owned();
        self
    }

    /// It was built when a line of the contract was another.
    pub fn contract_line(mut self, now: &'static str, then: &'static str) -> Self {
        self.contract_line = Some((now, then));
        self
    }

    /// The version of the contract that it speaks.
    pub fn contract(mut self, version: &'static str) -> Self {
        self.contract = version;
        self
    }

    /// The interfaces that it exports.
    pub fn exports(mut self, interfaces: &[&'static str]) -> Self {
        self.exports = interfaces.to_vec();
        self
    }

    /// It declares scope node.
    pub fn scope_node(mut self) -> Self {
        self.scope = 1;
        self
    }

    /// What it declares of nodes.
    pub fn node_facts(mut self, facts: u16) -> Self {
        self.node_facts = facts;
        self
    }

    /// What it declares of pods.
    pub fn pod_facts(mut self, facts: u32) -> Self {
        self.pod_facts = facts;
        self
    }

    /// How its scores are normalized.
    pub fn normalization(mut self, normalization: u8) -> Self {
        self.normalization = normalization;
        self
    }

    /// It reads this field of the objects of this kind, and counts those that have it in `$objects`.
    pub fn reads(mut self, api_version: &'static str, kind: &'static str, field: &'static str) -> Self {
        self.objects = [api_version, kind, field];
        self.exports.push("objects");
        self
    }

    /// What a function does, in the text format, on top of what it does anyway.
    pub fn body(mut self, function: &'static str, wat: &str) -> Self {
        assert!(self.bodies.insert(function, wat.to_owned()).is_some(), "no such function: {function}");
        self
    }

    /// It imports `$now` of WASI's clock.
    pub fn with_clock(mut self) -> Self {
        self.foreign = Foreign {
            packages: "package wasi:clocks@0.2.0 { interface monotonic-clock { now: func() -> u64; } }",
            imports: &["wasi:clocks/monotonic-clock@0.2.0"],
        };
        self.body("imports", r#"(import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $now (result i64)))"#)
    }

    /// It imports of WASI `$stderr`, `$print` (stream, bytes' address and length, address of the answer), `$directories`
    /// (address of the answer), `$read` (descriptor, address of the answer), and `$root`, which WASI has not, for a
    /// descriptor to read from.
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

    /// It imports what plugins are not given: an HTTP client.
    pub fn with_http(mut self) -> Self {
        self.foreign = Foreign {
            packages: "package wasi:http@0.2.0 { interface outgoing-handler { now: func() -> u64; } }",
            imports: &["wasi:http/outgoing-handler@0.2.0"],
        };
        self.body("imports", r#"(import "wasi:http/outgoing-handler@0.2.0" "now" (func $now (result i64)))"#)
            .body("describe", "(drop (call $now)) (i32.const 96)")
    }

    /// It logs `message` as an error, then traps, as a guest of the SDK that panics.
    pub fn panics(self, function: &'static str, message: &str) -> Self {
        let log = format!(r#"(i32.const 0) (i32.const 640) (i32.const {}) (call $log) (unreachable)"#, message.len());
        let import = r#"(import "berth:scheduler/log@0.1.0" "write" (func $log (param i32 i32 i32)))"#;
        let data = format!(r#"(data (i32.const 640) "{message}")"#);
        self.body("imports", import).body("data", &data).body(function, &log)
    }

    /// It asks, during post-filter, about its first node without pod 0, and makes room there if the answer is yes; else it
    /// says an error of its own.
    pub fn makes_room(self) -> Self {
        let import = r#"(import "berth:scheduler/what-if@0.1.0" "ask"
            (func $ask (param i64 i64 i64 i32 i32 i32 i32)))"#;
        // At 2176 the case (node, pods), at 2200 the pod's id; the answer, verdicts, at 2208.
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

    /// Its core module, not yet a component.
    pub fn core_module(&self) -> Vec<u8> {
        let (resolve, world) = self.resolve();
        wat::parse_str(self.text(&resolve, world)).expect("the text is well formed")
    }

    /// The component.
    pub fn build(&self) -> Vec<u8> {
        let (resolve, world) = self.resolve();
        let mut module = wat::parse_str(self.text(&resolve, world)).expect("the text is well formed");
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
            .expect("the world can be embedded");
        let mut encoder = ComponentEncoder::default();
        encoder.module(&module).expect("the module fits its world");
        encoder.validate(false).encode().expect("a component can be made of it")
    }

    /// The contract with a world of this guest's exports.
    fn resolve(&self) -> (Resolve, WorldId) {
        let mut resolve = Resolve::default();
        let mut sources = SourceMap::new();
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
        let mut changed = self.contract_line.is_none();
        for entry in std::fs::read_dir(wit).expect("the contract is there") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "wit") {
                let mut text = std::fs::read_to_string(&path).expect("readable");
                if let Some((now, then)) = self.contract_line {
                    changed |= text.contains(now);
                    text = text.replace(now, then);
                }
                sources.push(&path, text.replace("@0.1.0", &format!("@{}", self.contract)));
            }
        }
        assert!(changed, "the contract has no such line: {:?}", self.contract_line);
        resolve.push_group(sources.parse().expect("the contract parses")).expect("the contract is sound");
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
        let package = resolve.push_str("guest.wit", &world).expect("the guest's world is sound");
        let world = resolve.select_world(&[package], Some("guest")).expect("the world is there");
        (resolve, world)
    }

    fn text(&self, resolve: &Resolve, world: WorldId) -> String {
        let mut text = MODULE.to_owned();
        let mut fill = |place: &str, with: &str| text = text.replace(&format!("@{place}@"), with);
        for (function, body) in &self.bodies {
            fill(function, body);
        }
        fill("contract", &format!("@{}", self.contract));
        fill("name", &self.name);
        fill("name_length", &length(&self.name));
        fill("version", &self.version);
        fill("version_length", &length(&self.version));
        for (place, value) in ["api_version", "kind", "field"].into_iter().zip(self.objects) {
            fill(place, value);
            fill(&format!("{place}_length"), &length(value));
        }
        fill("pod_facts", &bytes(&self.pod_facts.to_le_bytes()));
        fill("node_facts", &bytes(&self.node_facts.to_le_bytes()));
        fill("cluster_facts", &bytes(&[0]));
        fill("scope", &bytes(&[self.scope]));
        fill("normalization", &bytes(&[self.normalization]));
        fill("change_size", &change_size(resolve).to_string());
        without_others(&text, resolve, world)
    }
}

fn length(text: &str) -> String {
    bytes(&(text.len() as u32).to_le_bytes())
}

fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// Bytes of a `change` in a list.
fn change_size(resolve: &Resolve) -> usize {
    let mut sizes = SizeAlign::default();
    sizes.fill(resolve);
    let snapshot = resolve.interfaces.iter().find(|(_, i)| i.name.as_deref() == Some("snapshot"));
    let change = snapshot.and_then(|(_, interface)| interface.types.get("change")).expect("the contract has changes");
    sizes.size(&Type::Id(*change)).size_wasm32()
}

/// Takes away the exports that the world doesn't have.
fn without_others(text: &str, resolve: &Resolve, world: WorldId) -> String {
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
