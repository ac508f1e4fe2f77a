//! Collects the problems of an object that could be read only in part.

use std::fmt;

/// Fields that were left out of an object's model, each with the reason. Keeps the first eight fields, and counts the
/// others.
#[derive(Debug, Default)]
pub struct Notes {
    lines: Vec<String>,
    more: usize,
}

const MAX_NOTES: usize = 8;

impl Notes {
    /// Adds the field at `path`, with the problem and its consequence.
    pub fn add(&mut self, path: impl fmt::Display, problem: impl fmt::Display) {
        if self.lines.len() < MAX_NOTES {
            self.lines.push(format!("{path}: {problem}"));
        } else {
            self.more += 1;
        }
    }

    /// Returns true if no field was left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("; "))?;
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}
