//! Builds pods from pod templates, and computes the hashes of pod templates.

use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde_json::{Value, json};

/// The letters of hashes in names, as in Kubernetes: without vowels, so that hashes contain no words.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Returns a pod from a template, owned by `owner`, without a name.
pub fn pod(template: &PodTemplateSpec, owner: &OwnerReference) -> Value {
    let meta = template.metadata.clone().unwrap_or_default();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "labels": meta.labels.unwrap_or_default(),
            "annotations": meta.annotations.unwrap_or_default(),
            "finalizers": meta.finalizers.unwrap_or_default(),
            "ownerReferences": [owner],
        },
        "spec": template.spec,
    })
}

/// Returns a short hash of a template, valid in names and labels. `collisions` changes the hash of the same template,
/// as a Deployment's `status.collisionCount` requires.
pub fn hash(template: &PodTemplateSpec, collisions: i32) -> String {
    let text = json!(template).to_string();
    let mut hash = fnv(0x811c_9dc5, text.as_bytes());
    if collisions > 0 {
        hash = fnv(hash, &collisions.to_le_bytes());
    }
    let digits = hash.to_string();
    digits.bytes().map(|digit| LETTERS[usize::from(digit) % LETTERS.len()] as char).collect()
}

/// Computes the 32-bit FNV-1a hash, which is stable across builds and machines, unlike the standard library's hasher.
fn fnv(start: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
