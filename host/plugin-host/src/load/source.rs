//! Where a component comes from.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A component's origin, as messages name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Carried inside the binary, under this file name.
    BuiltIn(&'static str),
    /// A file.
    File(Arc<PathBuf>),
}

impl Source {
    /// A file's.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::File(Arc::new(path.into()))
    }

    /// Whether it is carried inside the binary.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        matches!(self, Self::BuiltIn(_))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(name) => write!(f, "{name} (built in)"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}
