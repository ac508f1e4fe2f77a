//! The JSON form of an event in requests to the API server.

use std::borrow::Cow;

use berth_core::action::PodEvent;
use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// The API server's `NoteLengthLimit`, in bytes.
const NOTE_LIMIT: usize = 1024;
const ELLIPSIS: &str = " ...";
/// The API server's `ReportingInstanceLengthLimit`, in bytes.
const INSTANCE_LIMIT: usize = 128;
/// The longest name of an object, in bytes.
const NAME_LIMIT: usize = 253;

/// An event with all fields that are sent to the API server.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// `metadata.name`.
    pub(super) name: Box<str>,
    pub(super) event: PodEvent,
    /// The pod's resourceVersion when the event was observed.
    pub(super) resource_version: Box<str>,
    /// The time of the first observation.
    pub(super) time: Timestamp,
    /// The series, if the event was observed more than once.
    pub(super) series: Option<Series>,
}

/// The event's field `series`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Series {
    pub(super) count: i32,
    #[serde(serialize_with = "micro_time")]
    pub(super) last_observed_time: Timestamp,
}

/// The source of `reportingController` and `reportingInstance`.
#[derive(Debug)]
pub(super) struct Reporter {
    host: String,
}

impl Reporter {
    pub(super) fn new(host: &str) -> Self {
        Self { host: host.to_owned() }
    }

    fn instance(&self, scheduler_name: &str) -> String {
        let mut instance = format!("{scheduler_name}-{}", self.host);
        instance.truncate(instance.floor_char_boundary(INSTANCE_LIMIT));
        instance
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventJson<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata<'a>,
    #[serde(serialize_with = "micro_time")]
    event_time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Series>,
    reporting_controller: &'a str,
    reporting_instance: &'a str,
    action: &'a str,
    reason: &'a str,
    regarding: Regarding<'a>,
    note: Cow<'a, str>,
    r#type: &'a str,
}

#[derive(Serialize)]
struct Metadata<'a> {
    name: &'a str,
    namespace: &'a str,
}

/// A `v1.ObjectReference` to a pod.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Regarding<'a> {
    kind: &'static str,
    namespace: &'a str,
    name: &'a str,
    uid: &'a str,
    api_version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    resource_version: &'a str,
}

impl Record {
    pub(super) fn new(event: PodEvent, resource_version: Box<str>, time: Timestamp) -> Self {
        Self { name: name(&event.pod.name, time), event, resource_version, time, series: None }
    }

    /// Returns the JSON body that creates the event.
    pub(super) fn to_json(&self, reporter: &Reporter) -> serde_json::Result<Vec<u8>> {
        let Self { event, .. } = self;
        serde_json::to_vec(&EventJson {
            api_version: "events.k8s.io/v1",
            kind: "Event",
            metadata: Metadata { name: &self.name, namespace: &event.pod.namespace },
            event_time: self.time,
            series: self.series,
            reporting_controller: &event.scheduler_name,
            reporting_instance: &reporter.instance(&event.scheduler_name),
            action: event.action,
            reason: event.reason,
            regarding: Regarding {
                kind: "Pod",
                namespace: &event.pod.namespace,
                name: &event.pod.name,
                uid: &event.pod.uid,
                api_version: "v1",
                resource_version: &self.resource_version,
            },
            note: truncate(&event.note),
            r#type: event.kind,
        })
    }

    /// Returns the strategic merge patch that updates the count.
    pub(super) fn to_series_patch(&self) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Patch {
            series: Option<Series>,
        }
        serde_json::to_vec(&Patch { series: self.series })
    }
}

/// Returns the event's name: the pod's name and the time in hexadecimal nanoseconds, as client-go does.
fn name(pod: &str, time: Timestamp) -> Box<str> {
    let suffix = format!(".{:x}", time.as_nanosecond());
    let length = NAME_LIMIT - suffix.len();
    let pod = pod[..pod.floor_char_boundary(length)].trim_end_matches(['.', '-']);
    format!("{pod}{suffix}").into()
}

fn truncate(note: &str) -> Cow<'_, str> {
    if note.len() <= NOTE_LIMIT {
        return note.into();
    }
    let length = note.floor_char_boundary(NOTE_LIMIT - ELLIPSIS.len());
    format!("{}{ELLIPSIS}", &note[..length]).into()
}

/// Serializes a `metav1.MicroTime`.
fn micro_time<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.6}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use berth_core::model::PodKey;
    use serde_json::{Value, json};

    use super::*;

    fn record(pod: &str, note: &str) -> Record {
        let event = PodEvent {
            pod: PodKey { namespace: "ns".into(), name: pod.into(), uid: "u-1".into() },
            scheduler_name: "berth".into(),
            kind: "Warning",
            reason: "FailedScheduling",
            action: "Scheduling",
            note: Arc::from(note),
        };
        Record::new(event, "42".into(), "2026-01-02T03:04:05.006007Z".parse().expect("a time"))
    }

    fn written(record: &Record) -> Value {
        let bytes = record.to_json(&Reporter::new("host-1")).expect("JSON");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    #[test]
    fn an_event_is_sent_with_all_its_fields() {
        let mut record = record("web-0", "0/3 nodes are available");
        let expected = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event",
            "metadata": {"name": "web-0.1886caf21cf1dad8", "namespace": "ns"},
            "eventTime": "2026-01-02T03:04:05.006007Z",
            "reportingController": "berth", "reportingInstance": "berth-host-1",
            "action": "Scheduling", "reason": "FailedScheduling", "type": "Warning",
            "note": "0/3 nodes are available",
            "regarding": {"kind": "Pod", "namespace": "ns", "name": "web-0", "uid": "u-1", "apiVersion": "v1",
                          "resourceVersion": "42"},
        });
        assert_eq!(written(&record), expected);
        record.series = Some(Series { count: 2, last_observed_time: record.time });
        let patch: Value = serde_json::from_slice(&record.to_series_patch().expect("JSON")).expect("JSON");
        assert_eq!(patch, json!({"series": {"count": 2, "lastObservedTime": "2026-01-02T03:04:05.006007Z"}}));
    }

    #[test]
    fn long_notes_are_truncated_between_characters() {
        for (note, length, end) in [
            ("x".repeat(1024), 1024, "xxx"),
            ("x".repeat(1025), 1024, "xx ..."),
            // Each character has two bytes; the limit falls inside the last one.
            (format!("x{}", "é".repeat(600)), 1023, "éé ..."),
        ] {
            let json = written(&record("p", &note));
            let note = json["note"].as_str().expect("a note");
            assert_eq!(note.len(), length);
            assert!(note.ends_with(end), "{note}");
        }
    }

    #[test]
    fn names_stay_valid() {
        let long = format!("{}-{}", "a".repeat(235), "b".repeat(17));
        let name = record(&long, "").name;
        assert!(name.len() <= 253 && !name.contains("-."), "{name}");
    }
}
