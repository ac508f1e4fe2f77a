//! The values of fields, as error messages about arguments show them.

use std::fmt::{self, Display, Write};

/// A value that a message about a wrong field may show. Numbers and booleans are written as they are, strings in
/// quotes, and lists of such values in brackets. An empty list is `null`, as in Kubernetes.
///
/// The implementations do not use `Debug`: for strings, `Debug` needs tables of all non-printable characters, which are
/// a large part of a small component.
pub trait FieldValue {
    /// Writes the value as a message shows it.
    fn write(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result;
}

macro_rules! plain {
    ($($value:ty)*) => { $(
        impl FieldValue for $value {
            fn write(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                Display::fmt(self, to)
            }
        }
    )* };
}

plain!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

impl FieldValue for str {
    fn write(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("\"")?;
        for character in self.chars() {
            if matches!(character, '"' | '\\') {
                to.write_str("\\")?;
            }
            to.write_char(character)?;
        }
        to.write_str("\"")
    }
}

impl FieldValue for String {
    fn write(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().write(to)
    }
}

impl<V: FieldValue> FieldValue for [V] {
    fn write(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return to.write_str("null");
        }
        for (at, value) in self.iter().enumerate() {
            to.write_str(if at == 0 { "[" } else { "," })?;
            value.write(to)?;
        }
        to.write_str("]")
    }
}

impl<V: FieldValue + ?Sized> FieldValue for &V {
    fn write(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).write(to)
    }
}

/// Displays a value as a message shows it.
pub(crate) struct Quoted<'a, V: ?Sized>(pub(crate) &'a V);

impl<V: FieldValue + ?Sized> Display for Quoted<'_, V> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_json() {
        assert_eq!(Quoted("a \"b\" \\ é").to_string(), r#""a \"b\" \\ é""#);
        assert_eq!(Quoted(&["a".to_owned(), String::new()][..]).to_string(), r#"["a",""]"#);
        assert_eq!(Quoted(&[0; 0][..]).to_string(), "null");
        assert_eq!(Quoted(&-3).to_string(), "-3");
    }
}
