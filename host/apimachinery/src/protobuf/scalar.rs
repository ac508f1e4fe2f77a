//! Decodes the scalar values of the wire format, and the messages that are strings, numbers or any values in JSON.

use jiff::Timestamp;

use super::Malformed;
use super::wire::{Fields, Wire};

/// Returns a string.
///
/// # Errors
/// The value has another wire type, or the bytes are not UTF-8.
#[inline]
pub fn text(wire: Wire<'_>) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes_of(wire)?).map_err(|_| Malformed::new("the string is not UTF-8"))
}

/// Returns the text of a `Quantity`; `0` if the message has no text.
///
/// # Errors
/// The bytes are not such a message.
pub fn quantity(bytes: &[u8]) -> Result<&str, Malformed> {
    let mut found = "0";
    for field in Fields::of(bytes) {
        if let (1, wire) = field? {
            found = text(wire)?;
        }
    }
    Ok(found)
}

/// The value of an `IntOrString`.
pub enum IntOrString<'a> {
    /// The integer.
    Int(i32),
    /// The string.
    Text(&'a str),
}

/// Decodes an `IntOrString`, which contains a type, an integer and a string.
///
/// # Errors
/// The bytes are not such a message.
pub fn int_or_string(bytes: &[u8]) -> Result<IntOrString<'_>, Malformed> {
    let (mut is_text, mut int, mut string) = (false, 0, "");
    for field in Fields::of(bytes) {
        match field? {
            (1, wire) => is_text = varint_of(wire)? != 0,
            (2, wire) => int = varint_of(wire)? as i32,
            (3, wire) => string = text(wire)?,
            _ => {}
        }
    }
    Ok(if is_text { IntOrString::Text(string) } else { IntOrString::Int(int) })
}

/// Decodes a time: seconds and nanoseconds since 1970.
///
/// # Errors
/// The bytes are not such a message, or the time is outside the range of [`Timestamp`].
pub fn time(bytes: &[u8]) -> Result<Timestamp, Malformed> {
    let (mut seconds, mut nanos) = (0, 0);
    for field in Fields::of(bytes) {
        match field? {
            (1, wire) => seconds = varint_of(wire)? as i64,
            (2, wire) => nanos = varint_of(wire)? as i32,
            _ => {}
        }
    }
    let found = Timestamp::new(seconds, nanos);
    found.map_err(|_| Malformed::new(format!("{seconds} s and {nanos} ns since 1970 are not a valid time")))
}

/// Returns the JSON in a message such as `RawExtension`, `FieldsV1` or `JSON`; null if there is none.
///
/// # Errors
/// The bytes are not such a message.
pub fn raw(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let mut found: &[u8] = b"null";
    for field in Fields::of(bytes) {
        match field? {
            (1, Wire::Bytes(json)) if !json.is_empty() => found = json,
            _ => {}
        }
    }
    Ok(found)
}

/// Returns a whole number below 2^53 in absolute value as an integer, because Go writes such a number without a decimal
/// point. Returns `None` for other numbers.
pub fn as_integer(float: f64) -> Option<i64> {
    let integer = float as i64;
    (integer as f64 == float && integer.unsigned_abs() < 1 << 53).then_some(integer)
}

/// Returns the bytes of a length-delimited value.
///
/// # Errors
/// The value has another wire type.
#[inline]
pub fn bytes_of(wire: Wire<'_>) -> Result<&[u8], Malformed> {
    match wire {
        Wire::Bytes(bytes) => Ok(bytes),
        other => Err(unexpected(other)),
    }
}

/// Returns the number of a varint value.
///
/// # Errors
/// The value has another wire type.
#[inline]
pub fn varint_of(wire: Wire<'_>) -> Result<u64, Malformed> {
    match wire {
        Wire::Varint(number) => Ok(number),
        other => Err(unexpected(other)),
    }
}

/// Returns the error for a value with an unexpected wire type.
pub fn unexpected(wire: Wire<'_>) -> Malformed {
    let found = match wire {
        Wire::Varint(_) => "an integer",
        Wire::Fixed64(_) => "eight bytes",
        Wire::Fixed32(_) => "four bytes",
        Wire::Bytes(_) => "bytes with a length",
    };
    Malformed::new(format!("{found}, but the field has another type"))
}
