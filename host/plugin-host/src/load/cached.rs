//! Loading compiled code: the one place where Berth itself needs `unsafe`.
#![allow(
    unsafe_code,
    reason = "wasmtime can't check that native code is what it once compiled; the disk cache sees to it that nobody else could have written the file"
)]

use std::path::Path;

use wasmtime::Engine;
use wasmtime::component::Component;

/// Maps a file that [`super::DiskCache`] wrote into memory. Only that may call it, after it has checked that folder and
/// file are this user's alone.
pub(super) fn deserialize(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the file holds what `Component::serialize` gave for an engine with the same compatibility hash, written
    // under another name and renamed when it was whole; folder and file belong to this user, and no other may write
    // them. wasmtime checks its own header besides.
    unsafe { Component::deserialize_file(engine, path) }
}
