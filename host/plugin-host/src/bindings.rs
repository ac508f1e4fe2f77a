//! The host's side of the contract, generated from `wit/`.
//!
//! `everything` is the world with all exports. A component has some of them, so instances go through each interface's
//! `GuestIndices`, which tells whether the component exports it.
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
    path: "../../wit",
    world: "everything",
    ownership: Borrowing { duplicate_if_necessary: true },
    imports: { default: trappable },
});
