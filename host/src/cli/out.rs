//! Output of commands on standard output.

use std::fmt::{Arguments, Display};
use std::io::{self, Write};

/// Prints a line to standard output.
///
/// # Errors
/// Writing fails. [`is_unread`] recognizes the error of a closed pipe, as with `head`.
pub(super) fn line(line: impl Display) -> io::Result<()> {
    write(format_args!("{line}\n"))
}

/// Prints text without adding a line end.
///
/// # Errors
/// As [`line`].
pub(super) fn text(text: impl Display) -> io::Result<()> {
    write(format_args!("{text}"))
}

fn write(text: Arguments<'_>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_fmt(text)?;
    stdout.flush()
}

/// Returns whether the error is a closed pipe: the reader has stopped reading, which is no failure.
pub(super) fn is_unread(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
