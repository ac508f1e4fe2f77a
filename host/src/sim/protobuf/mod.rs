//! Bodies in Kubernetes' protobuf, in which clients in Go send built-in kinds unless they are told otherwise; brought
//! into the JSON that the rest of the server works with. Answers are JSON: whoever sends protobuf reads that, too.
//!
//! A body is four bytes of magic and an envelope (`runtime.Unknown`), which names the kind of the message inside.

mod decode;
mod scalar;
mod table;
mod wire;

use serde_json::{Map, Value};

use crate::sim::schema::name_of;
use wire::{Fields, Wire};

/// The media type.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// What every body begins with.
const MAGIC: &[u8; 4] = b"k8s\0";

/// Why bytes are not what they should be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("protobuf: {path}{problem}")]
pub struct Malformed {
    /// The members around the place, each with what parts it from the next.
    path: String,
    problem: String,
}

impl Malformed {
    fn new(problem: impl Into<String>) -> Self {
        Self { path: String::new(), problem: problem.into() }
    }

    fn within(mut self, member: &str) -> Self {
        let parting = if self.path.is_empty() { ": " } else { "." };
        self.path.insert_str(0, &format!("{member}{parting}"));
        self
    }
}

/// What a body holds, as it says itself.
#[derive(Debug, Default)]
struct Envelope<'a> {
    api_version: &'a str,
    kind: &'a str,
    message: &'a [u8],
}

/// The object in a body, with its kind and API version.
///
/// # Errors
/// A sentence saying what is wrong with the bytes, or that the kind has no message.
pub fn object(body: &[u8]) -> Result<Value, Malformed> {
    let envelope = open(body)?;
    let (group, version) = envelope.api_version.split_once('/').unwrap_or(("", envelope.api_version));
    let name = match envelope.kind {
        // Every group has its own of these, all alike.
        "DeleteOptions" => "meta.v1.DeleteOptions".to_owned(),
        kind => name_of(group, version, kind),
    };
    if table::message_named(&name).is_none() {
        let (kind, version) = (envelope.kind, envelope.api_version);
        return Err(Malformed::new(format!("no kind {kind:?} is registered for version {version:?}")));
    }
    let mut object = Map::new();
    object.insert("kind".into(), envelope.kind.into());
    object.insert("apiVersion".into(), envelope.api_version.into());
    decode::decode(&name, envelope.message, &mut object)?;
    Ok(Value::Object(object))
}

fn open(body: &[u8]) -> Result<Envelope<'_>, Malformed> {
    let rest = body.strip_prefix(MAGIC).ok_or_else(|| Malformed::new("the body doesn't begin with \"k8s\\0\""))?;
    let mut envelope = Envelope::default();
    for field in Fields::of(rest) {
        match field? {
            (1, Wire::Bytes(names)) => (envelope.api_version, envelope.kind) = type_meta(names)?,
            (2, Wire::Bytes(message)) => envelope.message = message,
            (3, Wire::Bytes(encoding)) if !encoding.is_empty() => {
                return Err(Malformed::new("the message is encoded once more, which is not supported"));
            }
            (4, Wire::Bytes(media)) if !matches!(media, b"" | b"application/vnd.kubernetes.protobuf") => {
                return Err(Malformed::new("what is in the envelope is no protobuf"));
            }
            _ => {}
        }
    }
    match envelope.kind {
        "" => Err(Malformed::new("the envelope names no kind")),
        _ => Ok(envelope),
    }
}

/// The API version and the kind.
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Magic, kind and API version, and a message.
    fn body(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
        let field = |number: u8, bytes: &[u8]| [&[number << 3 | 2, bytes.len() as u8], bytes].concat();
        let names = [field(1, api_version.as_bytes()), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &names), field(2, message), vec![26, 0, 34, 0]].concat()
    }

    #[test]
    fn the_envelope_names_the_kind() {
        for (api_version, kind, message, expected) in [
            ("v1", "Binding", &[18, 3, 26, 1, b'n'][..], json!({"target": {"name": "n"}})),
            ("rbac.authorization.k8s.io/v1", "Role", &[], json!({})),
            ("apps/v1", "DeleteOptions", &[8, 0], json!({"gracePeriodSeconds": 0})),
        ] {
            let mut expected = expected;
            expected["apiVersion"] = api_version.into();
            expected["kind"] = kind.into();
            assert_eq!(object(&body(api_version, kind, message)), Ok(expected));
        }
    }

    #[test]
    fn what_is_no_body_is_refused() {
        let encoded = [body("v1", "Pod", &[]), vec![26, 4, b'g', b'z', b'i', b'p']].concat();
        for (bytes, problem) in [
            (Vec::new(), "the body doesn't begin with \"k8s\\0\""),
            (b"{}".to_vec(), "the body doesn't begin with \"k8s\\0\""),
            (MAGIC.to_vec(), "the envelope names no kind"),
            (body("v1", "Pod", &[10]), "it ends within a number"),
            (body("v1", "", &[]), "the envelope names no kind"),
            (body("example.com/v1", "Widget", &[]), "no kind \"Widget\" is registered for version \"example.com/v1\""),
            (encoded, "the message is encoded once more, which is not supported"),
            ([MAGIC.as_slice(), &[10, 200]].concat(), "it ends within a number"),
        ] {
            assert_eq!(object(&bytes).unwrap_err().to_string(), format!("protobuf: {problem}"));
        }
    }
}
