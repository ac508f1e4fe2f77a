//! The versions of the contract.

use std::fmt;

/// A version of the contract that the host serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `berth:scheduler@0.1.0`.
    V0_1,
    /// `berth:scheduler@0.2.0`.
    V0_2,
}

impl Version {
    /// The newest version. The SDKs of this release build components of this version.
    pub const NEWEST: Self = Self::V0_2;

    /// All versions, the oldest first.
    pub const ALL: [Self; 2] = [Self::V0_1, Self::V0_2];

    /// Returns the version in full: `0.2.0`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::V0_1 => "0.1.0",
            Self::V0_2 => "0.2.0",
        }
    }

    /// Returns the version that serves components of `text`: `0.1.0` for `0.1.7`.
    pub(crate) fn serving(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| minor(version.text()) == minor(text))
    }

    /// Returns all versions for a message: `0.1.0 and 0.2.0`.
    pub(crate) fn all() -> String {
        Self::ALL.map(Self::text).join(" and ")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Returns the first two parts of a version: `0` and `1` for `0.1.7`.
fn minor(version: &str) -> Option<(&str, &str)> {
    let mut parts = version.splitn(3, '.');
    Some((parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_are_those_in_wit() {
        for (version, wit) in [
            (Version::V0_1, include_str!("../../../../wit/0.1/types.wit")),
            (Version::V0_2, include_str!("../../../../wit/0.2/types.wit")),
        ] {
            assert!(wit.starts_with(&format!("package berth:scheduler@{version};")), "{version}");
        }
    }

    #[test]
    fn a_minor_version_serves_its_patches() {
        assert_eq!(Version::serving("0.1.9"), Some(Version::V0_1));
        assert_eq!(Version::serving("0.2.0"), Some(Version::V0_2));
        assert_eq!([Version::serving("0.3.0"), Version::serving("1.2.0"), Version::serving("none")], [None; 3]);
    }
}
