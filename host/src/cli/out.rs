//! What commands print: to whoever still reads it.

use std::fmt::{Arguments, Display};
use std::io::{self, Write};

/// Prints a line to standard output.
///
/// # Errors
/// It can't be written. Where the reader has gone, as `head` goes, [`is_unread`] knows the error.
pub(super) fn line(line: impl Display) -> io::Result<()> {
    write(format_args!("{line}\n"))
}

/// Prints a text that ends its lines itself.
///
/// # Errors
/// As [`line`].
pub(super) fn text(text: impl Display) -> io::Result<()> {
    write(format_args!("{text}"))
}

fn write(what: Arguments<'_>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_fmt(what)?;
    stdout.flush()
}

/// Whether the error is that nobody reads what is printed: the reader has seen enough, and nothing is wrong.
pub(super) fn is_unread(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
