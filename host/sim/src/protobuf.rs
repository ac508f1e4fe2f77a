//! Converts bodies in Kubernetes' protobuf to JSON. Clients in Go send built-in kinds as protobuf by default.
//! Responses are always JSON, which these clients accept too.

use serde_json::{Map, Value};

pub use berth_apimachinery::protobuf::MEDIA_TYPE;
use berth_apimachinery::protobuf::{Envelope, Malformed, message_named, read};
use berth_apimachinery::schema::name_of;

/// Decodes the object in a body, and adds its kind and API version.
///
/// # Errors
/// A message about malformed bytes, or about a kind without a known protobuf message.
pub fn object(body: &[u8]) -> Result<Value, Malformed> {
    let envelope = Envelope::open(body)?;
    let (group, version) = envelope.api_version.split_once('/').unwrap_or(("", envelope.api_version));
    let name = match envelope.kind {
        // Every API group has its own `DeleteOptions`, all with the same fields.
        "DeleteOptions" => "meta.v1.DeleteOptions".to_owned(),
        kind => name_of(group, version, kind),
    };
    if message_named(&name).is_none() {
        let (kind, version) = (envelope.kind, envelope.api_version);
        return Err(Malformed::new(format!("no kind {kind:?} is registered for version {version:?}")));
    }
    let mut object: Map<String, Value> = read(&name, envelope.message)?;
    object.insert("kind".into(), envelope.kind.into());
    object.insert("apiVersion".into(), envelope.api_version.into());
    Ok(Value::Object(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use berth_apimachinery::protobuf::MAGIC;
    use serde_json::json;

    /// Encodes a protobuf envelope: magic, kind and API version, and a message.
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
    fn invalid_bodies_are_rejected() {
        let encoded = [body("v1", "Pod", &[]), vec![26, 4, b'g', b'z', b'i', b'p']].concat();
        for (bytes, problem) in [
            (Vec::new(), "the body doesn't begin with \"k8s\\0\""),
            (b"{}".to_vec(), "the body doesn't begin with \"k8s\\0\""),
            (MAGIC.to_vec(), "the envelope has no kind"),
            (body("v1", "Pod", &[10]), "the message ends within a number"),
            (body("v1", "", &[]), "the envelope has no kind"),
            (body("example.com/v1", "Widget", &[]), "no kind \"Widget\" is registered for version \"example.com/v1\""),
            (encoded, "the message has a content encoding, which is not supported"),
            ([MAGIC.as_slice(), &[10, 200]].concat(), "the message ends within a number"),
        ] {
            assert_eq!(object(&bytes).unwrap_err().to_string(), format!("protobuf: {problem}"));
        }
    }
}
