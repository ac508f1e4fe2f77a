//! Amounts of memory in a configuration file, in Kubernetes' format.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// An amount of memory, in bytes. Written as in `256Mi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(usize);

/// The accepted suffixes with their factors, largest first.
const UNITS: [(&str, usize); 3] = [("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)];

impl Memory {
    /// The `format` in the JSON Schema.
    pub const FORMAT: &'static str = "memory";

    /// Returns the number of bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.0
    }

    /// Parses an amount such as `256Mi`.
    ///
    /// # Errors
    /// Fails if the text is no amount, or the amount is zero or too large.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not an amount of memory; use a format such as 256Mi or 1Gi");
        let (number, unit) =
            UNITS.into_iter().find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, unit))).unwrap_or((text, 1));
        let number: usize = number.parse().map_err(|_| wrong())?;
        number.checked_mul(unit).filter(|bytes| *bytes > 0).map(Self).ok_or_else(wrong)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.into_iter().find(|(_, unit)| self.0.is_multiple_of(*unit)) {
            Some((suffix, unit)) => write!(f, "{}{suffix}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Serialize for Memory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Memory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&Cow::<'de, str>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for Memory {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Memory".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": Self::FORMAT, "examples": ["256Mi", "1Gi"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written() {
        for (text, bytes) in [
            ("256Mi", Some(256 << 20)),
            ("1Gi", Some(1 << 30)),
            ("64Ki", Some(64 << 10)),
            ("1000", Some(1000)),
            ("0", None),
            ("", None),
            ("-1Mi", None),
            ("1.5Gi", None),
            ("256MB", None),
            ("99999999999Gi", None),
        ] {
            let memory = Memory::parse(text).ok();
            assert_eq!(memory.map(Memory::bytes), bytes, "{text:?}");
            if let Some(memory) = memory {
                assert_eq!(memory.to_string(), text);
            }
        }
    }
}
