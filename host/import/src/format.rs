//! The formats of files, recognized by their content.

use std::fmt;

use super::ImportError;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// API objects, alone or in lists, in YAML or JSON.
    Objects,
    /// The export of kube-scheduler-simulator: a snapshot of its objects.
    Snapshot,
    /// The record of kube-scheduler-simulator: the changes of a cluster, one a line.
    Record,
    /// A trace of SimKube.
    SimKube,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Objects => "a file of objects",
            Self::Snapshot => "a snapshot of kube-scheduler-simulator",
            Self::Record => "a record of kube-scheduler-simulator",
            Self::SimKube => "a trace of SimKube",
        })
    }
}

/// The encoding of a file.
pub(crate) enum Encoding<'a> {
    MessagePack,
    Text(&'a str),
}

impl Format {
    /// Returns the encoding of a file.
    pub(crate) fn of(bytes: &[u8]) -> Result<Encoding<'_>, ImportError> {
        match bytes {
            [] => Err(ImportError::Empty),
            [0x1f, 0x8b, ..] => Err(ImportError::Compressed("gzip")),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Err(ImportError::Compressed("zstd")),
            // Version 1 is a list.
            [0x90..=0x9f, ..] => Err(ImportError::TraceVersion(1)),
            // A map. No text in UTF-8 begins with these bytes.
            [0x80..=0x8f | 0xde | 0xdf, ..] => Ok(Encoding::MessagePack),
            _ => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Encoding::Text(text.trim_start_matches('\u{feff}'))),
                Err(error) => Err(ImportError::Binary(error.valid_up_to())),
            },
        }
    }
}
