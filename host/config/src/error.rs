//! Errors of a configuration file, with line and column.

use std::fmt;

/// A place in a file; lines and columns begin at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
}

/// One problem of a configuration file, or a note about one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line and column of the field.
    pub place: Place,
    /// The field, as in `profiles[0].plugins.score.enabled[1].weight`; empty for the file as a whole.
    pub path: String,
    /// The problem and its remedy.
    pub message: String,
}

/// Problems, in the order in which the checks find them.
pub(super) type Problems = Vec<Problem>;

/// The reason that a configuration file is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("can't read the configuration {file}: {source}")]
    Unreadable {
        /// The file's name.
        file: String,
        /// The I/O error.
        source: std::io::Error,
    },
    /// The file is larger than a configuration can be.
    #[error("configuration {file} is larger than {most} bytes, the maximum size of a configuration")]
    TooLarge {
        /// The file's name.
        file: String,
        /// The maximum size, in bytes.
        most: u64,
    },
    /// The file is not valid YAML or JSON, or an object has a duplicate field.
    #[error("{file}:{}:{}: not YAML: {message}", place.line, place.column)]
    Syntax {
        /// The file's name.
        file: String,
        /// The line and column of the syntax error.
        place: Place,
        /// The parser's message.
        message: String,
    },
    /// The content of the file is invalid. The error lists every problem.
    #[error("{}", Listed(file, problems))]
    Invalid {
        /// The file's name.
        file: String,
        /// The problems, in the file's order.
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
