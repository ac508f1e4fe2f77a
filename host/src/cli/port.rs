//! Ports in flags.

use std::fmt;
use std::str::FromStr;

/// A port number, or any free port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    Of(u16),
    Any,
}

impl Port {
    /// Returns the port to listen on, 0 for any free port, or `None` if the flag has the port 0, which serves nothing.
    pub fn to_bind(self) -> Option<u16> {
        match self {
            Self::Of(0) => None,
            Self::Of(port) => Some(port),
            Self::Any => Some(0),
        }
    }
}

impl FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "any" => Ok(Self::Any),
            _ => text.parse().map(Self::Of).map_err(|_| "expected a port from 0 to 65535, or `any`".to_owned()),
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(port) => port.fmt(f),
            Self::Any => f.write_str("any"),
        }
    }
}
