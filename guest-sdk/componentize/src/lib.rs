//! Makes a plugin from a core WebAssembly module: a component of Berth's contract that imports nothing but Berth's
//! log.
//!
//! Compilers that don't support components (Go's, clang's, zig's) emit a core module. The names of its exports are
//! those of the canonical ABI, `berth:scheduler/filter@0.2.0#filter`. If a module has the type of its component
//! embedded, as wit-bindgen does it for Rust and C, this type is used. Imports of WASI preview 1 are linked with a
//! module of stubs.

mod contract;

use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

use contract::{Contract, PLUGIN};

const WASI: &str = "wasi_snapshot_preview1";
const NO_WASI: &str = include_str!("no_wasi.wat");
/// The prefix of the custom sections in which wit-bindgen describes a component.
const DESCRIPTION: &str = "component-type";

/// An error that prevents the creation of a component.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes are not a core module.
    #[error("{0}")]
    NotACoreModule(&'static str),
    /// The contract has no interface of this name.
    #[error("the contract has no interface `{name}` to export; it has {}", .known.join(", "))]
    UnknownInterface {
        /// The name, as given.
        name: String,
        /// The names of the contract's interfaces.
        known: Vec<String>,
    },
    /// The module exports no function of this interface.
    #[error("the module exports no function of `{0}`; build it with an SDK of this version of the contract")]
    NoSuchExport(String),
    /// The caller named interfaces, but the module contains the type of its component.
    #[error("the module contains the type of its component, which lists its exports; name no interfaces to export")]
    Described,
    /// The module's exports or imports don't match the contract.
    #[error("the module does not fit the contract: {0}")]
    Module(String),
    /// The contract in this crate is broken.
    #[error("the contract can't be read: {0}")]
    Contract(String),
}

impl Error {
    fn module(error: impl std::fmt::Display) -> Error {
        Error::Module(format!("{error:#}"))
    }

    fn contract(error: impl std::fmt::Display) -> Error {
        Error::Contract(format!("{error:#}"))
    }
}

/// Makes a component from a core module.
///
/// `exports` are the interfaces to export, by their short names (`filter`, `score`, `snapshot`, …). `plugin` is
/// always exported. Exports of the module that belong to other interfaces are not exported by the component. `None`
/// exports what the module's embedded component type names, or else every interface that the module has a function
/// of.
///
/// # Errors
/// Returns an error if the bytes are not a core module, or if the module lacks something that the contract requires.
pub fn componentize(module: &[u8], exports: Option<&[&str]>) -> Result<Vec<u8>, Error> {
    check_header(module)?;
    let known = survey(module)?;
    let module = match (known.described, exports) {
        (true, None) => module.to_vec(),
        (true, Some(_)) => return Err(Error::Described),
        (false, exports) => described(module, &known.functions, exports)?,
    };
    let mut encoder = ComponentEncoder::default();
    encoder.validate(true).module(&module).map_err(Error::module)?;
    encoder.adapter(WASI, &no_wasi()?).map_err(Error::contract)?;
    encoder.encode().map_err(Error::module)
}

/// Returns the module with the type of its component embedded.
fn described(module: &[u8], functions: &[String], exports: Option<&[&str]>) -> Result<Vec<u8>, Error> {
    let contract = Contract::new()?;
    let is_there = |name: &String| {
        let prefix = format!("{}#", contract.full_name(name));
        functions.iter().any(|function| function.starts_with(&prefix))
    };
    let exports = match exports {
        Some(names) => named(&contract, names)?,
        None => contract.exportable().into_iter().filter(|name| name == PLUGIN || is_there(name)).collect(),
    };
    if let Some(missing) = exports.iter().find(|name| !is_there(name)) {
        return Err(Error::NoSuchExport(contract.full_name(missing)));
    }
    let (resolve, world) = contract.world("guest", &exports)?;
    let mut module = module.to_vec();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).map_err(Error::contract)?;
    Ok(module)
}

/// Returns the stub module for WASI, with the type of its own imports embedded.
fn no_wasi() -> Result<Vec<u8>, Error> {
    let mut module = wat::parse_str(NO_WASI).map_err(Error::contract)?;
    let (resolve, world) = Contract::new()?.world("no-wasi", &[])?;
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).map_err(Error::contract)?;
    Ok(module)
}

fn named(contract: &Contract, names: &[&str]) -> Result<Vec<String>, Error> {
    let known = contract.exportable();
    let mut exports = vec![PLUGIN.to_owned()];
    for name in names {
        if !known.iter().any(|known| known == name) {
            return Err(Error::UnknownInterface { name: (*name).to_owned(), known });
        }
        if !exports.iter().any(|export| export == name) {
            exports.push((*name).to_owned());
        }
    }
    Ok(exports)
}

/// The exports of a module.
#[derive(Default)]
struct Known {
    /// The names of the module's exports.
    functions: Vec<String>,
    /// True if the type of the module's component is embedded.
    described: bool,
}

fn survey(module: &[u8]) -> Result<Known, Error> {
    let mut known = Known::default();
    for payload in Parser::new(0).parse_all(module) {
        match payload.map_err(Error::module)? {
            Payload::ExportSection(exports) => {
                for export in exports {
                    known.functions.push(export.map_err(Error::module)?.name.to_owned());
                }
            }
            Payload::CustomSection(section) => known.described |= section.name().starts_with(DESCRIPTION),
            _ => {}
        }
    }
    Ok(known)
}

fn check_header(bytes: &[u8]) -> Result<(), Error> {
    match bytes {
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', _, 0, 1, 0, ..] => {
            Err(Error::NotACoreModule("the file is already a component; a core module is needed"))
        }
        _ => Err(Error::NotACoreModule("the file is not a WebAssembly module in binary form")),
    }
}
