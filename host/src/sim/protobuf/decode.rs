//! Messages into JSON, as Kubernetes' Go types write it.

use serde_json::{Map, Value};

use super::Malformed;
use super::scalar::{bytes_of, int_or_string, number, quantity, raw, text, time, unexpected, varint_of};
use super::table::{Message, Target, message_named};
use super::wire::{Fields, Wire, varint};
use crate::sim::clock;
use crate::sim::schema::{Shape, base64};

/// How deep messages may be in one another. Only the schemas of custom resources go deeper than twenty.
const DEPTH: usize = 100;

/// The JSON of a message of the type called `name`, added to what is in `object`.
///
/// # Errors
/// A sentence saying at which field the bytes are no such message.
pub fn decode(name: &str, bytes: &[u8], object: &mut Map<String, Value>) -> Result<(), Malformed> {
    let message = message_named(name).ok_or_else(|| Malformed::new(format!("no message {name} is known")))?;
    members(message, bytes, object, DEPTH)
}

/// Adds a message's fields to an object. `depth` messages may still be opened.
fn members(message: &Message, bytes: &[u8], object: &mut Map<String, Value>, depth: usize) -> Result<(), Malformed> {
    let depth = depth.checked_sub(1).ok_or_else(|| Malformed::new("messages are nested too deeply"))?;
    for field in Fields::of(bytes) {
        let (number, wire) = field?;
        match message.field(number) {
            // A later version's field: nobody here knows its name.
            None => {}
            Some(Target::Embedded(name)) => {
                if let Some(embedded) = message_named(name) {
                    members(embedded, bytes_of(wire)?, object, depth)?;
                }
            }
            Some(Target::Member { name, shape, keeps_zero }) => {
                add(object, name, shape, *keeps_zero, wire, depth).map_err(|problem| problem.within(name))?;
            }
        }
    }
    Ok(())
}

/// Adds one field's value to its member: to the end of a list, into a map, in the place of a scalar.
fn add(
    object: &mut Map<String, Value>,
    name: &str,
    shape: &Shape,
    keeps_zero: bool,
    wire: Wire<'_>,
    depth: usize,
) -> Result<(), Malformed> {
    match shape {
        Shape::List(item) => {
            let list = object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut().map_or(Ok(()), |list| extend(list, item, wire, depth))
        }
        Shape::Map(item) => {
            let (key, value) = entry(item, bytes_of(wire)?, depth)?;
            let map = object.entry(name).or_insert_with(|| Value::Object(Map::new()));
            map.as_object_mut().map(|map| map.insert(key, value));
            Ok(())
        }
        Shape::Object(inner) => {
            // What comes in two pieces is one message.
            let before = object.remove(name);
            put(object, name, message_value(inner, wire, before, depth)?);
            Ok(())
        }
        scalar => {
            let found = value(scalar, wire, depth)?;
            let left_out = !keeps_zero && is_zero(scalar, &found);
            put(object, name, if left_out { Value::Null } else { found });
            Ok(())
        }
    }
}

/// Sets a member, or takes it away where the value is null.
fn put(object: &mut Map<String, Value>, name: &str, value: Value) {
    match value {
        Value::Null => drop(object.remove(name)),
        value => drop(object.insert(name.to_owned(), value)),
    }
}

fn extend(list: &mut Vec<Value>, item: &Shape, wire: Wire<'_>, depth: usize) -> Result<(), Malformed> {
    match (item, wire) {
        (Shape::Int | Shape::Long | Shape::Bool, Wire::Bytes(mut packed)) => {
            while !packed.is_empty() {
                list.push(value(item, Wire::Varint(varint(&mut packed)?), depth)?);
            }
        }
        _ => list.push(value(item, wire, depth)?),
    }
    Ok(())
}

/// A map's entry, which is a message of a key and a value.
fn entry(item: &Shape, bytes: &[u8], depth: usize) -> Result<(String, Value), Malformed> {
    let (mut key, mut found) = (String::new(), Value::Null);
    for field in Fields::of(bytes) {
        match field? {
            (1, wire) => key = text(wire)?,
            (2, wire) => found = map_value(item, wire, depth).map_err(|problem| problem.within(&key))?,
            _ => {}
        }
    }
    Ok((key, found))
}

/// A list as a map's value is a message of its items.
fn map_value(item: &Shape, wire: Wire<'_>, depth: usize) -> Result<Value, Malformed> {
    let Shape::List(inner) = item else { return value(item, wire, depth) };
    let mut list = Vec::new();
    for field in Fields::of(bytes_of(wire)?) {
        if let (1, wire) = field? {
            extend(&mut list, inner, wire, depth)?;
        }
    }
    Ok(Value::Array(list))
}

/// One value; null for what is not set, although it is on the wire.
fn value(shape: &Shape, wire: Wire<'_>, depth: usize) -> Result<Value, Malformed> {
    Ok(match (shape, wire) {
        (Shape::Text, _) => text(wire)?.into(),
        (Shape::Bytes, _) => base64(bytes_of(wire)?).into(),
        (Shape::Bool, _) => (varint_of(wire)? != 0).into(),
        // Negative ones are as long as 64 bits on the wire.
        (Shape::Int, _) => (varint_of(wire)? as i32).into(),
        (Shape::Long, _) => (varint_of(wire)? as i64).into(),
        (Shape::Number, Wire::Fixed64(bits)) => number(f64::from_bits(bits))?,
        (Shape::Quantity, _) => quantity(bytes_of(wire)?)?,
        (Shape::IntOrString, _) => int_or_string(bytes_of(wire)?)?,
        (Shape::Time, _) => time(bytes_of(wire)?, clock::seconds)?,
        (Shape::MicroTime, _) => time(bytes_of(wire)?, clock::micros)?,
        (Shape::Any, _) => raw(bytes_of(wire)?)?,
        (Shape::Object(name), _) => message_value(name, wire, None, depth)?,
        (Shape::Number | Shape::List(_) | Shape::Map(_), _) => return Err(unexpected(wire)),
    })
}

fn message_value(name: &str, wire: Wire<'_>, before: Option<Value>, depth: usize) -> Result<Value, Malformed> {
    let message = message_named(name).ok_or_else(|| Malformed::new(format!("no message {name} is known")))?;
    if !message.is_choice {
        let mut object = match before {
            Some(Value::Object(object)) => object,
            _ => Map::new(),
        };
        members(message, bytes_of(wire)?, &mut object, depth)?;
        return Ok(Value::Object(object));
    }
    let mut choices = Map::new();
    members(message, bytes_of(wire)?, &mut choices, depth)?;
    Ok(message.last_of(choices).unwrap_or(Value::Null))
}

/// True for what Go leaves out as empty, which a struct, such as a quantity's, never is.
fn is_zero(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Text | Shape::Bytes, Value::String(text)) => text.is_empty(),
        (Shape::Bool, Value::Bool(value)) => !value,
        (Shape::Int | Shape::Long | Shape::Number, Value::Number(number)) => number.as_f64() == Some(0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn int(number: u8, value: u8) -> Vec<u8> {
        vec![number << 3, value]
    }

    /// A field of number `number`, which may be above 15, with bytes.
    fn bytes(number: u8, value: impl AsRef<[u8]>) -> Vec<u8> {
        let key = u32::from(number) << 3 | 2;
        let mut out = if key < 128 { vec![key as u8] } else { vec![(key & 0x7f | 0x80) as u8, (key >> 7) as u8] };
        out.push(value.as_ref().len() as u8);
        out.extend(value.as_ref());
        out
    }

    fn read(name: &str, message: &[Vec<u8>]) -> Result<Value, String> {
        let mut object = Map::new();
        decode(name, &message.concat(), &mut object).map_err(|problem| problem.to_string())?;
        Ok(Value::Object(object))
    }

    #[test]
    fn each_shape_has_its_form_in_json() {
        let minus_one = [[0xff; 9].as_slice(), &[1]].concat();
        let entry = |key: &str, value: Vec<u8>| [bytes(1, key), bytes(2, value)].concat();
        let half = 0.5f64.to_le_bytes();
        for (name, message, expected) in [
            ("core.v1.Taint", vec![bytes(1, "k"), bytes(2, "")], json!({"key": "k"})),
            ("core.v1.Taint", vec![bytes(1, ""), bytes(4, "")], json!({"key": ""})),
            (
                "core.v1.Taint",
                vec![bytes(4, [int(1, 60), int(2, 9)].concat())],
                json!({"timeAdded": "1970-01-01T00:01:00Z"}),
            ),
            ("core.v1.PodSpec", vec![vec![0x58, 0], vec![0x58, 1]], json!({"hostNetwork": true})),
            ("core.v1.PodSpec", vec![vec![0x58, 1], vec![0x58, 0]], json!({})),
            (
                "core.v1.PodSpec",
                vec![vec![0xf0, 1, 0], [&[0xc8, 1][..], &minus_one].concat()],
                json!({"enableServiceLinks": false, "priority": -1}),
            ),
            (
                "core.v1.PodSpec",
                vec![bytes(7, entry("a", b"b".to_vec())), bytes(7, entry("c", Vec::new()))],
                json!({"nodeSelector": {"a": "b", "c": ""}}),
            ),
            ("core.v1.PodSpec", vec![bytes(32, entry("cpu", bytes(1, "2")))], json!({"overhead": {"cpu": "2"}})),
            (
                "core.v1.PodSecurityContext",
                vec![int(4, 1), int(4, 2), bytes(4, [3, 4])],
                json!({"supplementalGroups": [1, 2, 3, 4]}),
            ),
            ("core.v1.Volume", vec![bytes(1, "v"), bytes(2, bytes(2, ""))], json!({"name": "v", "emptyDir": {}})),
            ("core.v1.Secret", vec![bytes(2, entry("k", b"abc".to_vec()))], json!({"data": {"k": "YWJj"}})),
            (
                "core.v1.ServicePort",
                vec![bytes(4, [int(1, 0), int(2, 80), bytes(3, "")].concat())],
                json!({"targetPort": 80}),
            ),
            (
                "core.v1.ServicePort",
                vec![bytes(4, [int(1, 1), int(2, 0), bytes(3, "web")].concat())],
                json!({"targetPort": "web"}),
            ),
            (
                "coordination.v1.LeaseSpec",
                vec![bytes(3, [int(1, 1), vec![0x10, 0xe8, 7]].concat())],
                json!({"acquireTime": "1970-01-01T00:00:01.000001Z"}),
            ),
            ("core.v1.ResourceFieldSelector", vec![bytes(3, "")], json!({"divisor": "0"})),
            ("meta.v1.ObjectMeta", vec![bytes(8, ""), bytes(99, "later")], json!({})),
            ("apps.v1.ControllerRevision", vec![bytes(2, bytes(1, "{\"a\":1}"))], json!({"data": {"a": 1}})),
            (
                "authentication.v1.UserInfo",
                vec![bytes(4, entry("k", [bytes(1, "a"), bytes(1, "b")].concat()))],
                json!({"extra": {"k": ["a", "b"]}}),
            ),
            ("apiextensions.v1.JSONSchemaProps", vec![[&[0x49][..], &half].concat()], json!({"maximum": 0.5})),
            ("apiextensions.v1.JSONSchemaProps", vec![bytes(8, bytes(1, "0"))], json!({"default": 0})),
            // Two pieces of one message.
            (
                "core.v1.Pod",
                vec![bytes(2, bytes(10, "n")), bytes(2, bytes(16, "h"))],
                json!({"spec": {"nodeName": "n", "hostname": "h"}}),
            ),
        ] {
            assert_eq!(read(name, &message), Ok(expected), "{name}");
        }
    }

    #[test]
    fn a_choice_is_its_value() {
        let schema = bytes(5, "string");
        for (message, expected) in [
            (bytes(30, int(1, 1)), json!({"additionalProperties": true})),
            (bytes(30, int(1, 0)), json!({"additionalProperties": false})),
            (bytes(30, [int(1, 1), bytes(2, &schema)].concat()), json!({"additionalProperties": {"type": "string"}})),
            (bytes(24, bytes(1, &schema)), json!({"items": {"type": "string"}})),
            (bytes(24, [bytes(2, &schema), bytes(2, "")].concat()), json!({"items": [{"type": "string"}, {}]})),
            (bytes(24, ""), json!({})),
        ] {
            assert_eq!(read("apiextensions.v1.JSONSchemaProps", &[message]), Ok(expected));
        }
    }

    #[test]
    fn bytes_of_another_type_are_refused_with_their_place() {
        for (name, message, problem) in [
            ("core.v1.Pod", bytes(2, bytes(2, int(1, 1))), "spec.containers.name: an integer where"),
            ("core.v1.Pod", bytes(2, bytes(10, [0xff])), "spec.nodeName: the string is not UTF-8"),
            ("core.v1.Pod", bytes(2, bytes(25, "")), "spec.priority: bytes with a length where"),
            ("core.v1.Pod", bytes(2, [10, 9]), "spec: 9 bytes are announced where 0 are left"),
            (
                "core.v1.Pod",
                bytes(1, bytes(8, [[8].as_slice(), &[0xff; 8], &[1]].concat())),
                "metadata.creationTimestamp: ",
            ),
            ("apps.v1.ControllerRevision", bytes(2, bytes(1, "{")), "data: no JSON: "),
            (
                "apiextensions.v1.JSONSchemaProps",
                [&[0x49][..], &f64::NAN.to_le_bytes()].concat(),
                "maximum: NaN is no number",
            ),
            ("core.v1.Nonsense", Vec::new(), "no message core.v1.Nonsense is known"),
        ] {
            let found = read(name, &[message]).unwrap_err();
            assert!(found.starts_with(&format!("protobuf: {problem}")), "{found}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let schema = |levels: usize| {
            (0..levels).fold(Vec::new(), |inner: Vec<u8>, _| {
                let mut outer = vec![0xe2, 1];
                let mut length = inner.len();
                while length >= 128 {
                    outer.push((length & 0x7f | 0x80) as u8);
                    length >>= 7;
                }
                outer.push(length as u8);
                outer.extend(inner);
                outer
            })
        };
        assert!(read("apiextensions.v1.JSONSchemaProps", &[schema(90)]).is_ok());
        let found = read("apiextensions.v1.JSONSchemaProps", &[schema(200)]).unwrap_err();
        assert!(found.ends_with("messages are nested too deeply"), "{found}");
    }
}
