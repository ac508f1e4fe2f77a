//! The SDKs and templates, carried inside the binary. `build/sources.rs` says what is in them.

/// A file of a project.
pub(super) struct Source {
    /// Of this language's projects.
    pub language: &'static str,
    /// Below the project's folder; the SDK is in `berth/`.
    pub path: &'static str,
    pub bytes: &'static [u8],
}

/// All there are.
pub(super) const SOURCES: &[Source] = &include!(concat!(env!("OUT_DIR"), "/sources.rs"));
