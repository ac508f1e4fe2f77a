//! Serializes sets of flags as the number that has their bits. The change log holds many such sets.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cluster_event::EventActions;
use crate::declaration::ExtensionPoints;
use crate::facts::{ClusterFacts, NodeFacts, PodFacts};

/// Implements serde for types that `bitflags!` defines.
macro_rules! serialize_as_bits {
    ($($flags:ty),*) => {$(
        impl Serialize for $flags {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.bits().serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $flags {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let bits = u32::deserialize(deserializer)?;
                let unknown = || D::Error::custom(format!("{} has no flags {bits:#x}", stringify!($flags)));
                Self::from_bits(bits).ok_or_else(unknown)
            }
        }
    )*};
}

serialize_as_bits!(PodFacts, NodeFacts, ClusterFacts, ExtensionPoints, EventActions);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_flags_are_refused() {
        let facts = NodeFacts::LABELS | NodeFacts::FIELDS;
        let text = serde_json::to_string(&facts).expect("text");
        assert_eq!((&*text, serde_json::from_str(&text).ok()), ("16386", Some(facts)));
        let error = serde_json::from_str::<NodeFacts>("32768").expect_err("no node fact has this bit");
        assert!(error.to_string().starts_with("NodeFacts has no flags 0x8000"), "{error}");
    }
}
