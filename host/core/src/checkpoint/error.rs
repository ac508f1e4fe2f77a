//! The reasons why a checkpoint can't be restored.

use std::fmt::Display;

/// The reason why [`crate::Core::restore`] refuses a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The state names a value that is not in its list.
    #[error("the checkpoint names {what} {index}, and has {len} of them")]
    OutOfRange {
        /// The kind of value, for example `pod`.
        what: &'static str,
        /// The index.
        index: u32,
        /// The length of the list.
        len: usize,
    },
    /// Two items have a key that only one item can have.
    #[error("the checkpoint has {what} {key} twice")]
    Duplicate {
        /// The kind of item, for example `the queued pod`.
        what: &'static str,
        /// The key, for example a uid.
        key: String,
    },
    /// The state names a plugin that its profile does not have.
    #[error("the checkpoint names the plugin {plugin:?} of the profile {profile:?}, which the profile does not have")]
    UnknownPlugin {
        /// `schedulerName` of the profile.
        profile: String,
        /// The name of the plugin.
        plugin: String,
    },
    /// The given profiles are not the profiles that served when the checkpoint was made.
    #[error("the checkpoint was made with the profiles {expected:?}, and is restored with {given:?}")]
    OtherProfiles {
        /// The `schedulerName` of each profile at the time of the checkpoint.
        expected: Vec<Box<str>>,
        /// The `schedulerName` of each given profile.
        given: Vec<Box<str>>,
    },
    /// A plugin of the given profiles reads pending pods, and no plugin of the original core did, or the reverse.
    #[error("plugins read pending pods: {then} when the checkpoint was made, {now} in the given profiles")]
    PendingPods {
        /// Whether a plugin of the original core read pending pods.
        then: bool,
        /// Whether a plugin of the given profiles reads pending pods.
        now: bool,
    },
    /// Two parts of the state contradict each other.
    #[error("the checkpoint contradicts itself: {0}")]
    Contradiction(String),
}

impl RestoreError {
    pub(super) fn duplicate(what: &'static str, key: impl Display) -> Self {
        Self::Duplicate { what, key: key.to_string() }
    }
}

/// Fails with this contradiction unless `holds` is true.
pub(super) fn check(holds: bool, contradiction: impl FnOnce() -> String) -> Result<(), RestoreError> {
    if holds { Ok(()) } else { Err(RestoreError::Contradiction(contradiction())) }
}
