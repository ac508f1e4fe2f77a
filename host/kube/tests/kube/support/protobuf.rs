//! Encodes answers as Kubernetes protobuf, field by field.

use super::server::Reply;

/// Returns a list of these pods at this resourceVersion. `next` is the continue token.
pub fn list(version: u32, pods: &[Vec<u8>], next: &str) -> Reply {
    let metadata = [text(2, &version.to_string()), text(3, next)].concat();
    let items: Vec<u8> = pods.iter().flat_map(|pod| field(2, pod)).collect();
    Reply::protobuf(200, body("PodList", &[field(1, &metadata), items].concat()))
}

/// Returns a Status.
pub fn status(code: u16, reason: &str, message: &str) -> Reply {
    let code_field = [vec![6 << 3], varint(u64::from(code))].concat();
    Reply::protobuf(code, body("Status", &[text(3, message), text(4, reason), code_field].concat()))
}

/// Returns the protobuf message of the pod that `server::pod` returns as JSON, with priority 0.
pub fn pod(name: &str, version: u32) -> Vec<u8> {
    [metadata(name, version), field(2, &[field(2, &[text(1, "c"), text(2, "i")].concat()), vec![200, 1, 0]].concat())]
        .concat()
}

/// Returns a malformed pod, whose container has a number in place of its name.
pub fn broken_pod(name: &str, version: u32) -> Vec<u8> {
    [metadata(name, version), field(2, &field(2, &[8, 1]))].concat()
}

fn metadata(name: &str, version: u32) -> Vec<u8> {
    let uid = format!("uid-{name}");
    let fields = [text(1, name), text(3, "default"), text(5, &uid), text(6, &version.to_string()), vec![7 << 3, 1]];
    field(1, &fields.concat())
}

fn body(kind: &str, message: &[u8]) -> Vec<u8> {
    let types = [text(1, "v1"), text(2, kind)].concat();
    [b"k8s\0".to_vec(), field(1, &types), field(2, message), field(3, b""), field(4, b"")].concat()
}

fn text(number: u8, text: &str) -> Vec<u8> {
    field(number, text.as_bytes())
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [vec![number << 3 | 2], varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
