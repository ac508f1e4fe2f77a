//! Reads quantities from text and numbers, and writes text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use super::Quantity;

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a quantity, for example 2 or \"4Gi\"")
    }

    fn visit_i64<E: Error>(self, units: i64) -> Result<Quantity, E> {
        Ok(Quantity::from_value(units))
    }

    fn visit_u64<E: Error>(self, units: u64) -> Result<Quantity, E> {
        Ok(Quantity::from_value(i64::try_from(units).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E: Error>(self, units: f64) -> Result<Quantity, E> {
        self.visit_str(&units.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        text.parse().map_err(E::custom)
    }
}
