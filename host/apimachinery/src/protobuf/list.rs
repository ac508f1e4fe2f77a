//! Reads a list of objects as a stream. The reader keeps at most one object in memory.

use super::wire::varint;
use super::{Envelope, MAGIC, Malformed, no_magic};

/// The maximum size of an object in bytes. The default limit of etcd, 1.5 MiB, is less than a tenth of this size.
const LARGEST: u64 = 16 << 20;

/// The maximum size, in bytes, of the two varints before a field's value: the key (field number and wire type) and the
/// length of the value. Each varint has at most ten bytes.
const HEAD: usize = 20;

/// Reads the bytes of a list in pieces, and returns each complete part.
#[derive(Debug, Default)]
pub struct ListReader {
    buffer: Vec<u8>,
    /// The number of bytes at the start of the buffer that have been read.
    used: usize,
    place: Place,
    /// True if the envelope's kind ends with `List`.
    names_list: bool,
    /// True if the list message has started.
    entered: bool,
}

/// The position in a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Magic,
    Envelope,
    /// Inside the list, with this number of remaining bytes.
    List(u64),
}

/// A part of a list.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// The list's `meta.v1.ListMeta`, encoded.
    Metadata(&'a [u8]),
    /// An object, encoded.
    Item(&'a [u8]),
}

/// A complete field: its number, its end, and the range of its value. `end` and `value` are positions in the buffer.
struct Field {
    number: u32,
    end: usize,
    value: std::ops::Range<usize>,
}

impl ListReader {
    /// Adds bytes. Call [`part`](Self::part) until no complete part is left before you call this function, because this
    /// function moves all bytes that have not been read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.used);
        self.used = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete part; `None` if more bytes are needed.
    ///
    /// # Errors
    /// A message that says why the bytes are not a list. The reader must not be used after an error.
    pub fn part(&mut self) -> Result<Option<Part<'_>>, Malformed> {
        loop {
            match self.place {
                Place::Magic if self.buffer.len() - self.used < MAGIC.len() => return Ok(None),
                Place::Magic => {
                    if !self.rest().starts_with(MAGIC) {
                        return Err(no_magic());
                    }
                    self.used += MAGIC.len();
                    self.place = Place::Envelope;
                }
                Place::Envelope => {
                    if !self.enter()? {
                        return Ok(None);
                    }
                }
                Place::List(0) => self.place = Place::Envelope,
                Place::List(left) => {
                    let Some(field) = self.field(left)? else { return Ok(None) };
                    self.place = Place::List(left - (field.end - self.used) as u64);
                    self.used = field.end;
                    match field.number {
                        1 => return Ok(Some(Part::Metadata(&self.buffer[field.value]))),
                        2 => return Ok(Some(Part::Item(&self.buffer[field.value]))),
                        // Skip a field of a later Kubernetes version.
                        _ => {}
                    }
                }
            }
        }
    }

    /// Checks that the whole list has been read.
    ///
    /// # Errors
    /// The list is incomplete, or the body contained no list.
    pub fn end(self) -> Result<(), Malformed> {
        // The body may end after the list or after a later field of the envelope. Unread bytes mean that it was cut off.
        let outside = matches!(self.place, Place::Envelope | Place::List(0)) && self.rest().is_empty();
        match (outside, self.names_list) {
            (true, false) => Err(Malformed::new("the envelope has no list kind")),
            (true, true) if self.entered => Ok(()),
            _ => Err(Malformed::new("the list is incomplete")),
        }
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.used..]
    }

    /// Reads a field of the envelope, or enters the list. Returns false if more bytes are needed.
    fn enter(&mut self) -> Result<bool, Malformed> {
        if let Some((2, length, head)) = self.head()? {
            self.used += head;
            self.place = Place::List(length);
            self.entered = true;
            return Ok(true);
        }
        let Some(field) = self.field(u64::MAX)? else { return Ok(false) };
        let mut envelope = Envelope::default();
        envelope.add(field.number, &self.buffer[field.value])?;
        self.names_list |= envelope.kind.ends_with("List");
        self.used = field.end;
        Ok(true)
    }

    /// Returns the next field; `None` if more bytes are needed. Returns an error if the field takes more than `most`
    /// bytes.
    fn field(&self, most: u64) -> Result<Option<Field>, Malformed> {
        let Some((number, length, head)) = self.head()? else { return Ok(None) };
        if length > LARGEST {
            return Err(Malformed::new(format!("an object has {length} bytes, more than {LARGEST}")));
        }
        let start = self.used + head;
        let end = start + length as usize;
        if (end - self.used) as u64 > most {
            return Err(Malformed::new("an object continues after the end of its list"));
        }
        Ok((end <= self.buffer.len()).then_some(Field { number, end, value: start..end }))
    }

    /// Returns the next field's number, the length of its value, and the length of the key and the length prefix, in
    /// bytes; `None` if more bytes are needed.
    fn head(&self) -> Result<Option<(u32, u64, usize)>, Malformed> {
        let mut rest = self.rest();
        let before = rest.len();
        let numbers = varint(&mut rest).and_then(|key| Ok((key, varint(&mut rest)?)));
        let (key, length) = match numbers {
            Ok(numbers) => numbers,
            Err(_) if before < HEAD => return Ok(None),
            Err(malformed) => return Err(malformed),
        };
        match (u32::try_from(key >> 3), key & 7) {
            (Ok(number), 2) if number > 0 => Ok(Some((number, length, before - rest.len()))),
            _ => Err(Malformed::new(format!("{key} is not the key of a field of a list"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protobuf::write::bytes;

    fn envelope(kind: &str) -> Vec<u8> {
        bytes(1, &[bytes(1, b"v1"), bytes(2, kind.as_bytes())].concat())
    }

    fn body(list: &[u8]) -> Vec<u8> {
        [MAGIC.to_vec(), envelope("PodList"), bytes(2, list), bytes(3, b""), bytes(4, b"")].concat()
    }

    /// Reads `body` in pieces of `piece` bytes. Returns the parts, with false for metadata and true for an item.
    fn read(body: &[u8], piece: usize) -> Result<Vec<(bool, Vec<u8>)>, String> {
        let (mut reader, mut parts) = (ListReader::default(), Vec::new());
        let mut take = |piece: &[u8]| {
            reader.push(piece);
            while let Some(part) = reader.part()? {
                parts.push(match part {
                    Part::Metadata(bytes) => (false, bytes.to_vec()),
                    Part::Item(bytes) => (true, bytes.to_vec()),
                });
            }
            Ok::<_, Malformed>(())
        };
        let taken = body.chunks(piece).try_for_each(&mut take);
        taken.and_then(|()| reader.end()).map(|()| parts).map_err(|malformed| malformed.to_string())
    }

    #[test]
    fn a_list_is_the_same_in_pieces_of_any_size() {
        let large = vec![7; 300];
        let list =
            [bytes(1, b"meta"), bytes(2, b"first"), bytes(2, b""), bytes(9, b"later"), bytes(2, &large)].concat();
        let body = body(&list);
        let expected = [(false, b"meta".to_vec()), (true, b"first".to_vec()), (true, Vec::new()), (true, large)];
        for piece in (1..20).chain([body.len()]) {
            assert_eq!(read(&body, piece).as_deref(), Ok(&expected[..]), "in pieces of {piece}");
        }
        assert_eq!(read(&super::tests::body(b""), 1), Ok(Vec::new()), "an empty list");
    }

    #[test]
    fn a_body_without_a_list_is_refused() {
        let list = bytes(2, b"pod");
        let encoded = [body(&list), bytes(3, b"gzip")].concat();
        let beyond = [MAGIC.to_vec(), envelope("PodList"), vec![18, 3, 18, 9, 1]].concat();
        let huge = [MAGIC.to_vec(), envelope("PodList"), vec![18, 255, 255, 255, 255, 15, 18, 255, 255, 255, 255, 7]];
        for (body, problem) in [
            (Vec::new(), "the list is incomplete"),
            (b"{\"kind\":1}".to_vec(), "the body doesn't begin with"),
            (MAGIC.to_vec(), "the envelope has no list kind"),
            ([MAGIC.to_vec(), envelope("Pod"), bytes(2, b"")].concat(), "the envelope has no list kind"),
            (body(&list[..4]), "an object continues after the end of its list"),
            (beyond, "an object continues after the end of its list"),
            (huge.concat(), "an object has 2147483647 bytes, more than 16777216"),
            ([body(&list), vec![9]].concat(), "the list is incomplete"),
            ([body(&list), vec![8; 30]].concat(), "8 is not the key of a field of a list"),
            ([body(&list), vec![255; 30]].concat(), "a number has more than 64 bits"),
            (encoded, "the message has a content encoding"),
            (body(&[8, 1]), "8 is not the key of a field of a list"),
        ] {
            for piece in [1, 3, body.len().max(1)] {
                let found = read(&body, piece).unwrap_err();
                assert!(found.starts_with(&format!("protobuf: {problem}")), "{found}, expected {problem}");
            }
        }
    }

    #[test]
    fn an_incomplete_list_is_refused() {
        let body = body(&[bytes(1, b"meta"), bytes(2, b"first")].concat());
        let list_end = body.len() - 4;
        for length in 0..body.len() {
            // The last fields of the envelope are optional.
            assert_eq!(
                read(&body[..length], 2).is_ok(),
                length == list_end || length == list_end + 2,
                "{length} bytes"
            );
        }
    }

    #[test]
    fn random_bytes_give_a_list_or_an_error() {
        let body = body(&[bytes(1, b"meta"), bytes(2, b"first"), bytes(2, &[3; 200])].concat());
        let mut chance = fastrand::Rng::with_seed(9);
        for _ in 0..20_000 {
            let mut mangled = body.clone();
            for _ in 0..chance.usize(1..4) {
                let at = chance.usize(..mangled.len());
                mangled[at] = chance.u8(..);
            }
            let _ = read(&mangled, chance.usize(1..50));
        }
    }
}
