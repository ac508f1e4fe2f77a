//! A JSON tokenizer.
//!
//! The SDK does not use a JSON library, because its code would be half of a small component: a library builds a tree or
//! is compiled once for each type that it reads, and has tables for parsing fractions. The host sends well-formed JSON.
//! The tokenizer returns an error for malformed JSON nevertheless.

use std::borrow::Cow;

use serde::de::Error;

use super::error::ArgumentError;

/// The deepest nesting of lists and objects. Each level takes stack memory.
const MAX_DEPTH: usize = 100;

/// JSON text, and the position up to which it was read.
pub(super) struct Text<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// True if an object may have fields that its struct does not have.
    pub(super) lenient: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Text<'a> {
        Text { text, at: 0, depth: 0, lenient: false }
    }

    /// Makes a text whose objects may have fields that their structs do not have.
    pub(super) fn lenient(text: &'a str) -> Text<'a> {
        Text { lenient: true, ..Text::new(text) }
    }

    /// Returns the next byte that is not a space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            if !byte.is_ascii_whitespace() {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Skips spaces, and consumes the next byte if it is `byte`. Returns true if the byte was consumed.
    pub(super) fn consume(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Makes the error that `token` was expected at this position.
    pub(super) fn expected_here(&self, token: &str) -> ArgumentError {
        ArgumentError::custom(format_args!("malformed JSON: expected {token} at byte {}", self.at))
    }

    /// Consumes the bracket that opens a list or an object.
    pub(super) fn open(&mut self, bracket: u8) -> Result<(), ArgumentError> {
        if !self.consume(bracket) {
            return Err(self.expected_here("a bracket"));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(ArgumentError::custom("too deep")) } else { Ok(()) }
    }

    /// Consumes the closing bracket of a list or an object if this bracket is next. Returns true if it was consumed.
    pub(super) fn close(&mut self, bracket: u8) -> bool {
        let closes = self.consume(bracket);
        self.depth -= usize::from(closes);
        closes
    }

    /// Returns true if another element or key follows, and false at the closing bracket. Does not consume the bracket.
    pub(super) fn has_next(&mut self, first: bool, closing: u8) -> Result<bool, ArgumentError> {
        if self.peek() == Some(closing) {
            return Ok(false);
        }
        if first || self.consume(b',') { Ok(true) } else { Err(self.expected_here("a comma or a closing bracket")) }
    }

    /// Reads a key and its colon.
    pub(super) fn key(&mut self) -> Result<Cow<'a, str>, ArgumentError> {
        let key = self.string()?;
        if self.consume(b':') { Ok(key) } else { Err(self.expected_here("a colon")) }
    }

    /// Checks that only spaces are left.
    pub(super) fn end(&mut self) -> Result<(), ArgumentError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected_here("the end")),
        }
    }

    /// Reads `true`, `false`, `null` or a number, as written.
    pub(super) fn word(&mut self) -> Result<&'a str, ArgumentError> {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let length = rest.bytes().position(|byte| !in_word(&byte)).unwrap_or(rest.len());
        match rest.get(..length) {
            Some(word) if length > 0 => {
                self.at += length;
                Ok(word)
            }
            _ => Err(self.expected_here("a value")),
        }
    }

    /// Reads a string.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, ArgumentError> {
        if !self.consume(b'"') {
            return Err(self.expected_here("a quote"));
        }
        let mut read = Cow::Borrowed("");
        loop {
            let start = self.at;
            let stop = self.text.as_bytes().iter().skip(start).position(|byte| b"\"\\".contains(byte));
            self.at = stop.map_or(self.text.len(), |length| start + length);
            let part = self.text.get(start..self.at).unwrap_or_default();
            if read.is_empty() {
                read = Cow::Borrowed(part);
            } else {
                read.to_mut().push_str(part);
            }
            match self.byte() {
                Some(b'"') => return Ok(read),
                Some(_) => {
                    let character = self.escaped().ok_or_else(|| self.expected_here("an escaped character"))?;
                    read.to_mut().push(character);
                }
                None => return Err(self.expected_here("a closing quote")),
            }
        }
    }

    /// Reads the character after a backslash.
    fn escaped(&mut self) -> Option<char> {
        Some(match self.byte()? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex()?;
                // A character beyond 16 bits is written as a surrogate pair.
                let high = (0xd800..0xdc00).contains(&unit);
                if high && self.byte()? == b'\\' && self.byte()? == b'u' {
                    let low = self.hex()?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x10000 + ((unit - 0xd800) << 10) + low)?
                } else {
                    char::from_u32(unit)?
                }
            }
            byte @ (b'"' | b'\\' | b'/') => char::from(byte),
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        (0..4).try_fold(0, |unit, _| Some(unit << 4 | char::from(self.byte()?).to_digit(16)?))
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.text.as_bytes().get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// Skips a value.
    pub(super) fn skip(&mut self) -> Result<(), ArgumentError> {
        let outside = self.depth;
        loop {
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => self.open(bracket)?,
                Some(bracket @ (b'}' | b']')) if self.depth > outside => {
                    self.close(bracket);
                }
                Some(b'"') => drop(self.string()?),
                Some(b',' | b':') if self.depth > outside => self.at += 1,
                _ => drop(self.word()?),
            }
            if self.depth == outside {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_survive_a_round_trip() {
        for text in ["", "plain", "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}", "é ☃ 😀", "\\u0041", "a\"b", "}{,:"] {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(Text::new(&json).string().unwrap(), text, "{json}");
        }
        assert_eq!(Text::new(r#" "\u00e9\ud83d\ude00\/" "#).string().unwrap(), "é😀/");
    }

    #[test]
    fn malformed_strings_are_refused() {
        for json in
            ["", "x", "\"", "\"a", r#""\"#, r#""\x""#, r#""\u12""#, r#""\ud83d""#, r#""\ud83dx""#, r#""\ud83d\u0041""#]
        {
            assert!(Text::new(json).string().is_err(), "{json}");
        }
    }

    #[test]
    fn whole_values_are_skipped() {
        for value in
            ["1", "-1.5e+3", "true", "null", r#""a]}""#, "{}", "[]", r#"{"a": [1, {"b": "}"}, []], "c": null}"#]
        {
            let json = format!(" {value} ,next");
            let mut text = Text::new(&json);
            text.skip().unwrap();
            assert!(text.consume(b','), "{value}");
        }
        for value in ["", "]", ",", "[", r#"{"a": "#, &"[".repeat(1000)] {
            assert!(Text::new(value).skip().is_err(), "{value}");
        }
    }
}
