//! A serde deserializer for protobuf messages. Each message is a map with the JSON names and the JSON values of its
//! fields, so a type that deserializes an object's JSON also deserializes its protobuf. Fields that the type does not
//! declare are skipped and not built.
//!
//! The deserializer expects the items of a repeated field to be adjacent, as Kubernetes writes them. Protobuf would
//! also allow other fields between them.

use serde::de::value::{BoolDeserializer, BorrowedStrDeserializer, I32Deserializer, I64Deserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::Malformed;
use super::scalar::{
    IntOrString, as_integer, bytes_of, int_or_string, quantity, raw, text, time, unexpected, varint_of,
};
use super::table::{Message, Target, message_named};
use super::wire::{Fields, Wire, varint};
use crate::schema::{Shape, base64, micros, seconds};

/// The maximum nesting depth of messages. Only the schemas of custom resources are deeper than twenty.
const DEPTH: usize = 100;

/// Deserializes a message of the type called `name`, such as `core.v1.Pod`.
///
/// # Errors
/// A message with the field at which the bytes are malformed or do not match `T`.
pub fn read<'de, T: Deserialize<'de>>(name: &str, bytes: &'de [u8]) -> Result<T, Malformed> {
    let content = Content { message: named(name)?, rest: Fields::of(bytes), more: Fields::default(), depth: DEPTH };
    T::deserialize(content)
}

fn named(name: &str) -> Result<&'static Message, Malformed> {
    message_named(name).ok_or_else(|| Malformed::new(format!("the message {name} is unknown")))
}

/// The content of a message.
struct Content<'de> {
    message: &'static Message,
    rest: Fields<'de>,
    /// The remaining pieces of a message that was written in several pieces.
    more: Fields<'de>,
    /// The number of further nesting levels that are allowed.
    depth: usize,
}

impl<'de> Content<'de> {
    /// Returns the next fields with the same number, if any.
    #[inline]
    fn next_fields(&mut self) -> Result<Option<(u32, Fields<'de>)>, Malformed> {
        loop {
            if let Some(row) = self.rest.next_row() {
                return row.map(Some);
            }
            let Some(piece) = self.more.next() else { return Ok(None) };
            self.rest = Fields::of(bytes_of(piece?.1)?);
        }
    }

    /// Returns the value of a choice: the last set field in order of field numbers.
    fn chosen(self) -> Result<Option<(&'static str, Value<'de>)>, Malformed> {
        let mut members = Members::of(self);
        let mut chosen: Option<(u32, &str, Value<'de>)> = None;
        while let Some((number, name, value)) = members.next()? {
            if chosen.as_ref().is_none_or(|(before, ..)| *before <= number) {
                chosen = Some((number, name, value));
            }
        }
        Ok(chosen.map(|(_, name, value)| (name, value)))
    }

    /// Checks that the message has all fields that a struct declares. A field without a member would silently stay
    /// unset.
    #[cfg(test)]
    fn must_have(&self, type_name: &str, fields: &[&str]) {
        for field in fields {
            assert!(self.message.has_member(field), "{type_name} reads {field}, which the message does not have");
        }
    }
}

impl<'de> Deserializer<'de> for Content<'de> {
    type Error = Malformed;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        if !self.message.is_choice {
            return visitor.visit_map(Members::of(self));
        }
        match self.chosen()? {
            Some((name, value)) => value.deserialize_any(visitor).map_err(|problem| problem.within(name)),
            None => visitor.visit_unit(),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_some(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        #[cfg(test)]
        self.must_have(_name, _fields);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// A message as a map.
struct Members<'de> {
    content: Content<'de>,
    /// The embedded message whose members come next.
    embedded: Option<Box<Members<'de>>>,
    /// The numbers of the fields that have been read, as bits.
    seen: u128,
    /// The value of the name that was read last.
    value: Option<(&'static str, Value<'de>)>,
}

impl<'de> Members<'de> {
    #[inline]
    fn of(content: Content<'de>) -> Self {
        Self { content, embedded: None, seen: 0, value: None }
    }

    /// Returns the next member that is set: its number, name and value.
    #[inline]
    fn next(&mut self) -> Result<Option<(u32, &'static str, Value<'de>)>, Malformed> {
        loop {
            if let Some(embedded) = &mut self.embedded {
                match embedded.next()? {
                    Some(member) => return Ok(Some(member)),
                    None => self.embedded = None,
                }
            }
            let Some((number, fields)) = self.content.next_fields()? else { return Ok(None) };
            let message = self.content.message;
            match message.field(number) {
                // Skip a field of a later Kubernetes version, which has no entry in the table.
                None => {}
                Some(target) => {
                    self.must_be_new(number)?;
                    let depth = self.content.depth;
                    match target {
                        Target::Embedded(name) => {
                            self.embedded = Some(Box::new(Members::of(open(name, fields, depth)?)))
                        }
                        Target::Member { name, shape, keeps_zero } => {
                            let value = Value { shape, fields, depth };
                            if value.is_set(*keeps_zero).map_err(|problem| problem.within(name))? {
                                return Ok(Some((number, name, value)));
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn must_be_new(&mut self, number: u32) -> Result<(), Malformed> {
        let bit = 1u128.checked_shl(number).unwrap_or(0);
        if self.seen & bit != 0 {
            return Err(Malformed::new(format!("field {number} occurs again after another field")));
        }
        self.seen |= bit;
        Ok(())
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Malformed;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Malformed> {
        let Some((_, name, value)) = self.next()? else { return Ok(None) };
        self.value = Some((name, value));
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Malformed> {
        let (name, value) = self.value.take().ok_or_else(value_before_name)?;
        seed.deserialize(value).map_err(|problem| problem.within(name))
    }
}

fn value_before_name() -> Malformed {
    Malformed::new("a value was requested before its name")
}

/// Opens the message of this type in these fields.
#[inline]
fn open<'de>(name: &str, fields: Fields<'de>, depth: usize) -> Result<Content<'de>, Malformed> {
    let depth = depth.checked_sub(1).ok_or_else(|| Malformed::new("messages are nested too deeply"))?;
    Ok(Content { message: named(name)?, rest: Fields::default(), more: fields, depth })
}

/// The value of a member, or an item of a list or map.
struct Value<'de> {
    shape: &'static Shape,
    /// One field, or several fields for a list or map.
    fields: Fields<'de>,
    depth: usize,
}

impl<'de> Value<'de> {
    /// Returns the value of a scalar. The last field counts.
    #[inline]
    fn wire(&self) -> Result<Wire<'de>, Malformed> {
        let nothing = match self.shape {
            Shape::Bool | Shape::Int | Shape::Long => Wire::Varint(0),
            Shape::Number => Wire::Fixed64(0),
            _ => Wire::Bytes(b""),
        };
        self.fields.clone().last().map_or(Ok(nothing), |field| field.map(|(_, wire)| wire))
    }

    /// Returns false for a null, and for a value that Go omits from JSON as empty. Go never omits a struct, such as a
    /// quantity.
    #[inline]
    fn is_set(&self, keeps_zero: bool) -> Result<bool, Malformed> {
        match self.shape {
            Shape::List(_) | Shape::Map(_) | Shape::Quantity | Shape::IntOrString => return Ok(true),
            Shape::Object(name) => {
                return Ok(!named(name)?.is_choice || self.open(name)?.chosen()?.is_some());
            }
            _ => {}
        }
        let zero = match (self.shape, self.wire()?) {
            (Shape::Text | Shape::Bytes, Wire::Bytes(bytes)) => bytes.is_empty(),
            (Shape::Bool | Shape::Long, Wire::Varint(number)) => number == 0,
            (Shape::Int, Wire::Varint(number)) => number as i32 == 0,
            (Shape::Number, Wire::Fixed64(bits)) => f64::from_bits(bits) == 0.0,
            (Shape::Time | Shape::MicroTime, Wire::Bytes(bytes)) => return Ok(!bytes.is_empty()),
            (Shape::Any, Wire::Bytes(bytes)) => return Ok(raw(bytes)? != b"null"),
            _ => false,
        };
        Ok(keeps_zero || !zero)
    }

    #[inline]
    fn open(&self, name: &str) -> Result<Content<'de>, Malformed> {
        open(name, self.fields.clone(), self.depth)
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Malformed;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        let wire = || self.wire();
        let bytes = || bytes_of(self.wire()?);
        match self.shape {
            Shape::Text => visitor.visit_borrowed_str(text(wire()?)?),
            Shape::Bytes => visitor.visit_string(base64(bytes()?)),
            Shape::Bool => visitor.visit_bool(varint_of(wire()?)? != 0),
            // Protobuf writes a negative 32-bit integer as 64 bits.
            Shape::Int => visitor.visit_i64(i64::from(varint_of(wire()?)? as i32)),
            Shape::Long => visitor.visit_i64(varint_of(wire()?)? as i64),
            Shape::Number => match wire()? {
                Wire::Fixed64(bits) => visit_number(f64::from_bits(bits), visitor),
                other => Err(unexpected(other)),
            },
            Shape::Quantity => visitor.visit_borrowed_str(quantity(bytes()?)?),
            Shape::IntOrString => match int_or_string(bytes()?)? {
                IntOrString::Int(int) => visitor.visit_i64(i64::from(int)),
                IntOrString::Text(text) => visitor.visit_borrowed_str(text),
            },
            Shape::Time => visitor.visit_string(seconds(time(bytes()?)?)),
            Shape::MicroTime => visitor.visit_string(micros(time(bytes()?)?)),
            Shape::Any => visit_json(raw(bytes()?)?, visitor),
            Shape::Object(name) => self.open(name)?.deserialize_any(visitor),
            Shape::List(item) => visitor.visit_seq(Items { item, fields: self.fields, packed: &[], depth: self.depth }),
            Shape::Map(item) => {
                visitor.visit_map(Entries { item, fields: self.fields, value: None, depth: self.depth })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_some(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        match self.shape {
            Shape::Object(message) => self.open(message)?.deserialize_struct(name, fields, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    /// Skips the value without reading it.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier
    }
}

fn visit_number<'de, V: Visitor<'de>>(float: f64, visitor: V) -> Result<V::Value, Malformed> {
    match as_integer(float) {
        Some(integer) => visitor.visit_i64(integer),
        None if float.is_finite() => visitor.visit_f64(float),
        None => Err(Malformed::new(format!("{float} is not a JSON number"))),
    }
}

fn visit_json<'de, V: Visitor<'de>>(json: &'de [u8], visitor: V) -> Result<V::Value, Malformed> {
    let wrong = |error: serde_json::Error| Malformed::new(format!("not JSON: {error}"));
    let mut json = serde_json::Deserializer::from_slice(json);
    let value = json.deserialize_any(visitor).map_err(wrong)?;
    json.end().map_err(wrong)?;
    Ok(value)
}

/// The items of a list.
struct Items<'de> {
    item: &'static Shape,
    fields: Fields<'de>,
    /// The rest of a field with several packed numbers.
    packed: &'de [u8],
    depth: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Malformed;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Malformed> {
        while self.packed.is_empty() {
            let Some(field) = self.fields.next_alone() else { return Ok(None) };
            match (self.item, field?) {
                (Shape::Int | Shape::Long | Shape::Bool, (Wire::Bytes(packed), _)) => self.packed = packed,
                (shape, (_, fields)) => return seed.deserialize(Value { shape, fields, depth: self.depth }).map(Some),
            }
        }
        let number = varint(&mut self.packed)?;
        let item = match self.item {
            Shape::Int => seed.deserialize(I32Deserializer::new(number as i32)),
            Shape::Long => seed.deserialize(I64Deserializer::new(number as i64)),
            _ => seed.deserialize(BoolDeserializer::new(number != 0)),
        };
        item.map(Some)
    }
}

/// The entries of a map. Each entry is a message with a key and a value.
struct Entries<'de> {
    item: &'static Shape,
    fields: Fields<'de>,
    value: Option<(&'de str, Value<'de>)>,
    depth: usize,
}

impl<'de> Entries<'de> {
    fn entry(&self, bytes: &'de [u8]) -> Result<(&'de str, Value<'de>), Malformed> {
        let (mut key, mut fields) = ("", Fields::default());
        let mut entry = Fields::of(bytes);
        while let Some(row) = entry.next_row() {
            match row? {
                (1, row) => key = text(row.last().map_or(Ok(Wire::Bytes(b"")), |field| field.map(|(_, wire)| wire))?)?,
                (2, row) => fields = row,
                _ => {}
            }
        }
        // A list as the value of a map is a message that contains the items.
        if let (Shape::List(_), Some(list)) = (self.item, fields.clone().last()) {
            fields = Fields::of(bytes_of(list?.1)?);
        }
        Ok((key, Value { shape: self.item, fields, depth: self.depth }))
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Malformed;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Malformed> {
        let Some(field) = self.fields.next() else { return Ok(None) };
        let (key, value) = self.entry(bytes_of(field?.1)?)?;
        self.value = Some((key, value));
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Malformed> {
        let (key, value) = self.value.take().ok_or_else(value_before_name)?;
        seed.deserialize(value).map_err(|problem| problem.within(key))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn int(number: u8, value: u8) -> Vec<u8> {
        vec![number << 3, value]
    }

    /// Encodes a field with bytes. The field number can be above 15.
    fn bytes(number: u8, value: impl AsRef<[u8]>) -> Vec<u8> {
        let key = u32::from(number) << 3 | 2;
        let mut out = if key < 128 { vec![key as u8] } else { vec![(key & 0x7f | 0x80) as u8, (key >> 7) as u8] };
        out.push(value.as_ref().len() as u8);
        out.extend(value.as_ref());
        out
    }

    fn read(name: &str, message: &[Vec<u8>]) -> Result<Value, String> {
        super::read(name, &message.concat()).map_err(|problem| problem.to_string())
    }

    #[test]
    fn each_shape_is_converted_to_json() {
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
            // A message in two pieces.
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
    fn a_union_is_converted_to_its_value() {
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
    fn bytes_of_another_type_are_refused_with_their_path() {
        for (name, message, problem) in [
            (
                "core.v1.Pod",
                bytes(2, bytes(2, int(1, 1))),
                "spec.containers.name: an integer, but the field has another type",
            ),
            ("core.v1.Pod", bytes(2, bytes(10, [0xff])), "spec.nodeName: the string is not UTF-8"),
            (
                "core.v1.Pod",
                bytes(2, bytes(25, "")),
                "spec.priority: bytes with a length, but the field has another type",
            ),
            ("core.v1.Pod", bytes(2, [10, 9]), "spec: a length of 9 bytes, but only 0 bytes follow"),
            (
                "core.v1.Pod",
                bytes(1, bytes(8, [[8].as_slice(), &[0xff; 8], &[1]].concat())),
                "metadata.creationTimestamp: ",
            ),
            ("apps.v1.ControllerRevision", bytes(2, bytes(1, "{")), "data: not JSON: "),
            (
                "apiextensions.v1.JSONSchemaProps",
                [&[0x49][..], &f64::NAN.to_le_bytes()].concat(),
                "maximum: NaN is not a JSON number",
            ),
            ("core.v1.Nonsense", Vec::new(), "the message core.v1.Nonsense is unknown"),
        ] {
            let found = read(name, &[message]).unwrap_err();
            assert!(found.starts_with(&format!("protobuf: {problem}")), "{found}");
        }
    }

    #[test]
    fn nesting_is_limited() {
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
