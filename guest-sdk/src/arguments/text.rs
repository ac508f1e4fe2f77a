//! JSON, token by token.
//!
//! A library's reader builds a tree or is made anew for each type that is read, and brings the tables for fractions: half of a
//! small component. What the host sends is well-formed, as it was written by a library; what is not is still refused.

use std::borrow::Cow;

use serde::de::Error;

use super::wrong::Wrong;

/// Lists and objects deeper than this are refused: each level takes room on the stack.
const MAX_DEPTH: usize = 100;

/// What is still to be read of a text.
pub(super) struct Text<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Text<'a> {
        Text { text, at: 0, depth: 0 }
    }

    /// The next byte that is no space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            if !byte.is_ascii_whitespace() {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Passes this byte if it comes next.
    pub(super) fn pass(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// That something else has to stand here.
    pub(super) fn wanted(&self, what: &str) -> Wrong {
        Wrong::custom(format_args!("malformed JSON: {what} is wanted at byte {}", self.at))
    }

    /// Passes the bracket that opens a list or an object.
    pub(super) fn open(&mut self, bracket: u8) -> Result<(), Wrong> {
        if !self.pass(bracket) {
            return Err(self.wanted("a bracket"));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(Wrong::custom("too deep")) } else { Ok(()) }
    }

    /// Whether the bracket that closes a list or an object comes next; if so, passes it.
    pub(super) fn close(&mut self, bracket: u8) -> bool {
        let closes = self.pass(bracket);
        self.depth -= usize::from(closes);
        closes
    }

    /// The next element or key, unless the list or object is at its end, which is left standing.
    pub(super) fn comes(&mut self, first: bool, closing: u8) -> Result<bool, Wrong> {
        if self.peek() == Some(closing) {
            return Ok(false);
        }
        if first || self.pass(b',') { Ok(true) } else { Err(self.wanted("a comma or a closing bracket")) }
    }

    /// A key with its colon.
    pub(super) fn key(&mut self) -> Result<Cow<'a, str>, Wrong> {
        let key = self.string()?;
        if self.pass(b':') { Ok(key) } else { Err(self.wanted("a colon")) }
    }

    /// Nothing but spaces is left.
    pub(super) fn end(&mut self) -> Result<(), Wrong> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.wanted("nothing more")),
        }
    }

    /// `true`, `false`, `null` or a number, as it is written.
    pub(super) fn word(&mut self) -> Result<&'a str, Wrong> {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let length = rest.bytes().position(|byte| !in_word(&byte)).unwrap_or(rest.len());
        match rest.get(..length) {
            Some(word) if length > 0 => {
                self.at += length;
                Ok(word)
            }
            _ => Err(self.wanted("a value")),
        }
    }

    /// A text.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Wrong> {
        if !self.pass(b'"') {
            return Err(self.wanted("a quote"));
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
                    let character = self.escaped().ok_or_else(|| self.wanted("an escaped character"))?;
                    read.to_mut().push(character);
                }
                None => return Err(self.wanted("a closing quote")),
            }
        }
    }

    /// The character that stands behind a backslash.
    fn escaped(&mut self) -> Option<char> {
        Some(match self.byte()? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex()?;
                // Beyond 16 bits a character is written as two halves.
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

    /// Passes a value over.
    pub(super) fn skip(&mut self) -> Result<(), Wrong> {
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
    fn strings_are_what_they_were_before_they_were_written() {
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
    fn values_are_passed_over_as_a_whole() {
        for value in
            ["1", "-1.5e+3", "true", "null", r#""a]}""#, "{}", "[]", r#"{"a": [1, {"b": "}"}, []], "c": null}"#]
        {
            let json = format!(" {value} ,next");
            let mut text = Text::new(&json);
            text.skip().unwrap();
            assert!(text.pass(b','), "{value}");
        }
        for value in ["", "]", ",", "[", r#"{"a": "#, &"[".repeat(1000)] {
            assert!(Text::new(value).skip().is_err(), "{value}");
        }
    }
}
