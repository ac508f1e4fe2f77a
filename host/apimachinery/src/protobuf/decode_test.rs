//! Tests the decoder with messages and the JSON that they represent.

use serde_json::{Value, json};

fn int(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

/// Encodes a field with bytes. The field number can be above 15.
fn bytes(number: u8, value: impl AsRef<[u8]>) -> Vec<u8> {
    let key = u32::from(number) << 3 | 2;
    let mut out = if key < 128 { vec![key as u8] } else { vec![(key & 0x7f | 0x80) as u8, (key >> 7) as u8] };
    out.push(value.as_ref().len() as u8);
    out.extend(value.as_ref());
    out
}

fn read(name: &str, message: &[Vec<u8>]) -> Result<Value, String> {
    super::read(name, &message.concat()).map_err(|problem| problem.to_string())
}

#[test]
fn each_shape_is_converted_to_json() {
    let minus_one = [[0xff; 9].as_slice(), &[1]].concat();
    let entry = |key: &str, value: Vec<u8>| [bytes(1, key), bytes(2, value)].concat();
    let half = 0.5f64.to_le_bytes();
    for (name, message, expected) in [
        ("core.v1.Taint", vec![bytes(1, "k"), bytes(2, "")], json!({"key": "k"})),
        ("core.v1.Taint", vec![bytes(1, ""), bytes(4, "")], json!({"key": ""})),
        (
            "core.v1.Taint",
            vec![bytes(4, [int(1, 60), int(2, 9)].concat())],
            json!({"timeAdded": "1970-01-01T00:01:00Z"}),
        ),
        ("core.v1.PodSpec", vec![vec![0x58, 0], vec![0x58, 1]], json!({"hostNetwork": true})),
        ("core.v1.PodSpec", vec![vec![0x58, 1], vec![0x58, 0]], json!({})),
        (
            "core.v1.PodSpec",
            vec![vec![0xf0, 1, 0], [&[0xc8, 1][..], &minus_one].concat()],
            json!({"enableServiceLinks": false, "priority": -1}),
        ),
        (
            "core.v1.PodSpec",
            vec![bytes(7, entry("a", b"b".to_vec())), bytes(7, entry("c", Vec::new()))],
            json!({"nodeSelector": {"a": "b", "c": ""}}),
        ),
        ("core.v1.PodSpec", vec![bytes(32, entry("cpu", bytes(1, "2")))], json!({"overhead": {"cpu": "2"}})),
        (
            "core.v1.PodSecurityContext",
            vec![int(4, 1), int(4, 2), bytes(4, [3, 4])],
            json!({"supplementalGroups": [1, 2, 3, 4]}),
        ),
        ("core.v1.Volume", vec![bytes(1, "v"), bytes(2, bytes(2, ""))], json!({"name": "v", "emptyDir": {}})),
        ("core.v1.Secret", vec![bytes(2, entry("k", b"abc".to_vec()))], json!({"data": {"k": "YWJj"}})),
        (
            "core.v1.ServicePort",
            vec![bytes(4, [int(1, 0), int(2, 80), bytes(3, "")].concat())],
            json!({"targetPort": 80}),
        ),
        (
            "core.v1.ServicePort",
            vec![bytes(4, [int(1, 1), int(2, 0), bytes(3, "web")].concat())],
            json!({"targetPort": "web"}),
        ),
        (
            "coordination.v1.LeaseSpec",
            vec![bytes(3, [int(1, 1), vec![0x10, 0xe8, 7]].concat())],
            json!({"acquireTime": "1970-01-01T00:00:01.000001Z"}),
        ),
        ("core.v1.ResourceFieldSelector", vec![bytes(3, "")], json!({"divisor": "0"})),
        ("meta.v1.ObjectMeta", vec![bytes(8, ""), bytes(99, "later")], json!({})),
        ("apps.v1.ControllerRevision", vec![bytes(2, bytes(1, "{\"a\":1}"))], json!({"data": {"a": 1}})),
        (
            "authentication.v1.UserInfo",
            vec![bytes(4, entry("k", [bytes(1, "a"), bytes(1, "b")].concat()))],
            json!({"extra": {"k": ["a", "b"]}}),
        ),
        ("apiextensions.v1.JSONSchemaProps", vec![[&[0x49][..], &half].concat()], json!({"maximum": 0.5})),
        ("apiextensions.v1.JSONSchemaProps", vec![bytes(8, bytes(1, "0"))], json!({"default": 0})),
        // A message in two pieces.
        (
            "core.v1.Pod",
            vec![bytes(2, bytes(10, "n")), bytes(2, bytes(16, "h"))],
            json!({"spec": {"nodeName": "n", "hostname": "h"}}),
        ),
    ] {
        assert_eq!(read(name, &message), Ok(expected), "{name}");
    }
}

#[test]
fn a_union_is_converted_to_its_value() {
    let schema = bytes(5, "string");
    for (message, expected) in [
        (bytes(30, int(1, 1)), json!({"additionalProperties": true})),
        (bytes(30, int(1, 0)), json!({"additionalProperties": false})),
        (bytes(30, [int(1, 1), bytes(2, &schema)].concat()), json!({"additionalProperties": {"type": "string"}})),
        (bytes(24, bytes(1, &schema)), json!({"items": {"type": "string"}})),
        (bytes(24, [bytes(2, &schema), bytes(2, "")].concat()), json!({"items": [{"type": "string"}, {}]})),
        (bytes(24, ""), json!({})),
    ] {
        assert_eq!(read("apiextensions.v1.JSONSchemaProps", &[message]), Ok(expected));
    }
}

#[test]
fn bytes_of_another_type_are_refused_with_their_path() {
    for (name, message, problem) in [
        ("core.v1.Pod", bytes(2, bytes(2, int(1, 1))), "spec.containers.name: an integer, but"),
        ("core.v1.Pod", bytes(2, bytes(10, [0xff])), "spec.nodeName: the string is not UTF-8"),
        ("core.v1.Pod", bytes(2, bytes(25, "")), "spec.priority: bytes with a length, but"),
        ("core.v1.Pod", bytes(2, [10, 9]), "spec: a length of 9 bytes, but only 0 bytes follow"),
        (
            "core.v1.Pod",
            bytes(1, bytes(8, [[8].as_slice(), &[0xff; 8], &[1]].concat())),
            "metadata.creationTimestamp: ",
        ),
        ("apps.v1.ControllerRevision", bytes(2, bytes(1, "{")), "data: not JSON: "),
        (
            "apiextensions.v1.JSONSchemaProps",
            [&[0x49][..], &f64::NAN.to_le_bytes()].concat(),
            "maximum: NaN is not a JSON number",
        ),
        ("core.v1.Nonsense", Vec::new(), "the message core.v1.Nonsense is unknown"),
    ] {
        let found = read(name, &[message]).unwrap_err();
        assert!(found.starts_with(&format!("protobuf: {problem}")), "{found}");
    }
}

#[test]
fn nesting_is_limited() {
    let schema = |levels: usize| {
        (0..levels).fold(Vec::new(), |inner: Vec<u8>, _| {
            let mut outer = vec![0xe2, 1];
            let mut length = inner.len();
            while length >= 128 {
                outer.push((length & 0x7f | 0x80) as u8);
                length >>= 7;
            }
            outer.push(length as u8);
            outer.extend(inner);
            outer
        })
    };
    assert!(read("apiextensions.v1.JSONSchemaProps", &[schema(90)]).is_ok());
    let found = read("apiextensions.v1.JSONSchemaProps", &[schema(200)]).unwrap_err();
    assert!(found.ends_with("messages are nested too deeply"), "{found}");
}
