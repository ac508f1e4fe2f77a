//! An error in the arguments, with its path: `weights.a[0]: invalid type: …`.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// An error, with the path to the wrong value. Each reader that returns the error adds its field to the path, so that
/// reading correct arguments builds no paths.
#[derive(Debug)]
pub(super) struct ArgumentError {
    /// The path as an author writes it: `weights.a[0].wait`. Empty for the arguments as a whole.
    path: String,
    problem: Problem,
}

#[derive(Debug)]
enum Problem {
    Unknown,
    Other(String),
}

impl ArgumentError {
    /// Makes the error for an unknown field.
    pub(super) fn unknown(field: &str) -> ArgumentError {
        ArgumentError { path: field.to_owned(), problem: Problem::Unknown }
    }

    /// Makes a mismatch error, worded as serde does it. Omits the value of a fraction: the code that formats one is
    /// larger than many plugins.
    fn mismatch(subject: &str, found: Unexpected<'_>, expected: &dyn Expected) -> ArgumentError {
        let number;
        let (kind, value, quote) = match found {
            Unexpected::Float(_) => ("a fraction", "", ""),
            Unexpected::Bool(true) => ("boolean ", "true", "`"),
            Unexpected::Bool(false) => ("boolean ", "false", "`"),
            Unexpected::Unsigned(value) => {
                number = value.to_string();
                ("integer ", number.as_str(), "`")
            }
            Unexpected::Signed(value) => {
                number = value.to_string();
                ("integer ", number.as_str(), "`")
            }
            Unexpected::Str(text) => ("string ", text, "\""),
            Unexpected::Unit => ("null", "", ""),
            Unexpected::Seq => ("a list", "", ""),
            Unexpected::Map => ("an object", "", ""),
            Unexpected::UnitVariant => ("a bare name", "", ""),
            Unexpected::Other(other) => (other, "", ""),
            _ => ("something else", "", ""),
        };
        de::Error::custom(format_args!("invalid {subject}: {kind}{quote}{value}{quote}, expected {expected}"))
    }

    /// Prepends a field to the path.
    pub(super) fn in_field(self, field: &str) -> ArgumentError {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        ArgumentError { path: format!("{field}{separator}{}", self.path), ..self }
    }

    /// Prepends a list index to the path.
    pub(super) fn in_list(self, at: usize) -> ArgumentError {
        self.in_field(&format!("[{at}]"))
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Unknown => write!(f, "unknown field `{}`", self.path),
            Problem::Other(message) if self.path.is_empty() => f.write_str(message),
            Problem::Other(message) => write!(f, "{}: {message}", self.path),
        }
    }
}

impl std::error::Error for ArgumentError {}

impl de::Error for ArgumentError {
    fn custom<T: fmt::Display>(message: T) -> ArgumentError {
        ArgumentError { path: String::new(), problem: Problem::Other(message.to_string()) }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> ArgumentError {
        ArgumentError::mismatch("type", found, expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> ArgumentError {
        ArgumentError::mismatch("value", found, expected)
    }
}
