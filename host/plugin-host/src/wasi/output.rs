//! Splits the output of a plugin into lines.

/// The bytes of a line that are kept.
const LINE: usize = 16 << 10;

/// An output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Error,
}

impl Stream {
    /// Returns the number that identifies the stream in a resource. Output to a resource with the number 0 is dropped.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Out => 1,
            Self::Error => 2,
        }
    }

    pub(super) fn of(number: u32) -> Option<Self> {
        [Self::Out, Self::Error].into_iter().find(|stream| stream.number() == number)
    }
}

/// An incomplete line.
#[derive(Debug, Default)]
pub(super) struct Line(Vec<u8>);

impl Line {
    /// Appends bytes, and calls `print` with each complete line.
    pub fn take(&mut self, bytes: &[u8], mut print: impl FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE.saturating_sub(self.0.len()).min(part.len());
            self.0.extend_from_slice(&part[..room]);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.0);
                print(String::from_utf8_lossy(&line).trim_end());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_complete_however_the_output_is_split() {
        let (mut line, mut lines) = (Line::default(), Vec::new());
        for piece in ["a", "b\nc\n", "", "\n", &"x".repeat(LINE + 5), "\nend"] {
            line.take(piece.as_bytes(), |line| lines.push(line.to_owned()));
        }
        assert_eq!(lines, ["ab", "c", "", &"x".repeat(LINE)]);
    }
}
