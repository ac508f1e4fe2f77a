//! A serde deserializer for protobuf messages. Each message is a map with the JSON names and the JSON values of its
//! fields, so a type that deserializes an object's JSON also deserializes its protobuf. Fields that the type does not
//! declare are skipped and not built.
//!
//! The deserializer expects that the items of a repeated field are adjacent, as Kubernetes writes these items. Protobuf
//! also allows other fields between the items, which the deserializer rejects.

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
/// No message type is called `name`, or the bytes are malformed or do not match `T`. The error contains the path of the
/// field.
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
    /// Fields whose values are further pieces of the message. Protobuf allows that a message is split over several
    /// fields with the same number.
    more: Fields<'de>,
    /// The number of further nesting levels that are allowed.
    depth: usize,
}

impl<'de> Content<'de> {
    /// Returns the number and the fields of the next run of fields with the same number; `None` at the end.
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

    /// Returns the JSON name and the value of the set field with the highest number, for a message that is a choice.
    /// Returns `None` if no field is set.
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

    /// Checks that the message has all fields that a Rust struct declares. A struct's field that the message does not
    /// have would silently stay unset.
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
    /// The name and the value of the member whose name has been read, until the value is read too.
    value: Option<(&'static str, Value<'de>)>,
}

impl<'de> Members<'de> {
    #[inline]
    fn of(content: Content<'de>) -> Self {
        Self { content, embedded: None, seen: 0, value: None }
    }

    /// Returns the field number, the JSON name and the value of the next member that is set; `None` at the end of the
    /// message. The number of a member of an embedded message is the number in the embedded message.
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

/// Returns the content of a message of the type called `name`. The value of each of `fields` is a piece of the message.
/// `depth` is the number of nesting levels that are allowed, including this message.
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
    /// Returns the encoded value of a scalar: the value of the last field, or zero or no bytes if there is no field.
    #[inline]
    fn wire(&self) -> Result<Wire<'de>, Malformed> {
        let nothing = match self.shape {
            Shape::Bool | Shape::Int | Shape::Long => Wire::Varint(0),
            Shape::Number => Wire::Fixed64(0),
            _ => Wire::Bytes(b""),
        };
        self.fields.clone().last().map_or(Ok(nothing), |field| field.map(|(_, wire)| wire))
    }

    /// Returns false for a null, and for a zero or empty value that Go omits from JSON. Go never omits a struct,
    /// such as a quantity, nor a value of a member with `keeps_zero`.
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
            // Protobuf writes a negative 32-bit integer as 64 bits. The cast drops the upper 32 bits.
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
        // If the values of the map are lists, each value is encoded as a message that contains the items.
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
#[path = "decode_test.rs"]
mod tests;
