//! Where plugins come from, and how often that is looked at.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use berth_core::limits::Limits;
use berth_supervisor::Supervisor;

/// A component inside the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its file's name when it was put there.
    pub file: &'static str,
    /// The component.
    pub bytes: &'static [u8],
}

/// How a [`super::Loader`] works.
#[derive(Clone, Debug)]
pub struct LoaderOptions {
    /// A directory of further components, watched. It may come later, and go.
    pub plugins_dir: Option<PathBuf>,
    /// Where compiled code is kept; where not given, a folder of the user's cache (`$XDG_CACHE_HOME/berth`).
    pub cache_dir: Option<PathBuf>,
    /// What components may take.
    pub limits: Arc<Limits>,
    /// How often the directory is looked at even if no change was reported. Default: 5 s.
    pub poll: Duration,
    /// Components that the program carries: the default plugins. Default: none.
    pub built_in: Vec<BuiltIn>,
    /// Whether to count the instructions that components take, and the bytes that go into and out of them
    /// ([`crate::Usage`]): for tests of what plugins cost. Components are compiled anew for it, and run somewhat slower.
    /// Default: no.
    pub counts_work: bool,
    /// Watches over the loader's thread.
    pub supervisor: Supervisor,
}

impl Default for LoaderOptions {
    fn default() -> Self {
        Self {
            plugins_dir: None,
            cache_dir: None,
            limits: Arc::default(),
            poll: Duration::from_secs(5),
            built_in: Vec::new(),
            counts_work: false,
            supervisor: Supervisor::default(),
        }
    }
}

impl LoaderOptions {
    /// Where compiled code is kept; `None` where the user has no folder for such things.
    pub(crate) fn cache_dir(&self) -> Option<PathBuf> {
        let from = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let given = self.cache_dir.clone();
        given.or_else(|| Some(from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")))?.join("berth")))
    }
}
