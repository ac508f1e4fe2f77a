//! The options of the loader.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;
use berth_supervisor::Supervisor;

use crate::load::DiskCache;

/// A component in the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// The name of its file at build time.
    pub file: &'static str,
    /// The bytes of the component.
    pub bytes: &'static [u8],
}

/// The options of a [`super::Loader`].
#[derive(Clone, Debug)]
pub struct LoaderOptions {
    /// The directory of further components; `None` for no directory. The loader watches the directory, and you may
    /// create or delete the directory at any time.
    pub plugins_dir: Option<PathBuf>,
    /// The folder for compiled code. Default: a folder in the user's cache (`$XDG_CACHE_HOME/berth`).
    pub cache_dir: Option<PathBuf>,
    /// The folder that keeps a copy of each component of the directory that was ever loaded, named by its digest;
    /// `None` for no copies. A replay of a capture needs them.
    pub keep_files: Option<PathBuf>,
    /// The limits of components.
    pub limits: Arc<Limits>,
    /// What components may read and change. Default: nothing, beside reading nodes and pods.
    pub grants: GrantPolicy,
    /// The interval at which the directory is read without a reported change. Default: 5 s.
    pub poll: Duration,
    /// The components in the binary: the default plugins. Default: none.
    pub built_in: Vec<BuiltIn>,
    /// Counts the built-in components that are loaded, for a progress bar.
    pub loaded: Arc<AtomicUsize>,
    /// Whether to count executed instructions and the bytes that cross ([`crate::Usage`]), for tests of the cost of
    /// plugins. Components are then compiled separately and run somewhat slower. Default: no.
    pub counts_work: bool,
    /// Supervises the loader's thread.
    pub supervisor: Supervisor,
}

impl Default for LoaderOptions {
    fn default() -> Self {
        Self {
            plugins_dir: None,
            cache_dir: None,
            keep_files: None,
            limits: Arc::default(),
            grants: GrantPolicy::default(),
            poll: Duration::from_secs(5),
            built_in: Vec::new(),
            loaded: Arc::default(),
            counts_work: false,
            supervisor: Supervisor::default(),
        }
    }
}

impl LoaderOptions {
    /// Returns the folder for compiled code; `None` if the user has no cache folder.
    pub(crate) fn cache_dir(&self) -> Option<PathBuf> {
        self.cache_dir.clone().or_else(DiskCache::folder_of_user)
    }
}
