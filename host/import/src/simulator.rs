//! The files of kube-scheduler-simulator: the snapshot of `GET /api/v1/export`, and the record of `sched-recorder`.
//!
//! The snapshot is one JSON object with a list for each kind (`ResourcesForSnap` in `simulator/snapshot/snapshot.go`). A
//! record has a line for each change of a cluster (`Record` in `simulator/recorder/recorder.go`).

use berth_core::Timestamp;
use serde_json::{Map, Value};

use super::history::History;
use super::{ImportError, Report};

/// The lists of a snapshot, with the type of their objects.
const SECTIONS: &[(&str, &str, &str)] = &[
    ("namespaces", "v1", "Namespace"),
    ("nodes", "v1", "Node"),
    ("pods", "v1", "Pod"),
    ("priorityClasses", "scheduling.k8s.io/v1", "PriorityClass"),
    ("pvcs", "v1", "PersistentVolumeClaim"),
    ("pvs", "v1", "PersistentVolume"),
    ("storageClasses", "storage.k8s.io/v1", "StorageClass"),
];

/// Returns the API version and the kind of the objects in a list of a snapshot.
pub(crate) fn type_of_section(name: &str) -> Option<(String, String)> {
    let (_, version, kind) = SECTIONS.iter().find(|(section, ..)| *section == name)?;
    Some(((*version).to_owned(), (*kind).to_owned()))
}

/// Reports the fields of a snapshot that no import has.
pub(crate) fn report_fields(fields: &Map<String, Value>, report: &mut Report) {
    for (name, _) in fields.iter().filter(|(_, value)| !value.is_null()) {
        report.note(match name.as_str() {
            "schedulerConfig" => {
                "The snapshot's schedulerConfig is left out: write it to a file, and check the file with berth config check. \
                 berth run --config uses it."
                    .to_owned()
            }
            other => format!("The snapshot's field {other} is left out, because it is not known."),
        });
    }
}

/// Returns whether a document is a line of a record.
pub(crate) fn is_record(fields: &Map<String, Value>) -> bool {
    ["event", "resource", "time"].iter().all(|name| fields.contains_key(*name))
}

/// Applies a line of a record.
///
/// # Errors
/// The event or the time is not known.
pub(crate) fn apply(record: &Map<String, Value>, number: usize, history: &mut History) -> Result<(), ImportError> {
    let wrong = |why: String| ImportError::Record { number, why };
    let time: Timestamp = serde_json::from_value(record["time"].clone())
        .map_err(|error| wrong(format!("the time {} is no RFC 3339 time: {error}", record["time"])))?;
    let object = &record["resource"];
    if !object["kind"].is_string() || !object["apiVersion"].is_string() {
        return Err(wrong("the resource has no kind and no apiVersion".to_owned()));
    }
    if !history.reaches(time) {
        return Ok(());
    }
    match record["event"].as_str() {
        Some("Add" | "Update") => history.apply(object),
        Some("Delete") => history.delete(object),
        _ => return Err(wrong(format!("the event {} is not known; expected Add, Update or Delete", record["event"]))),
    }
    Ok(())
}
