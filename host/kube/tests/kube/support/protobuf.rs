//! Encodes answers as Kubernetes protobuf, field by field.

use berth_apimachinery::protobuf::write::{bytes, int};

use super::server::Reply;

/// Returns a list of these pods at this resourceVersion. `next` is the continue token.
pub fn list(version: u32, pods: &[Vec<u8>], next: &str) -> Reply {
    let metadata = [text(2, &version.to_string()), text(3, next)].concat();
    let items: Vec<u8> = pods.iter().flat_map(|pod| bytes(2, pod)).collect();
    Reply::protobuf(200, body("PodList", &[bytes(1, &metadata), items].concat()))
}

/// Returns a Status.
pub fn status(code: u16, reason: &str, message: &str) -> Reply {
    Reply::protobuf(code, body("Status", &[text(3, message), text(4, reason), int(6, code.into())].concat()))
}

/// Returns the protobuf message of the pod that `server::pod` returns as JSON, with priority 0.
pub fn pod(name: &str, version: u32) -> Vec<u8> {
    [metadata(name, version), bytes(2, &[bytes(2, &[text(1, "c"), text(2, "i")].concat()), int(25, 0)].concat())]
        .concat()
}

/// Returns a malformed pod, whose container has a number in place of its name.
pub fn broken_pod(name: &str, version: u32) -> Vec<u8> {
    [metadata(name, version), bytes(2, &bytes(2, &int(1, 1)))].concat()
}

fn metadata(name: &str, version: u32) -> Vec<u8> {
    let uid = format!("uid-{name}");
    let fields = [text(1, name), text(3, "default"), text(5, &uid), text(6, &version.to_string()), int(7, 1)];
    bytes(1, &fields.concat())
}

fn body(kind: &str, message: &[u8]) -> Vec<u8> {
    let types = [text(1, "v1"), text(2, kind)].concat();
    [b"k8s\0".to_vec(), bytes(1, &types), bytes(2, message), bytes(3, b""), bytes(4, b"")].concat()
}

fn text(number: u32, text: &str) -> Vec<u8> {
    bytes(number, text.as_bytes())
}
