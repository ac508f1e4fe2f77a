//! Writes fields of protobuf messages. A message is the fields one after the other.

/// Encodes a field with an integer or a boolean.
pub fn int(number: u32, value: u64) -> Vec<u8> {
    [varint(u64::from(number) << 3), varint(value)].concat()
}

/// Encodes a field with bytes, text or a message.
pub fn bytes(number: u32, value: &[u8]) -> Vec<u8> {
    [varint(u64::from(number) << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// Encodes a field with a floating-point number.
pub fn double(number: u32, value: f64) -> Vec<u8> {
    [varint(u64::from(number) << 3 | 1), value.to_le_bytes().to_vec()].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 128 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}
