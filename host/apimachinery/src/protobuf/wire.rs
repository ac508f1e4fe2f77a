//! The wire format of protobuf: a message is a sequence of numbered values.

use super::Malformed;

/// A value on the wire. The message type determines its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire<'a> {
    /// An integer or a boolean.
    Varint(u64),
    /// Eight bytes, such as a double.
    Fixed64(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Bytes with a length prefix: a string, a message, or packed numbers.
    Bytes(&'a [u8]),
}

/// An iterator over the fields of a message, in wire order, as numbers and values. Ends after the first error.
#[derive(Debug, Clone, Default)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Returns the fields of `message`.
    #[inline]
    pub fn of(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// Takes the next field, and the fields directly after this field that have the same number. Returns the number and
    /// these fields.
    #[inline]
    pub fn next_row(&mut self) -> Option<Result<(u32, Fields<'a>), Malformed>> {
        let all = self.rest;
        let number = match self.next()? {
            Ok((number, _)) => number,
            Err(malformed) => return Some(Err(malformed)),
        };
        let mut ahead = self.clone();
        while matches!(ahead.next(), Some(Ok((next, _))) if next == number) {
            self.rest = ahead.rest;
        }
        Some(Ok((number, Fields::of(&all[..all.len() - self.rest.len()]))))
    }

    /// Takes one field. Returns the value of the field, and an iterator over this field only.
    #[inline]
    pub fn next_alone(&mut self) -> Option<Result<(Wire<'a>, Fields<'a>), Malformed>> {
        let all = self.rest;
        let field = self.next()?;
        Some(field.map(|(_, wire)| (wire, Fields::of(&all[..all.len() - self.rest.len()]))))
    }

    #[inline]
    fn field(&mut self) -> Result<(u32, Wire<'a>), Malformed> {
        let key = varint(&mut self.rest)?;
        let number = u32::try_from(key >> 3).ok().filter(|number| (1..1 << 29).contains(number));
        let number = number.ok_or_else(|| Malformed::new(format!("{} is not a field number", key >> 3)))?;
        let wire = match key & 7 {
            0 => Wire::Varint(varint(&mut self.rest)?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = varint(&mut self.rest)?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed32(u32::from_le_bytes(self.array()?)),
            other => {
                return Err(Malformed::new(format!(
                    "field {number} has the wire type {other}, which is not supported"
                )));
            }
        };
        Ok((number, wire))
    }

    #[inline]
    fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let split = usize::try_from(length).ok().and_then(|length| self.rest.split_at_checked(length));
        let (taken, rest) = split.ok_or_else(|| {
            Malformed::new(format!("a length of {length} bytes, but only {} bytes follow", self.rest.len()))
        })?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Wire<'a>), Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// Takes a varint (seven bits in each byte) from the start of `bytes`.
///
/// # Errors
/// The varint is not terminated, or has more than 64 bits.
#[inline]
pub fn varint(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or_else(|| Malformed::new("the message ends within a number"))?;
        *bytes = rest;
        let bits = u64::from(first & 0x7f);
        if bits << shift >> shift != bits {
            break;
        }
        value |= bits << shift;
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Malformed::new("a number has more than 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u32, Wire<'_>)>, String> {
        Fields::of(bytes).collect::<Result<_, _>>().map_err(|problem| problem.to_string())
    }

    #[test]
    fn a_message_is_read_as_fields() {
        let bytes = [8, 150, 1, 18, 2, b'h', b'i', 29, 1, 0, 0, 0, 33, 2, 0, 0, 0, 0, 0, 0, 0, 26, 0];
        let expected = vec![
            (1, Wire::Varint(150)),
            (2, Wire::Bytes(b"hi")),
            (3, Wire::Fixed32(1)),
            (4, Wire::Fixed64(2)),
            (3, Wire::Bytes(b"")),
        ];
        assert_eq!(read(&bytes), Ok(expected));
        let minus_one = [8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(read(&minus_one), Ok(vec![(1, Wire::Varint(u64::MAX))]));
    }

    #[test]
    fn invalid_bytes_are_refused() {
        for (bytes, problem) in [
            (&[8][..], "the message ends within a number"),
            (&[8, 128], "the message ends within a number"),
            (&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2], "a number has more than 64 bits"),
            (&[8, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0], "a number has more than 64 bits"),
            (&[18, 3, b'h', b'i'], "a length of 3 bytes, but only 2 bytes follow"),
            (&[18, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], "a length of 18446744073709551615 bytes"),
            (&[9, 0], "a length of 8 bytes, but only 1 bytes follow"),
            (&[11], "field 1 has the wire type 3"),
            (&[0, 0], "0 is not a field number"),
        ] {
            let found = read(bytes).unwrap_err();
            assert!(found.contains(problem), "{bytes:?}: {found}");
        }
    }
}
