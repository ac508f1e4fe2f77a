//! What is wrong with a configuration file, and where.

use std::fmt;

/// A place in a file; lines and columns begin at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Which line.
    pub line: u64,
    /// Which character in it.
    pub column: u64,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands.
    pub place: Place,
    /// The field, as in `profiles[0].plugins.score.enabled[1].weight`; empty for the file as a whole.
    pub path: String,
    /// What is wrong, and what to do.
    pub message: String,
}

/// What is wrong with a file, as it is found.
pub(super) type Problems = Vec<Problem>;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("configuration {file}: {source}")]
    Unreadable {
        /// Its name.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is larger than a configuration can be.
    #[error("configuration {file} is larger than {most} bytes: this is no KubeSchedulerConfiguration")]
    TooLarge {
        /// Its name.
        file: String,
        /// The limit.
        most: u64,
    },
    /// The file is neither YAML nor JSON.
    #[error("{file}:{}:{}: not YAML: {message}", place.line, place.column)]
    Syntax {
        /// Its name.
        file: String,
        /// Where.
        place: Place,
        /// The parser's words.
        message: String,
    },
    /// The file says what can't be done: all of it, in the file's order.
    #[error("{}", Listed(file, problems))]
    Invalid {
        /// Its name.
        file: String,
        /// What is wrong.
        problems: Vec<Problem>,
    },
}

struct Listed<'a>(&'a str, &'a [Problem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Problem { place, path, message }) in self.1.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}:{}:{}: ", self.0, place.line, place.column)?;
            if !path.is_empty() {
                write!(f, "{path}: ")?;
            }
            f.write_str(message)?;
        }
        Ok(())
    }
}
