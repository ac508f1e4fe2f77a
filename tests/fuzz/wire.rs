//! Protobuf as a tree of fields, so that the enclosing lengths stay correct when a field changes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// A field of a message.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    number: u64,
    value: Wire,
}

#[derive(Clone, Debug, PartialEq)]
enum Wire {
    Varint(u64),
    Eight([u8; 8]),
    Bytes(Vec<u8>),
    /// Bytes that can be read as a message.
    Message(Vec<Field>),
    Four([u8; 4]),
}

/// A change of one field, anywhere in a message.
#[derive(Clone, Debug)]
pub struct Edit {
    at: Index,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    Number(u64),
    Varint(u64),
    Bytes(Vec<u8>),
    Eight(u64),
    Four(u32),
    Remove,
    Repeat(usize),
    Nest(usize),
    Last,
}

/// Returns a strategy for up to `most` changes of a message.
pub fn edits(most: usize) -> impl Strategy<Value = Vec<Edit>> {
    let number = prop_oneof![0..40_u64, Just(127), Just(128), Just((1 << 29) - 1), Just(1 << 29), any::<u64>()];
    let varint = prop_oneof![0..300_u64, Just(u64::MAX), Just(i64::MAX as u64), Just(i64::MIN as u64), any::<u64>()];
    let text =
        prop_oneof![Just(b"8Ei".to_vec()), Just(b"{\"a\":[1".to_vec()), Just(vec![0xff, 0xfe]), Just(b"1e99".to_vec())];
    let change = prop_oneof![
        2 => number.prop_map(Change::Number),
        4 => varint.prop_map(Change::Varint),
        3 => prop_oneof![vec(any::<u8>(), 0..24), text].prop_map(Change::Bytes),
        1 => any::<u64>().prop_map(Change::Eight),
        1 => any::<u32>().prop_map(Change::Four),
        2 => Just(Change::Remove),
        1 => (2..300_usize).prop_map(Change::Repeat),
        1 => (1..200_usize).prop_map(Change::Nest),
        1 => Just(Change::Last),
    ];
    vec((any::<Index>(), change).prop_map(|(at, change)| Edit { at, change }), 0..=most)
}

/// A message as a tree.
#[derive(Clone, Debug)]
pub struct Tree(Vec<Field>);

/// Reads a message. Returns a tree without fields if the bytes are not a message.
pub fn tree(message: &[u8]) -> Tree {
    Tree(read(message, 0).unwrap_or_default())
}

/// Returns the bytes of the message with the changes.
pub fn edited(Tree(fields): &Tree, edits: &[Edit]) -> Vec<u8> {
    let mut fields = fields.clone();
    for edit in edits {
        let count = count(&fields);
        if count > 0 {
            change(&mut fields, &mut edit.at.index(count), &edit.change);
        }
    }
    write(&fields)
}

/// Reads a message. Returns `None` if the bytes are not a message.
fn read(mut bytes: &[u8], depth: usize) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Wire::Varint(varint(&mut bytes)?),
            1 => Wire::Eight(piece(&mut bytes, 8)?.try_into().ok()?),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let inner = piece(&mut bytes, length)?;
                let message = read(inner, depth + 1).filter(|fields| !fields.is_empty() && depth < 30);
                // Text can look like a message. Bytes are read as a message only if writing the message gives the same
                // bytes.
                match message.filter(|fields| write(fields) == inner) {
                    Some(fields) => Wire::Message(fields),
                    None => Wire::Bytes(inner.to_vec()),
                }
            }
            5 => Wire::Four(piece(&mut bytes, 4)?.try_into().ok()?),
            _ => return None,
        };
        if key >> 3 == 0 {
            return None;
        }
        fields.push(Field { number: key >> 3, value });
    }
    Some(fields)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn piece<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (piece, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(piece)
}

fn write(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for Field { number, value } in fields {
        let key = |wire_type: u64| number << 3 | wire_type;
        match value {
            Wire::Varint(value) => {
                put(&mut out, key(0));
                put(&mut out, *value);
            }
            Wire::Eight(bytes) => {
                put(&mut out, key(1));
                out.extend(bytes);
            }
            Wire::Bytes(bytes) => {
                put(&mut out, key(2));
                put(&mut out, bytes.len() as u64);
                out.extend(bytes);
            }
            Wire::Message(fields) => {
                let bytes = write(fields);
                put(&mut out, key(2));
                put(&mut out, bytes.len() as u64);
                out.extend(bytes);
            }
            Wire::Four(bytes) => {
                put(&mut out, key(5));
                out.extend(bytes);
            }
        }
    }
    out
}

/// Appends a varint.
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns the encoding of a field with these bytes.
pub fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    write(&[Field { number, value: Wire::Bytes(bytes.to_vec()) }])
}

fn count(fields: &[Field]) -> usize {
    let inner = |field: &Field| if let Wire::Message(inner) = &field.value { count(inner) } else { 0 };
    fields.iter().map(|field| 1 + inner(field)).sum()
}

/// Changes field number `at`, counted across all nested messages. Returns true once the change is made.
fn change(fields: &mut Vec<Field>, at: &mut usize, kind: &Change) -> bool {
    for here in 0..fields.len() {
        if *at == 0 {
            change_here(fields, here, kind);
            return true;
        }
        *at -= 1;
        if let Wire::Message(inner) = &mut fields[here].value
            && change(inner, at, kind)
        {
            return true;
        }
    }
    false
}

fn change_here(fields: &mut Vec<Field>, here: usize, kind: &Change) {
    let field = fields[here].clone();
    match kind {
        Change::Number(number) => fields[here].number = number & ((1 << 61) - 1),
        Change::Varint(value) => fields[here].value = Wire::Varint(*value),
        Change::Bytes(bytes) => fields[here].value = Wire::Bytes(bytes.clone()),
        Change::Eight(value) => fields[here].value = Wire::Eight(value.to_le_bytes()),
        Change::Four(value) => fields[here].value = Wire::Four(value.to_le_bytes()),
        Change::Remove => drop(fields.remove(here)),
        Change::Repeat(times) => drop(fields.splice(here..here, vec![field; *times])),
        Change::Nest(depth) => {
            let number = field.number;
            let nest = |inner: Field, _| Field { number, value: Wire::Message(vec![inner]) };
            fields[here] = (0..*depth).fold(field, nest);
        }
        Change::Last => {
            let field = fields.remove(here);
            fields.push(field);
        }
    }
}
