//! Checked types for arguments. A value out of range is refused with the field's name.
//!
//! # The schema
//!
//! A plugin with arguments can describe them to the host with a JSON Schema. The host then checks the arguments before
//! it configures the plugin, and tools can show them. The struct of the arguments derives the schema:
//!
//! ```
//! use berth_guest::args::Text;
//! use berth_guest::schemars::{self, JsonSchema};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! pub struct Args {
//!     /// The key of the label that names a team.
//!     label: Text,
//! }
//! ```
//!
//! The key `schema: "arguments.schema.json"` of [`plugin!`](crate::plugin!), after `args`, names a file in the folder
//! of `Cargo.toml`. The component contains this file, not the code that derives it: that code would be larger than most
//! plugins. The macro adds the test `the_schema_matches_the_arguments`. Begin with an empty file, and let the test
//! write the schema, also after each change of the struct:
//!
//! ```sh
//! BERTH_WRITE_SCHEMA=1 cargo test
//! ```
//!
//! [`testing::Host`](crate::testing::Host) compares the arguments of your tests with the schema, so that the schema
//! refuses nothing that the plugin accepts.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// The most digits that a quantity of cpu may have. 12 digits of whole cores still fit an `i64` of millicores.
const DIGITS: usize = 12;

/// A cpu quantity in millicores. Written as in Kubernetes, in whole cores (`2` or `"2"`) or whole millicores
/// (`"500m"`).
///
/// ```
/// use berth_guest::args::Cpu;
///
/// let read = |json: &str| serde_json::from_str::<Cpu>(json).ok().map(|cpu| cpu.0);
/// assert_eq!(["2", r#""2""#, r#""500m""#].map(read), [Some(2000), Some(2000), Some(500)]);
/// assert_eq!(["-1", "1.5", r#""1Gi""#, r#""lots""#, "null"].map(read), [None; 5]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cpu(pub i64);

impl<'de> Deserialize<'de> for Cpu {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Cpu, D::Error> {
        from.deserialize_any(CpuVisitor)
    }
}

#[derive(Clone, Copy)]
struct CpuVisitor;

impl Visitor<'_> for CpuVisitor {
    type Value = Cpu;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("cpu as in 2 or \"500m\"")
    }

    fn visit_u64<E: Error>(self, cores: u64) -> Result<Cpu, E> {
        self.visit_str(&cores.to_string()).map_err(|_: E| E::invalid_value(Unexpected::Unsigned(cores), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cpu, E> {
        let (digits, unit) = match text.strip_suffix('m') {
            Some(digits) => (digits, 1),
            None => (text, 1000),
        };
        let is_number = digits.len() <= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| digits.parse::<i64>().ok()).flatten();
        number.map(|number| Cpu(number * unit)).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// A string that is not empty.
///
/// ```
/// use berth_guest::args::Text;
///
/// assert_eq!(&*serde_json::from_str::<Text>(r#""pool""#).unwrap(), "pool");
/// assert!(serde_json::from_str::<Text>(r#""""#).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() { Err(D::Error::custom("expected a string that is not empty")) } else { Ok(Text(text)) }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// A whole number from `LEAST` to `MOST`.
///
/// ```
/// use berth_guest::args::Whole;
///
/// let read = |json: &str| serde_json::from_str::<Whole<0, 100>>(json).ok().map(i64::from);
/// assert_eq!(["0", "100"].map(read), [Some(0), Some(100)]);
/// assert_eq!(["-1", "101", "1.5", r#""1""#].map(read), [None; 4]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Whole<const LEAST: i64, const MOST: i64>(i64);

impl<'de, const LEAST: i64, const MOST: i64> Deserialize<'de> for Whole<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(from)?;
        let wanted = || D::Error::custom(format!("expected a whole number from {LEAST} to {MOST}, got {number}"));
        (LEAST..=MOST).contains(&number).then_some(Whole(number)).ok_or_else(wanted)
    }
}

impl<const LEAST: i64, const MOST: i64> From<Whole<LEAST, MOST>> for i64 {
    fn from(number: Whole<LEAST, MOST>) -> i64 {
        number.0
    }
}

/// The schema of a field with any value: `#[schemars(with = "Option<Anything>")]`.
pub struct Anything;

impl JsonSchema for Anything {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Anything".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
    }
}

impl JsonSchema for Cpu {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cpu".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": "^[0-9]{1,12}m?$" },
        ] })
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

impl<const LEAST: i64, const MOST: i64> JsonSchema for Whole<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Whole_{LEAST}_to_{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}
