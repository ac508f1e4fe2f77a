//! An enum's variant that has a value: the only key of an object.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor};

use super::Reader;
use crate::arguments::error::ArgumentError;
use crate::arguments::text::Text;

/// A variant's name, and the text that starts with its value.
pub(super) struct Variant<'t, 'a> {
    pub(super) name: &'t str,
    pub(super) text: &'t mut Text<'a>,
}

impl<'de> EnumAccess<'de> for Variant<'_, '_> {
    type Error = ArgumentError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), ArgumentError> {
        let name: StrDeserializer<'_, ArgumentError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, '_> {
    type Error = ArgumentError;

    fn unit_variant(self) -> Result<(), ArgumentError> {
        self.newtype_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ArgumentError> {
        seed.deserialize(Reader::within(self.text)).map_err(|error| error.in_field(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ArgumentError> {
        Reader::within(self.text).deserialize_seq(visitor).map_err(|error| error.in_field(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        Reader::within(self.text).object(Some(fields), visitor).map_err(|error| error.in_field(self.name))
    }
}
