//! The SDKs and templates in the binary. `build/sources.rs` selects the files.

/// A file of a project.
pub(super) struct Source {
    /// The key of the project's language.
    pub language: &'static str,
    /// The path in the project's folder. The SDK's files are in `berth/`.
    pub path: &'static str,
    pub bytes: &'static [u8],
}

/// The files of all languages.
pub(super) const SOURCES: &[Source] = &include!(concat!(env!("OUT_DIR"), "/sources.rs"));
