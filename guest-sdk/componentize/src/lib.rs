//! Makes a plugin of a core WebAssembly module: a component that speaks Berth's contract and imports nothing but its log.
//!
//! Compilers that don't know components (Go's, clang's, zig's) leave a core module whose exports have the names that the
//! canonical ABI gives them, `berth:scheduler/filter@0.1.0#filter`. Modules that carry the type of their component, as
//! wit-bindgen leaves it in them for Rust and C, are taken at their word. What a module imports of WASI preview 1 is linked
//! with a module that has nothing behind it.

mod contract;

use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

use contract::{Contract, PLUGIN};

const WASI: &str = "wasi_snapshot_preview1";
const NO_WASI: &str = include_str!("no_wasi.wat");
/// How the names of custom sections begin in which wit-bindgen describes a component.
const DESCRIPTION: &str = "component-type";

/// Why no component was made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes are something else than a core module.
    #[error("{0}")]
    NotACoreModule(&'static str),
    /// An interface was named that the contract doesn't have.
    #[error("the contract has no interface `{name}` to export; it has {}", .known.join(", "))]
    UnknownInterface {
        /// As it was given.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The module exports nothing of the contract, or not what it was said to.
    #[error("the module exports no function of `{0}`: was it built with an SDK of this version of the contract?")]
    NoSuchExport(String),
    /// Interfaces were named for a module that names them itself.
    #[error("the module was built with the type of its component in it, which says what it exports: name no interface")]
    Described,
    /// The module's exports or imports are not the contract's.
    #[error("the module does not fit the contract: {0}")]
    Module(String),
    /// What this crate carries is broken.
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

/// Makes a component of a core module.
///
/// `exports` are the interfaces that it is to export, by their short names (`filter`, `score`, `snapshot`, …); `plugin` is always
/// one. Exports of the module that belong to others stay inside. `None` takes what the module says of itself, or else all
/// interfaces of which it has a function.
///
/// # Errors
/// The module is none, or lacks what the contract wants of it.
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

/// The module with the type of the component that it is to be.
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

/// The module in the place of WASI, with its own place in the contract.
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

/// What a module says of itself.
#[derive(Default)]
struct Known {
    /// Names of its exports.
    functions: Vec<String>,
    /// The type of its component is in it.
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
        [0, b'a', b's', b'm', _, 0, 1, 0, ..] => Err(Error::NotACoreModule("it is a component already")),
        _ => Err(Error::NotACoreModule("it is no WebAssembly module in binary form")),
    }
}
