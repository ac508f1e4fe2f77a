//! What a guest must hold: every component that is built holds it, and guests made wrong on purpose are found out.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod arguments;
mod components;
mod wrong_guests;

#[path = "../wasm_guest/mod.rs"]
mod wasm_guest;
