//! The host's bindings of the plugin contract, generated from `wit/`.
//!
//! The world `everything` has all exports. A component exports some of them, so instances use each interface's
//! `GuestIndices`, which fails if the component does not export it.
#![allow(
    unsafe_code,
    dead_code,
    unused_variables,
    missing_docs,
    rust_2018_idioms,
    clippy::all,
    reason = "generated, and for the whole contract, of which not everything is used here"
)]

wasmtime::component::bindgen!({
    path: "../../wit/0.1",
    world: "everything",
    ownership: Borrowing { duplicate_if_necessary: true },
    imports: { default: trappable },
});
