//! Loads compiled code. This is the only place where Berth itself needs `unsafe`.
#![allow(
    unsafe_code,
    reason = "wasmtime can't check that native code is what it once compiled; the disk cache sees to it that nobody else could have written the file"
)]

use std::path::Path;

use wasmtime::Engine;
use wasmtime::component::Component;

/// Maps a file that [`super::DiskCache`] wrote into memory. Only `DiskCache` may call it, after it has checked that
/// no other user can write to the folder or the file.
pub(super) fn deserialize(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the file holds the output of `Component::serialize` for an engine with the same compatibility hash. It
    // was written under another name and renamed when complete. Folder and file belong to this user, and no other
    // user may write to them. wasmtime also checks its own header.
    unsafe { Component::deserialize_file(engine, path) }
}
