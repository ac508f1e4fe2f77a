//! Builds small components from `guest.wat` and the contract, valid or deliberately faulty. Tests with these components
//! need no toolchain for plugins.

mod declaration;

use std::collections::BTreeMap;
use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, SizeAlign, SourceMap, Type, TypeDefKind, TypeId, WorldId};

pub use self::declaration::Reads;
use self::declaration::{Declaration, Memory};

const MODULE: &str = include_str!("guest.wat");

/// The newest version of the contract.
const NEWEST: &str = "0.2.0";

/// The bit of the node fact `usage`.
pub const USAGE: u32 = 1 << 6;
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
    declaration: Declaration,
    contract: &'static str,
    /// A line of the contract, and the line that replaces it in this component's build.
    contract_line: Option<(&'static str, &'static str)>,
    exports: Vec<&'static str>,
    foreign: Foreign,
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
            ("describe", "(i32.const @description@)"),
            ("configure", "(i32.const @declaration@)"),
            ("add_signature", ""),
            ("apply", ""),
            // Code for each change that `apply` receives.
            ("change", ""),
            // Whether a row of usage is kept.
            ("takes", "(i32.const 1)"),
            ("skip", ""),
            ("sort_key", ""),
            ("pre_filter", "(i64.store (i32.const 600) (i64.const 0)) (i32.const 600)"),
            ("filter", ""),
            ("post_filter", ""),
            ("pre_score", "(i64.store (i32.const 600) (i64.const 0)) (i32.const 600)"),
            ("score", ""),
            ("normalize", ""),
            ("unreserve", ""),
            ("permit", ""),
        ];
        let declaration = Declaration {
            name: name.to_owned(),
            version: "1.2.3".to_owned(),
            node: Reads::facts(USAGE),
            normalization: NORMALIZE_DEFAULT,
            ..Declaration::default()
        };
        Self {
            declaration,
            contract: NEWEST,
            contract_line: None,
            exports: vec!["plugin", "snapshot", "filter", "score"],
            foreign: Foreign::default(),
            objects: ["v1", "ConfigMap", "data"],
            what_if: false,
            bodies: bodies.map(|(function, body)| (function, body.to_owned())).into(),
        }
    }

    /// Sets the version that `describe` returns.
    pub fn version(mut self, version: &str) -> Self {
        self.declaration.version = version.to_owned();
        self
    }

    /// Replaces a line of the contract in this component's build.
    pub fn contract_line(mut self, line: &'static str, replacement: &'static str) -> Self {
        self.contract_line = Some((line, replacement));
        self
    }

    /// Sets the version of the contract. Each version `0.1.x` has the interfaces of version 0.1, and each other version
    /// those of the newest version.
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
        self.declaration.scope = 1;
        self
    }

    /// Sets the declared node facts.
    pub fn node_facts(self, facts: u32) -> Self {
        self.node(Reads::facts(facts))
    }

    /// Sets what the component reads of nodes.
    pub fn node(mut self, reads: Reads) -> Self {
        self.declaration.node = reads;
        self
    }

    /// Sets the declared pod facts.
    pub fn pod_facts(self, facts: u32) -> Self {
        self.pod(Reads::facts(facts))
    }

    /// Sets what the component reads of the pod to schedule.
    pub fn pod(mut self, reads: Reads) -> Self {
        self.declaration.pod = reads;
        self
    }

    /// Sets what the component reads of the pods on nodes.
    pub fn resident_pods(mut self, reads: Reads) -> Self {
        self.declaration.resident_pods = Some(reads);
        self
    }

    /// Sets what the component reads of pending pods.
    pub fn pending_pods(mut self, reads: Reads) -> Self {
        self.declaration.pending_pods = Some(reads);
        self
    }

    /// Declares that the component reads the time.
    pub fn reads_time(mut self) -> Self {
        self.declaration.reads_time = true;
        self
    }

    /// Sets the JSON Schema of the arguments.
    pub fn arguments(mut self, schema: &str) -> Self {
        self.declaration.arguments = Some(schema.to_owned());
        self
    }

    /// Declares events of this kind with these actions: a bit for each, in the order of the contract.
    pub fn retry_on(mut self, kind: &'static str, actions: u16) -> Self {
        self.declaration.retry_on.push((kind, actions));
        self
    }

    /// Sets the declared normalization.
    pub fn normalization(mut self, normalization: u8) -> Self {
        self.declaration.normalization = normalization;
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
            .body("describe", "(drop (call $now)) (i32.const @description@)")
    }

    /// Makes `function` log `message` as an error and then trap, as a panic in the SDK does.
    pub fn panics(self, function: &'static str, message: &str) -> Self {
        let log = format!(r#"(i32.const 0) (i32.const 640) (i32.const {}) (call $log) (unreachable)"#, message.len());
        let import = r#"(import "berth:scheduler/log@contract@" "write" (func $log (param i32 i32 i32)))"#;
        let data = format!(r#"(data (i32.const 640) "{message}")"#);
        self.body("imports", import).body("data", &data).body(function, &log)
    }

    /// Adds a post-filter that asks about its first node without pod 0. If the pod fits, the post-filter nominates the
    /// node; otherwise the post-filter returns an error.
    pub fn makes_room(self) -> Self {
        let import = r#"(import "berth:scheduler/what-if@contract@" "ask"
            (func $ask (param i64 i64 i64 i32 i32 i32 i32)))"#;
        // Addresses: the case (node, pods) at 2176, the pod's id at 2200, and the result (verdicts) at 2208.
        let body = "
            (i32.store (i32.const 2200) (i32.const 0))
            (i32.store (i32.const 2176) (i32.load (local.get $nodes)))
            (i32.store (i32.const 2180) (i32.const 2200))
            (i32.store (i32.const 2184) (i32.const 1))
            (call $ask (local.get $id) (local.get $time) (local.get $seed) (local.get $signature)
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

    /// Returns the offset in bytes of a field of a record. A record that is passed through memory has its fields there.
    #[must_use]
    pub fn offset(&self, interface: &str, record: &str, field: &str) -> usize {
        let (resolve, _) = self.resolve();
        let id = type_id(&resolve, interface, record);
        let TypeDefKind::Record(of) = &resolve.types[id].kind else { panic!("{record} is not a record") };
        let mut sizes = SizeAlign::default();
        sizes.fill(&resolve);
        let at = of.fields.iter().position(|known| known.name == field).expect("the record has the field");
        sizes.field_offsets(of.fields.iter().map(|field| &field.ty))[at].0.size_wasm32()
    }

    /// Returns whether the component has the interfaces of version 0.1.
    fn is_v0_1(&self) -> bool {
        self.contract.starts_with("0.1.")
    }

    /// Returns the contract with a world of this component's exports.
    fn resolve(&self) -> (Resolve, WorldId) {
        let mut resolve = Resolve::default();
        let mut sources = SourceMap::new();
        let (folder, built) = if self.is_v0_1() { ("0.1", "@0.1.0") } else { ("0.2", "@0.2.0") };
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit").join(folder);
        let mut changed = self.contract_line.is_none();
        for entry in std::fs::read_dir(wit).expect("the folder wit/ can be read") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "wit") {
                let mut text = std::fs::read_to_string(&path).expect("readable");
                if let Some((line, replacement)) = self.contract_line {
                    changed |= text.contains(line);
                    text = text.replace(line, replacement);
                }
                sources.push(&path, text.replace(built, &format!("@{}", self.contract)));
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
        let names = if self.is_v0_1() { V0_1 } else { V0_2 };
        names.into_iter().for_each(|(placeholder, name)| fill(placeholder, name));
        let memory = if self.is_v0_1() { self.declaration.v0_1() } else { self.declaration.newest() };
        let Memory { bytes: declared, description, declaration } = memory;
        fill("declared", &bytes(&declared));
        fill("description", &description.to_string());
        fill("declaration", &declaration.to_string());
        for (placeholder, value) in ["api_version", "kind", "field"].into_iter().zip(self.objects) {
            fill(placeholder, value);
            fill(&format!("{placeholder}_length"), &length(value));
        }
        fill("change_size", &change_size(resolve).to_string());
        remove_other_exports(&text, resolve, world)
    }
}

/// The parts of `guest.wat` that differ between the versions of the contract.
const V0_1: [(&str, &str); 4] =
    [("add", "hold-template"), ("remove", "forget-templates"), ("identity", ""), ("first_queued", "")];
const V0_2: [(&str, &str); 4] = [
    ("add", "add-signature"),
    ("remove", "remove-signatures"),
    ("identity", "(param i32 i32 i32 i32) (param $uid i32) (param $uid_length i32)"),
    ("first_queued", "(param $first_queued i64)"),
];

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
    sizes.size(&Type::Id(type_id(resolve, "snapshot", "change"))).size_wasm32()
}

fn type_id(resolve: &Resolve, interface: &str, name: &str) -> TypeId {
    let interface = resolve.interfaces.iter().find(|(_, known)| known.name.as_deref() == Some(interface));
    *interface.and_then(|(_, interface)| interface.types.get(name)).expect("the contract has the type")
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
