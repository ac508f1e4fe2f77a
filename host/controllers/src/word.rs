//! A short text of the API, such as a condition's type. The usual texts take no memory of their own, because a cluster can
//! have a million of them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The usual texts of pods.
const USUAL: [&str; 24] = [
    "True",
    "False",
    "Unknown",
    "Ready",
    "ContainersReady",
    "Initialized",
    "PodScheduled",
    "PodReadyToStartContainers",
    "DisruptionTarget",
    "Pending",
    "Running",
    "Succeeded",
    "Failed",
    "Unschedulable",
    "SchedulingGated",
    "ContainersNotReady",
    "ContainersNotInitialized",
    "NodeNotReady",
    "PodCompleted",
    "PodFailed",
    "Always",
    "OnFailure",
    "Never",
    "",
];

/// A short text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Word(Cow<'static, str>);

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<&str> for Word {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;

        impl Visitor<'_> for Texts {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
                let usual = USUAL.iter().find(|usual| **usual == text);
                Ok(Word(usual.map_or_else(|| Cow::Owned(text.to_owned()), |usual| Cow::Borrowed(*usual))))
            }
        }

        deserializer.deserialize_str(Texts)
    }
}
