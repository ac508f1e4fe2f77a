//! Reads JSON as API servers write it: absent and null are equal, and fields that the scheduler doesn't read are
//! skipped without an allocation. [`crate::protobuf`] provides the same fields under the same names.

use std::fmt;
use std::marker::PhantomData;

use berth_quantity::{Quantity, QuantityError};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

/// Returns the field's value, or the default of the field's type if the field is null.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Declares structs with some of the fields of a type. Each field may be absent or null. The JSON names are in camel
/// case.
macro_rules! partial {
    ($(
        $(#[$outer:meta])*
        $name:ident { $( $(#[$inner:meta])* $field:ident: $type:ty, )* }
    )*) => {$(
        $(#[$outer])*
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(
                $(#[$inner])*
                #[serde(default, deserialize_with = "crate::objects::json::or_default")]
                pub(crate) $field: $type,
            )*
        }
    )*};
}
pub(super) use partial;

/// The entries of a map, in the order of the input.
#[derive(Clone, Debug)]
pub(crate) struct Entries<V>(pub(crate) Vec<(Box<str>, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Map<V> {
            type Value = Entries<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Map(PhantomData))
    }
}

/// A quantity, or the reason why the quantity is invalid. An object with an invalid quantity stays readable.
#[derive(Clone, Debug)]
pub(crate) struct MaybeQuantity(pub(crate) Result<Quantity, String>);

impl MaybeQuantity {
    #[inline]
    fn parse(text: &str) -> Self {
        Self(text.parse().map_err(|error: QuantityError| error.to_string()))
    }
}

impl<'de> Deserialize<'de> for MaybeQuantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = MaybeQuantity;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity")
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(MaybeQuantity::parse(text))
            }
            fn visit_i64<E>(self, n: i64) -> Result<Self::Value, E> {
                Ok(MaybeQuantity(Ok(Quantity::from_value(n))))
            }
            fn visit_u64<E>(self, n: u64) -> Result<Self::Value, E> {
                Ok(MaybeQuantity::parse(&n.to_string()))
            }
            fn visit_f64<E>(self, n: f64) -> Result<Self::Value, E> {
                Ok(MaybeQuantity::parse(&n.to_string()))
            }
        }
        deserializer.deserialize_any(Text)
    }
}

/// True if a field is present and not null. The value of the field is skipped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Present(pub(crate) bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

/// A time in whole seconds since 1970; 0 if the field is absent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seconds(pub(crate) i64);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Time;
        impl Visitor<'_> for Time {
            type Value = Seconds;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time as in RFC 3339")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let time: jiff::Timestamp = text.parse().map_err(|_| E::custom(format!("{text:?} is not a time")))?;
                Ok(Seconds(time.as_second()))
            }
        }
        deserializer.deserialize_str(Time).map_err(D::Error::custom)
    }
}
