//! Hints: the command to run next, after an error.

use std::error::Error;
use std::fmt;

use anyhow::Result;

/// An error with the command to run next.
#[derive(Debug)]
struct Hinted {
    error: anyhow::Error,
    next: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Hinted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

/// Adds a hint to an error.
pub(super) trait Hint<T> {
    /// Adds the command to run next if there is an error. The message of the error stays the same.
    ///
    /// # Errors
    /// Returns the error with the hint.
    fn or_hint(self, next: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<anyhow::Error>> Hint<T> for Result<T, E> {
    fn or_hint(self, next: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Hinted { error: error.into(), next: next() }.into())
    }
}

/// Returns the command to run next.
pub(super) fn of(error: &anyhow::Error) -> Option<&str> {
    error.chain().find_map(|cause| cause.downcast_ref::<Hinted>()).map(|hinted| hinted.next.as_str())
}

/// Returns text as one argument of a shell command.
pub(super) fn quoted(text: impl fmt::Display) -> String {
    let text = text.to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn a_hint_keeps_the_message_and_is_found_under_a_context() {
        let failed = || Err::<(), _>(anyhow!("cause").context("what"));
        let hinted = failed().or_hint(|| "berth help".into()).expect_err("failed");
        assert_eq!(format!("{hinted:#}"), format!("{:#}", failed().expect_err("failed")));
        assert_eq!(of(&hinted), Some("berth help"));
        let within = Err::<(), _>(hinted).context("where").expect_err("failed");
        assert_eq!((of(&within), format!("{within:#}")), (Some("berth help"), "where: what: cause".to_owned()));
        assert_eq!(of(&anyhow!("cause")), None);
    }

    #[test]
    fn an_argument_is_quoted_if_a_shell_would_change_it() {
        for (text, expected) in [("a/b.wasm", "a/b.wasm"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")] {
            assert_eq!(quoted(text), expected);
        }
    }
}
