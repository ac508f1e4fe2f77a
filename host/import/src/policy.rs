//! The objects that an import and an export never have.

use serde_json::Value;

/// Returns why neither an import nor an export has this object. Returns `None` for an object that they have.
#[must_use]
pub fn excluded(object: &Value) -> Option<&'static str> {
    let (version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
    match (version.split_once('/').map_or("", |(group, _)| group), kind) {
        ("", "Secret") => Some("Secrets are never copied, because a simulated cluster needs no credentials"),
        ("coordination.k8s.io", "Lease") => Some("Leases belong to the components of the other cluster"),
        ("" | "events.k8s.io", "Event") => Some("Events tell about the past of the other cluster"),
        _ => None,
    }
}
