//! The messages that are a string or a number in JSON, and the plain values of the wire.

use jiff::Timestamp;
use serde_json::Value;

use super::Malformed;
use super::wire::{Fields, Wire};

/// A string.
///
/// # Errors
/// Where it is no UTF-8.
pub fn text(wire: Wire<'_>) -> Result<String, Malformed> {
    let bytes = bytes_of(wire)?;
    String::from_utf8(bytes.to_vec()).map_err(|_| Malformed::new("the string is not UTF-8"))
}

/// A `Quantity`: its spelling.
///
/// # Errors
/// Where the bytes are no such message.
pub fn quantity(bytes: &[u8]) -> Result<Value, Malformed> {
    let mut found = "0".to_owned();
    for field in Fields::of(bytes) {
        if let (1, wire) = field? {
            found = text(wire)?;
        }
    }
    Ok(found.into())
}

/// An `IntOrString`: which of the two it is, and both.
///
/// # Errors
/// Where the bytes are no such message.
pub fn int_or_string(bytes: &[u8]) -> Result<Value, Malformed> {
    let (mut is_text, mut int, mut string) = (false, 0, String::new());
    for field in Fields::of(bytes) {
        match field? {
            (1, wire) => is_text = varint_of(wire)? != 0,
            (2, wire) => int = varint_of(wire)? as i32,
            (3, wire) => string = text(wire)?,
            _ => {}
        }
    }
    Ok(if is_text { string.into() } else { int.into() })
}

/// A time of seconds and nanoseconds since 1970; a message without a field is the time that is not set.
///
/// # Errors
/// Where the bytes are no such message, or the time is beyond the year 9999.
pub fn time(bytes: &[u8], write: fn(Timestamp) -> String) -> Result<Value, Malformed> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0, 0);
    for field in Fields::of(bytes) {
        match field? {
            (1, wire) => seconds = varint_of(wire)? as i64,
            (2, wire) => nanos = varint_of(wire)? as i32,
            _ => {}
        }
    }
    let found = Timestamp::new(seconds, nanos);
    let found = found.map_err(|_| Malformed::new(format!("{seconds} s and {nanos} ns since 1970 are no time")))?;
    Ok(write(found).into())
}

/// JSON in a message, as `RawExtension`, `FieldsV1` and `JSON` keep it.
///
/// # Errors
/// Where it is no JSON.
pub fn raw(bytes: &[u8]) -> Result<Value, Malformed> {
    let mut found = Value::Null;
    for field in Fields::of(bytes) {
        match field? {
            (1, Wire::Bytes(json)) if !json.is_empty() => {
                found = serde_json::from_slice(json).map_err(|error| Malformed::new(format!("no JSON: {error}")))?;
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A number as Go writes it: without a point where it is whole.
///
/// # Errors
/// Where JSON has no such number.
pub fn number(float: f64) -> Result<Value, Malformed> {
    let whole = float as i64;
    if whole as f64 == float && whole.unsigned_abs() < 1 << 53 {
        return Ok(whole.into());
    }
    serde_json::Number::from_f64(float)
        .map(Value::Number)
        .ok_or_else(|| Malformed::new(format!("{float} is no number")))
}

/// The bytes of a value that has some.
///
/// # Errors
/// Where it has none.
pub fn bytes_of(wire: Wire<'_>) -> Result<&[u8], Malformed> {
    match wire {
        Wire::Bytes(bytes) => Ok(bytes),
        other => Err(unexpected(other)),
    }
}

/// The number of a value that is one.
///
/// # Errors
/// Where it is none.
pub fn varint_of(wire: Wire<'_>) -> Result<u64, Malformed> {
    match wire {
        Wire::Varint(number) => Ok(number),
        other => Err(unexpected(other)),
    }
}

/// What to say of a value in the place of another.
pub fn unexpected(wire: Wire<'_>) -> Malformed {
    let what = match wire {
        Wire::Varint(_) => "an integer",
        Wire::Fixed64(_) => "eight bytes",
        Wire::Fixed32(_) => "four bytes",
        Wire::Bytes(_) => "bytes with a length",
    };
    Malformed::new(format!("{what} where the field is of another type"))
}
