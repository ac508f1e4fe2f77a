//! Durations in a configuration file, in Kubernetes' format.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::parse_duration;

/// A duration such as `15s`, `1m30s` or `500ms`. Never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub std::time::Duration);

impl Duration {
    /// The `format` in the JSON Schema.
    pub const FORMAT: &'static str = "duration";

    /// Returns a duration of whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(std::time::Duration::from_secs(seconds))
    }
}

/// Formats the duration as Go does: `10m0s`, `1.5s`, `500ms`, `0s`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanos) = (self.0.as_secs(), self.0.subsec_nanos());
        if seconds == 0 && nanos > 0 {
            return below_a_second(nanos, f);
        }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        if hours > 0 {
            write!(f, "{hours}h")?;
        }
        if hours > 0 || minutes > 0 {
            write!(f, "{minutes}m")?;
        }
        write!(f, "{}s", decimal(u64::from(nanos), 9, seconds % 60))
    }
}

fn below_a_second(nanos: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let nanos = u64::from(nanos);
    match nanos {
        0..1_000 => write!(f, "{nanos}ns"),
        1_000..1_000_000 => write!(f, "{}µs", decimal(nanos % 1_000, 3, nanos / 1_000)),
        _ => write!(f, "{}ms", decimal(nanos % 1_000_000, 6, nanos / 1_000_000)),
    }
}

/// Formats `whole` with a decimal fraction of `digits` digits, without trailing zeros.
fn decimal(fraction: u64, digits: usize, whole: u64) -> String {
    let text = format!("{whole}.{fraction:0digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        parse_duration(&text).map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for Duration {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": Self::FORMAT, "examples": ["15s", "1m30s", "500ms"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_look_as_go_prints_them() {
        for (nanos, text) in [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5µs"),
            (500_000_000, "500ms"),
            (1_500_000, "1.5ms"),
            (1_500_000_000, "1.5s"),
            (15_000_000_000, "15s"),
            (60_000_000_000, "1m0s"),
            (90_000_000_000, "1m30s"),
            (600_000_000_000, "10m0s"),
            (3_600_000_000_000, "1h0m0s"),
            (10_000_000_000, "10s"),
        ] {
            let duration = Duration(std::time::Duration::from_nanos(nanos));
            assert_eq!(duration.to_string(), text);
            assert_eq!(parse_duration(text), Ok(duration.0), "{text}");
        }
    }
}
