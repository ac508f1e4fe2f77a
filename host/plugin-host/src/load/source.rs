//! The origin of a component.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The origin of a component, as messages show it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A component in the binary, with this file name.
    BuiltIn(&'static str),
    /// A file.
    File(Arc<PathBuf>),
}

impl Source {
    /// Returns the source for a file.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::File(Arc::new(path.into()))
    }

    /// Returns the path of the file, or the file name at build time of a component in the binary.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => (*name).to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Returns whether the component is in the binary.
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
