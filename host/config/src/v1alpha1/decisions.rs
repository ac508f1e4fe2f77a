//! The decision records that the scheduler keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Memory;
use crate::v1::Duration;
use berth_core::decision::DecisionOptions;

/// The decision records that the scheduler keeps in memory for explanations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionRecords {
    /// Whether decisions are recorded. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The memory of all records. Beyond it, the oldest records of the namespace with the most records are dropped.
    /// Default: 32Mi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// The age at which a record is dropped. Default: 6h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Duration>,
}

impl DecisionRecords {
    /// Returns the bounds of the records.
    #[must_use]
    pub fn options(&self) -> DecisionOptions {
        let default = DecisionOptions::default();
        let bytes = self.memory.map_or(default.bytes, Memory::bytes);
        DecisionOptions {
            bytes: if self.enabled.unwrap_or(true) { bytes } else { 0 },
            age: self.max_age.map_or(default.age, |age| age.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_can_be_bounded_and_switched_off() {
        let options = |text: &str| serde_json::from_str::<DecisionRecords>(text).expect("valid").options();
        assert_eq!(options("{}"), DecisionOptions::default());
        let bounded = options(r#"{"memory": "1Mi", "maxAge": "30m"}"#);
        assert_eq!((bounded.bytes, bounded.age.as_secs()), (1 << 20, 1800));
        assert_eq!(options(r#"{"enabled": false, "memory": "1Mi"}"#).bytes, 0);
    }
}
