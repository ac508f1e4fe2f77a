//! The host's bindings of the plugin contract, one module for each version, generated from `wit/`.
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

/// Version 0.1.
pub mod v0_1 {
    wasmtime::component::bindgen!({
        path: "../../wit/0.1",
        world: "everything",
        ownership: Borrowing { duplicate_if_necessary: true },
        imports: { default: trappable },
    });
}

/// Version 0.2. The interfaces that have the types of version 0.1 unchanged share its Rust types.
pub mod v0_2 {
    wasmtime::component::bindgen!({
        path: "../../wit/0.2",
        world: "everything",
        ownership: Borrowing { duplicate_if_necessary: true },
        imports: { default: trappable },
        with: {
            "berth:scheduler/types@0.2.0": super::types,
            "berth:scheduler/intents@0.2.0": super::v0_1::berth::scheduler::intents,
        },
    });
}

/// The types that all versions share.
pub use self::v0_1::berth::scheduler::intents;

/// The types of the interface `types` that all versions share.
pub mod types {
    pub use super::v0_1::berth::scheduler::types::*;

    /// The id of a pod signature. Version 0.1 has the name `template-id`.
    pub type PodSignatureId = TemplateId;
}
