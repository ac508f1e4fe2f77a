//! What is wrong with the arguments, and where: `weights.a[0]: invalid type: …`.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// What is wrong, with the path to it. The path grows on the way out, so that reading what is right costs nothing.
#[derive(Debug)]
pub(super) struct Wrong {
    /// As an author writes it: `weights.a[0].wait`; empty for the whole.
    path: String,
    what: What,
}

#[derive(Debug)]
enum What {
    Unknown,
    Other(String),
}

impl Wrong {
    /// A field that nothing reads.
    pub(super) fn unknown(field: &str) -> Wrong {
        Wrong { path: field.to_owned(), what: What::Unknown }
    }

    /// In serde's words, but for a fraction: the code that writes one is larger than many a plugin.
    fn mismatch(what: &str, found: Unexpected<'_>, expected: &dyn Expected) -> Wrong {
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
        de::Error::custom(format_args!("invalid {what}: {kind}{quote}{value}{quote}, expected {expected}"))
    }

    /// The same, seen from the object in whose field it is.
    pub(super) fn in_field(self, field: &str) -> Wrong {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Wrong { path: format!("{field}{separator}{}", self.path), ..self }
    }

    /// The same, seen from the list in which it is.
    pub(super) fn in_list(self, at: usize) -> Wrong {
        self.in_field(&format!("[{at}]"))
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Unknown => write!(f, "unknown field `{}`", self.path),
            What::Other(what) if self.path.is_empty() => f.write_str(what),
            What::Other(what) => write!(f, "{}: {what}", self.path),
        }
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(what: T) -> Wrong {
        Wrong { path: String::new(), what: What::Other(what.to_string()) }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Wrong {
        Wrong::mismatch("type", found, expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Wrong {
        Wrong::mismatch("value", found, expected)
    }
}
