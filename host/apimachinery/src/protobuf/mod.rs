//! Reads Kubernetes' protobuf. Clients in Go send protobuf, and the API server encodes lists as protobuf at less cost
//! than as JSON.
//!
//! This crate has its own reader: [`read`] reads only the fields that a type declares, from the wire through serde into
//! the core's model. Generated types would allocate the whole object. A table lists all messages and their fields.
//!
//! Berth writes few messages ([`mod@write`]): it sends JSON, which every API server accepts.
//!
//! A body consists of four magic bytes and an envelope (`runtime.Unknown`), which contains the kind and the message.

mod decode;
mod list;
mod scalar;
#[cfg(test)]
pub(crate) mod specimen;
mod table;
mod wire;
pub mod write;

use std::fmt;

pub use decode::read;
pub use list::{ListReader, Part};
pub use table::message_named;
use wire::{Fields, Wire};

/// The media type of Kubernetes' protobuf.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// The first bytes of every body.
pub const MAGIC: &[u8; 4] = b"k8s\0";

/// An error in the encoded bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("protobuf: {path}{problem}")]
pub struct Malformed {
    /// The path of the members that contain the error, with a separator at the end: `spec.containers: `. Empty if the
    /// error is in no member.
    path: String,
    problem: String,
}

impl Malformed {
    /// Returns an error with this description.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { path: String::new(), problem: problem.into() }
    }

    fn within(mut self, member: &str) -> Self {
        let parting = if self.path.is_empty() { ": " } else { "." };
        self.path.insert_str(0, &format!("{member}{parting}"));
        self
    }

    /// Returns the path of the member with the error, such as `spec.containers`, and the description of the error. The
    /// path is empty if the error is in no member.
    pub fn into_parts(self) -> (String, String) {
        (self.path.trim_end_matches(": ").to_owned(), self.problem)
    }
}

impl serde::de::Error for Malformed {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        Self::new(problem.to_string())
    }
}

/// The envelope of a body.
#[derive(Debug, Default)]
pub struct Envelope<'a> {
    /// `apiVersion`.
    pub api_version: &'a str,
    /// `kind`.
    pub kind: &'a str,
    /// The encoded object.
    pub message: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Reads the envelope of a body. Does not decode the message.
    ///
    /// # Errors
    /// The body does not begin with [`MAGIC`], or the envelope is malformed, has no kind, or has a content encoding or
    /// a content type other than protobuf.
    pub fn open(body: &'a [u8]) -> Result<Self, Malformed> {
        let rest = body.strip_prefix(MAGIC).ok_or_else(no_magic)?;
        let mut envelope = Self::default();
        for field in Fields::of(rest) {
            match field? {
                (2, Wire::Bytes(message)) => envelope.message = message,
                (number, Wire::Bytes(bytes)) => envelope.add(number, bytes)?,
                _ => {}
            }
        }
        match envelope.kind {
            "" => Err(Malformed::new("the envelope has no kind")),
            _ => Ok(envelope),
        }
    }

    /// Reads a field of the envelope other than the message: the API version and the kind, the content encoding (must
    /// be empty), or the content type (must be empty or [`MEDIA_TYPE`]).
    fn add(&mut self, number: u32, bytes: &'a [u8]) -> Result<(), Malformed> {
        match number {
            1 => (self.api_version, self.kind) = type_meta(bytes)?,
            3 if !bytes.is_empty() => {
                return Err(Malformed::new("the message has a content encoding, which is not supported"));
            }
            4 if !bytes.is_empty() && bytes != MEDIA_TYPE.as_bytes() => {
                return Err(Malformed::new("the content type of the envelope is not protobuf"));
            }
            _ => {}
        }
        Ok(())
    }
}

fn no_magic() -> Malformed {
    Malformed::new("the body doesn't begin with \"k8s\\0\"")
}

/// Returns the API version and the kind.
fn type_meta(bytes: &[u8]) -> Result<(&str, &str), Malformed> {
    let (mut api_version, mut kind) = ("", "");
    for field in Fields::of(bytes) {
        let (number, wire) = field?;
        if let (1 | 2, Wire::Bytes(bytes)) = (number, wire) {
            let text = std::str::from_utf8(bytes).map_err(|_| Malformed::new("the kind's name is not UTF-8"))?;
            *(if number == 1 { &mut api_version } else { &mut kind }) = text;
        }
    }
    Ok((api_version, kind))
}
