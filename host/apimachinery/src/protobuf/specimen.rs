//! Builds messages for the tests of this crate: a message of a type, with every field set.

use super::table::{Target, message_named};
use super::write::{bytes, double, int};
use crate::schema::Shape;

/// The maximum nesting depth. Messages at a greater depth are left out. Only the schemas of custom resources have such
/// messages.
const DEEPEST: usize = 16;

/// Returns a message of the type called `name` with every field set. Repeated fields have two items.
///
/// # Panics
/// If there is no such type.
pub fn of(name: &str) -> Vec<u8> {
    message(name, DEEPEST)
}

fn message(name: &str, depth: usize) -> Vec<u8> {
    let fields = message_named(name).unwrap_or_else(|| panic!("{name}")).fields();
    fields.flat_map(|(number, target)| field(number, target, depth)).collect()
}

fn field(number: u32, target: &Target, depth: usize) -> Vec<u8> {
    match target {
        Target::Embedded(inner) => bytes(number, &message(inner, depth)),
        Target::Member { shape, .. } => match shape {
            Shape::List(item) => [value(number, item, depth), value(number, item, depth)].concat(),
            Shape::Map(item) => ["a", "b"].map(|key| entry(number, key, item, depth)).concat(),
            shape => value(number, shape, depth),
        },
    }
}

fn entry(number: u32, key: &str, item: &Shape, depth: usize) -> Vec<u8> {
    let value = match item {
        Shape::List(inner) => bytes(2, &value(1, inner, depth)),
        item => value(2, item, depth),
    };
    bytes(number, &[bytes(1, key.as_bytes()), value].concat())
}

fn value(number: u32, shape: &Shape, depth: usize) -> Vec<u8> {
    match shape {
        Shape::Text | Shape::Bytes => bytes(number, format!("text {number}").as_bytes()),
        Shape::Bool => int(number, 1),
        Shape::Int | Shape::Long => int(number, u64::from(number)),
        Shape::Number => double(number, 0.5),
        Shape::Quantity => bytes(number, &bytes(1, b"3Mi")),
        Shape::IntOrString => bytes(number, &[int(1, 1), bytes(3, b"web")].concat()),
        Shape::Time | Shape::MicroTime => bytes(number, &[int(1, 1_800_000_000), int(2, 123_456_789)].concat()),
        Shape::Any => bytes(number, &bytes(1, b"{\"any\":1}")),
        Shape::Object(_) if depth == 0 => Vec::new(),
        Shape::Object(name) => bytes(number, &message(name, depth - 1)),
        Shape::List(_) | Shape::Map(_) => panic!("a list of lists"),
    }
}
