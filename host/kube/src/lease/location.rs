//! Where the leader's HTTPS server is, as annotations of the Lease, so that `berth explain` finds the leader.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The pod of the leader, as `NAMESPACE/NAME`.
const POD: &str = "berth.dev/scheduler-pod";
/// The port of the leader's HTTPS server.
const PORT: &str = "berth.dev/scheduler-port";
/// The SHA-256 of the server's certificate, as `sha256:` and hexadecimal digits.
const CERTIFICATE: &str = "berth.dev/scheduler-certificate";

const ALL: [&str; 3] = [POD, PORT, CERTIFICATE];

/// The HTTPS server of the leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLocation {
    /// Namespace of the pod.
    pub namespace: String,
    /// Name of the pod.
    pub pod: String,
    /// The port.
    pub port: u16,
    /// The SHA-256 of the certificate in DER, in lower-case hexadecimal digits.
    pub certificate: String,
}

/// Returns the present location, or `None` if nothing is served or the process runs in no pod.
pub type Locate = Arc<dyn Fn() -> Option<ServerLocation> + Send + Sync>;

/// Returns the fingerprint of a certificate in DER, as [`ServerLocation::certificate`] has it.
#[must_use]
pub fn fingerprint(certificate: &[u8]) -> String {
    Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl ServerLocation {
    /// Reads the annotations of a Lease. Returns `None` if one of them is missing or invalid.
    #[must_use]
    pub fn of_lease(lease: &Value) -> Option<Self> {
        let annotation = |key: &str| lease["metadata"]["annotations"][key].as_str();
        let (namespace, pod) = annotation(POD)?.split_once('/')?;
        let certificate = annotation(CERTIFICATE)?.strip_prefix("sha256:")?;
        let is_digest = certificate.len() == 64 && certificate.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(Self {
            namespace: namespace.to_owned(),
            pod: pod.to_owned(),
            port: annotation(PORT)?.parse().ok()?,
            certificate: is_digest.then(|| certificate.to_ascii_lowercase())?,
        })
    }

    fn annotations(&self) -> [(&'static str, String); 3] {
        [
            (POD, format!("{}/{}", self.namespace, self.pod)),
            (PORT, self.port.to_string()),
            (CERTIFICATE, format!("sha256:{}", self.certificate)),
        ]
    }
}

/// Writes the annotations of this location into a Lease and keeps all other annotations. Without a location, removes
/// those of an earlier leader.
pub(super) fn annotate(lease: &mut Value, location: Option<&ServerLocation>) {
    let Some(metadata) = lease["metadata"].as_object_mut() else { return };
    let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
    if annotations.is_null() {
        *annotations = json!({});
    }
    let Some(annotations) = annotations.as_object_mut() else { return };
    ALL.iter().for_each(|key| drop(annotations.remove(*key)));
    let own = location.into_iter().flat_map(ServerLocation::annotations);
    annotations.extend(own.map(|(key, value)| (key.to_owned(), Value::String(value))).collect::<Map<_, _>>());
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_location_is_written_read_and_removed() {
        let location = ServerLocation {
            namespace: "berth-system".into(),
            pod: "berth-1".into(),
            port: 10259,
            certificate: "ab".repeat(32),
        };
        let plain = json!({"metadata": {"name": "berth"}});
        let mut lease = plain.clone();
        annotate(&mut lease, Some(&location));
        assert_eq!(ServerLocation::of_lease(&lease), Some(location.clone()));
        annotate(&mut lease, None);
        assert_eq!(lease, plain);
        let mut other = json!({"metadata": {"annotations": {"a": "b", PORT: "1"}}});
        annotate(&mut other, None);
        assert_eq!(other, json!({"metadata": {"annotations": {"a": "b"}}}));
        annotate(&mut other, Some(&location));
        assert_eq!(other["metadata"]["annotations"]["a"], "b");
        for (key, wrong) in [(POD, "no-namespace"), (PORT, "70000"), (CERTIFICATE, "sha256:ab"), (CERTIFICATE, "ab")] {
            let mut broken = other.clone();
            broken["metadata"]["annotations"][key] = wrong.into();
            assert_eq!(ServerLocation::of_lease(&broken), None, "{key}: {wrong}");
        }
    }
}
