//! Redaction: a copy of a capture without the names and values of its cluster.
//!
//! - In: a capture, twice. The first pass collects what must be replaced, the second pass writes the copy.
//! - Out: a capture whose strings are replaced. The order of the strings stays, and equal strings stay equal, so that the
//!   default plugins decide as before ([`compare`]).
//! - Never: no string stays by default. [`walk`] names the fields whose strings stay, and [`words`] the values.
//!
//! Redaction works on the JSON of the lines, not on the types of [`crate::record`]: the state of a core, the objects and
//! the arguments of plugins are JSON of many types, and a field that a later version adds is replaced as well.

pub mod compare;
mod names;
#[cfg(test)]
mod redact_test;
mod text;
mod walk;
mod words;
#[cfg(test)]
mod words_test;

use std::io::{self, Read, Write};

use crate::error::CaptureError;
use crate::read::CaptureReader;
use crate::write::CaptureWriter;

use self::names::{Collected, Names};
use self::walk::Walker;

/// How the lines of steps begin.
const STEP: &str = "{\"step\":";
/// How the last line begins.
const END: &str = "{\"end\":";

/// The reason why a capture can't be redacted.
#[derive(Debug, thiserror::Error)]
pub enum RedactError {
    /// The capture can't be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The copy can't be written.
    #[error("can't write the redacted copy: {0}")]
    Write(#[source] io::Error),
    /// A line is not what a capture has there.
    #[error("line {line} of the capture can't be redacted: {cause}")]
    Line {
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong.
        cause: String,
    },
    /// The capture has more names than this program replaces.
    #[error("the capture has more than {0} different names; record a shorter time")]
    TooMany(
        /// The largest number of names.
        usize,
    ),
    /// The file was changed between the two passes.
    #[error("the capture was changed while it was redacted: line {line} has a new name; redact a copy of the file")]
    Changed {
        /// The number of the line, from 1.
        line: u64,
    },
}

/// The strings of a capture that are replaced, with their replacements.
pub struct Redaction(Names);

impl Redaction {
    /// Reads the capture and chooses the replacements. A capture without its last line is read as far as it goes.
    ///
    /// # Errors
    /// The capture can't be read, or has too many names.
    pub fn of<R: Read>(mut reader: CaptureReader<R>) -> Result<Self, RedactError> {
        let mut collected = Collected::default();
        each_line(&mut reader, |line, number| {
            let walked = Walker::new(&mut collected).line(line);
            walked.map_err(|cause| RedactError::Line { line: number, cause: cause.to_string() })?;
            if collected.len() > names::MOST { Err(RedactError::TooMany(names::MOST)) } else { Ok(()) }
        })?;
        Ok(Self(Names::of(collected)))
    }

    /// Returns the replacement of a name, or `None` if the capture does not have the name.
    #[must_use]
    pub fn replacement(&mut self, name: &str) -> Option<String> {
        let replacement = text::name(&mut self.0, name);
        (!self.0.take_has_new()).then_some(replacement)
    }

    /// Writes the redacted copy. `reader` reads the capture from its beginning. The copy of a capture without its last line
    /// has one.
    ///
    /// # Errors
    /// The capture can't be read or was changed, or the copy can't be written.
    pub fn write<R: Read, W: Write>(&mut self, mut reader: CaptureReader<R>, out: W) -> Result<W, RedactError> {
        let mut writer = CaptureWriter::of_lines(out).map_err(RedactError::Write)?;
        let (mut steps, mut has_end) = (0, false);
        each_line(&mut reader, |line, number| {
            steps += u64::from(line.starts_with(STEP));
            has_end |= line.starts_with(END);
            let walked = Walker::new(&mut self.0).line(line);
            let text = walked.map_err(|cause| RedactError::Line { line: number, cause: cause.to_string() })?;
            if self.0.take_has_new() {
                return Err(RedactError::Changed { line: number });
            }
            writer.line(&text).map_err(RedactError::Write)
        })?;
        let ended = if has_end { writer.finish() } else { writer.finish_with_end(steps) };
        ended.map_err(RedactError::Write)
    }
}

/// Calls `handle` with each line and its number, up to the last line or to the end of a capture that was cut.
fn each_line<R: Read>(
    reader: &mut CaptureReader<R>,
    mut handle: impl FnMut(&str, u64) -> Result<(), RedactError>,
) -> Result<(), RedactError> {
    loop {
        let (line, number) = reader.line();
        let line =
            str::from_utf8(line).map_err(|error| RedactError::Line { line: number, cause: error.to_string() })?;
        handle(line, number)?;
        match reader.read_line() {
            Ok(true) => {}
            Ok(false) | Err(CaptureError::Truncated(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
