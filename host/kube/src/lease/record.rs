//! The `spec` of a Lease (`coordination.k8s.io/v1`).

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

/// The holder of a Lease and its times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// `holderIdentity`; empty if no candidate holds the Lease.
    pub holder: String,
    /// `leaseDurationSeconds`: how long other candidates wait after they last saw the record change.
    pub duration_seconds: i32,
    /// `acquireTime`.
    pub acquired: Option<Timestamp>,
    /// `renewTime`.
    pub renewed: Option<Timestamp>,
    /// `leaseTransitions`: the number of changes of the leader.
    pub transitions: i32,
}

impl Record {
    /// Reads the `spec` of a Lease. A field that is missing or unreadable gets its default.
    #[must_use]
    pub fn of_lease(lease: &Value) -> Self {
        let spec = &lease["spec"];
        let number = |field: &str| spec[field].as_i64().and_then(|n| i32::try_from(n).ok()).unwrap_or_default();
        let time = |field: &str| spec[field].as_str().and_then(|text| text.parse().ok());
        Self {
            holder: spec["holderIdentity"].as_str().unwrap_or_default().to_owned(),
            duration_seconds: number("leaseDurationSeconds"),
            acquired: time("acquireTime"),
            renewed: time("renewTime"),
            transitions: number("leaseTransitions"),
        }
    }

    /// Writes the record into a Lease and keeps all other fields.
    pub(super) fn write_to(&self, lease: &mut Value) {
        // Microseconds, as in `metav1.MicroTime`.
        let time = |time: Option<Timestamp>| time.map(|time| format!("{time:.6}"));
        let holder = Some(&self.holder).filter(|holder| !holder.is_empty());
        for (field, value) in [
            ("holderIdentity", json!(holder)),
            ("leaseDurationSeconds", json!(self.duration_seconds)),
            ("acquireTime", json!(time(self.acquired))),
            ("renewTime", json!(time(self.renewed))),
            ("leaseTransitions", json!(self.transitions)),
        ] {
            lease["spec"][field] = value;
        }
    }

    /// Returns how long other candidates wait after they last saw the record change.
    pub(super) fn duration(&self) -> Duration {
        Duration::from_secs(u64::try_from(self.duration_seconds).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_keeps_fields_of_other_writers() {
        let mut lease = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"strategy": "OldestEmulationVersion"}});
        let time = Some("2026-03-04T05:06:07.123456Z".parse().expect("a time"));
        let record = Record { holder: "h".into(), duration_seconds: 15, acquired: time, renewed: time, transitions: 3 };
        record.write_to(&mut lease);
        let expected = json!({
            "metadata": {"labels": {"a": "b"}},
            "spec": {
                "strategy": "OldestEmulationVersion", "holderIdentity": "h", "leaseDurationSeconds": 15,
                "acquireTime": "2026-03-04T05:06:07.123456Z", "renewTime": "2026-03-04T05:06:07.123456Z",
                "leaseTransitions": 3,
            },
        });
        assert_eq!(lease, expected);
        assert_eq!(Record::of_lease(&lease), record);
    }

    #[test]
    fn an_empty_or_invalid_lease_has_no_holder() {
        let mut released = json!({});
        Record::default().write_to(&mut released);
        assert_eq!(released["spec"]["holderIdentity"], Value::Null);
        let nonsense = json!({"spec": {"holderIdentity": 7, "leaseDurationSeconds": 1_i64 << 40, "renewTime": "noon"}});
        for lease in [released, nonsense, json!({}), json!({"spec": null})] {
            assert_eq!(Record::of_lease(&lease), Record::default(), "{lease}");
        }
    }
}
