//! A serde deserializer for arguments. Errors have the path of the wrong value, and an unknown field is an error.

mod variant;

use std::borrow::Cow;

use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use self::variant::Variant;
use super::TYPE_META;
use super::error::ArgumentError;
use super::text::Text;

/// A value to read.
pub(super) struct Reader<'t, 'a> {
    text: &'t mut Text<'a>,
    /// True for the outermost object, false for a value inside it.
    top_level: bool,
}

enum Integer {
    Natural(u64),
    Negative(i64),
}

impl<'t, 'a> Reader<'t, 'a> {
    /// Reads the arguments as a whole.
    pub(super) fn of_arguments(text: &'t mut Text<'a>) -> Reader<'t, 'a> {
        Reader { text, top_level: true }
    }

    /// Reads a value inside the arguments.
    pub(super) fn within(text: &'t mut Text<'a>) -> Reader<'t, 'a> {
        Reader { text, top_level: false }
    }

    /// Makes the error for a value of another type than expected.
    fn type_error(self, expected: &dyn Expected) -> ArgumentError {
        let (kind, word);
        let found = match self.text.peek() {
            Some(b'{') => Unexpected::Map,
            Some(b'[') => Unexpected::Seq,
            Some(b'"') => match self.text.string() {
                Ok(text) => {
                    word = text;
                    Unexpected::Str(&word)
                }
                Err(malformed) => return malformed,
            },
            _ => match self.text.word() {
                Ok("null") => Unexpected::Unit,
                Ok("true") => Unexpected::Bool(true),
                Ok("false") => Unexpected::Bool(false),
                Ok(number) => {
                    kind = format!("number `{number}`");
                    Unexpected::Other(&kind)
                }
                Err(malformed) => return malformed,
            },
        };
        ArgumentError::invalid_type(found, expected)
    }

    /// Reads an object. `known` are the fields that it may have; `None` allows all, for a value that is not a struct.
    pub(super) fn object<'de, V: Visitor<'de>>(
        self,
        known: Option<&[&str]>,
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        if self.text.peek() != Some(b'{') {
            return Err(self.type_error(&visitor));
        }
        self.text.open(b'{')?;
        let read = visitor.visit_map(Fields { text: self.text, known, top_level: self.top_level, key: None })?;
        if self.text.close(b'}') { Ok(read) } else { Err(self.text.expected_here("a closing bracket")) }
    }

    // Not inlined, so that the component has this code once.
    #[inline(never)]
    fn integer(self, expected: &dyn Expected) -> Result<Integer, ArgumentError> {
        if !matches!(self.text.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.type_error(expected));
        }
        let number = self.text.word()?;
        number
            .parse()
            .map(Integer::Natural)
            .or_else(|_| number.parse().map(Integer::Negative))
            .map_err(|_| ArgumentError::invalid_type(Unexpected::Other(&format!("number `{number}`")), expected))
    }

    fn is_null(&mut self) -> bool {
        // No other value begins with this letter.
        self.text.peek() == Some(b'n')
    }
}

/// Reads types like another type.
macro_rules! forward {
    ($($($kind:ident)* => $like:ident,)*) => { $($(
        fn $kind<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
            self.$like(visitor)
        }
    )*)* };
}

impl<'de> Deserializer<'de> for Reader<'_, '_> {
    type Error = ArgumentError;

    /// Reads a value of any type, for untagged enums and the author's own values.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        match self.text.peek() {
            Some(b'n') => self.deserialize_unit(visitor),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'"') => self.deserialize_str(visitor),
            Some(b'[') => self.deserialize_seq(visitor),
            Some(b'{') => self.deserialize_map(visitor),
            _ => self.deserialize_f64(visitor),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, ArgumentError> {
        if !self.is_null() {
            return Err(self.type_error(&visitor));
        }
        match self.text.word()? {
            "null" => visitor.visit_unit(),
            _ => Err(self.text.expected_here("a value")),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        if !matches!(self.text.peek(), Some(b't' | b'f')) {
            return Err(self.type_error(&visitor));
        }
        match self.text.word()? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.text.expected_here("a value")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        match self.integer(&visitor)? {
            Integer::Natural(number) => visitor.visit_u64(number),
            Integer::Negative(number) => visitor.visit_i64(number),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        if !matches!(self.text.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.type_error(&visitor));
        }
        let number = self.text.word()?;
        match (number.parse(), number.parse(), number.parse()) {
            (Ok(number), _, _) => visitor.visit_u64(number),
            (_, Ok(number), _) => visitor.visit_i64(number),
            (_, _, Ok(number)) => visitor.visit_f64(number),
            _ => Err(self.text.expected_here("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        if self.text.peek() != Some(b'"') {
            return Err(self.type_error(&visitor));
        }
        visitor.visit_str(&self.text.string()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        if self.text.peek() != Some(b'[') {
            return Err(self.type_error(&visitor));
        }
        self.text.open(b'[')?;
        let read = visitor.visit_seq(Elements { text: self.text, at: 0 })?;
        if self.text.close(b']') { Ok(read) } else { Err(ArgumentError::custom("too many elements")) }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        self.object(None, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        self.object(Some(fields), visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, ArgumentError> {
        if self.is_null() {
            self.text.skip()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ArgumentError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ArgumentError> {
        self.deserialize_unit(visitor)
    }

    /// Reads an enum's variant: a bare name, or the only key of an object.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        match self.text.peek() {
            Some(b'"') => visitor.visit_enum((&*self.text.string()?).into_deserializer()),
            Some(b'{') => {
                self.text.open(b'{')?;
                let name = self.text.key()?;
                let read = visitor.visit_enum(Variant { name: &name, text: self.text })?;
                if self.text.close(b'}') {
                    Ok(read)
                } else {
                    Err(ArgumentError::custom("expected an object with a single key"))
                }
            }
            _ => Err(self.type_error(&"a string or an object with a single key")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        self.text.skip()?;
        visitor.visit_unit()
    }

    forward! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
            => deserialize_i64,
        deserialize_f32 => deserialize_f64,
        deserialize_char deserialize_string deserialize_identifier => deserialize_str,
        deserialize_bytes deserialize_byte_buf => deserialize_any,
    }
}

/// The elements of a list that are still to be read.
struct Elements<'t, 'a> {
    text: &'t mut Text<'a>,
    at: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_, '_> {
    type Error = ArgumentError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ArgumentError> {
        if !self.text.has_next(self.at == 0, b']')? {
            return Ok(None);
        }
        let read = seed.deserialize(Reader::within(self.text)).map_err(|error| error.in_list(self.at))?;
        self.at += 1;
        Ok(Some(read))
    }
}

/// The fields of an object that are still to be read.
struct Fields<'t, 'a, 'k> {
    text: &'t mut Text<'a>,
    known: Option<&'k [&'k str]>,
    top_level: bool,
    /// The key of the field that is being read, or was read last.
    key: Option<Cow<'a, str>>,
}

impl Fields<'_, '_, '_> {
    // Not inlined, so that the component has this code once.
    #[inline(never)]
    fn next_key(&mut self) -> Result<Option<&str>, ArgumentError> {
        if !self.text.has_next(self.key.is_none(), b'}')? {
            return Ok(None);
        }
        let key: &str = self.key.insert(self.text.key()?);
        let known = self.known.is_none_or(|known| known.contains(&key)) || self.top_level && TYPE_META.contains(&key);
        if known || self.text.lenient { Ok(Some(key)) } else { Err(ArgumentError::unknown(key)) }
    }
}

impl<'de> MapAccess<'de> for Fields<'_, '_, '_> {
    type Error = ArgumentError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ArgumentError> {
        match self.next_key()? {
            Some(key) => seed.deserialize(Key(key)).map(Some).map_err(|error| error.in_field(key)),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ArgumentError> {
        let read = seed.deserialize(Reader::within(self.text));
        read.map_err(|error| error.in_field(self.key.as_deref().unwrap_or_default()))
    }
}

/// A key of an object. A string, or a number if the map's keys are numbers.
struct Key<'a>(&'a str);

macro_rules! number_keys {
    ($($($deserialize:ident)* : $number:ty => $visit:ident,)*) => { $($(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
            match self.0.parse::<$number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => visitor.visit_str(self.0),
            }
        }
    )*)* };
}

impl<'de> Deserializer<'de> for Key<'_> {
    type Error = ArgumentError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        visitor.visit_str(self.0)
    }

    number_keys! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64: i64 => visit_i64,
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64: u64 => visit_u64,
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
