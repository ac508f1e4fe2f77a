//! Converts events between their two API versions: core/v1, the stored form, and events.k8s.io/v1.

use serde_json::Value;

/// The fields with different names: in core/v1, then in events.k8s.io/v1.
const RENAMED: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

/// Converts an event to events.k8s.io/v1.
pub fn to_new(mut event: Value) -> Value {
    for (core, new) in RENAMED {
        rename(&mut event, core, new);
    }
    event
}

/// Converts an event to core/v1.
pub fn to_core(mut event: Value) -> Value {
    for (core, new) in RENAMED {
        rename(&mut event, new, core);
    }
    event
}

fn rename(event: &mut Value, from: &str, to: &str) {
    if let Some(members) = event.as_object_mut()
        && let Some(value) = members.remove(from)
    {
        members.insert(to.into(), value);
    }
}

/// Returns the core/v1 name of a field in an events.k8s.io/v1 field selector, or `None` if the selector cannot name
/// the field.
pub fn stored_label(label: &str) -> Option<&'static str> {
    Some(match label {
        "metadata.name" => "metadata.name",
        "metadata.namespace" => "metadata.namespace",
        "reason" => "reason",
        "type" => "type",
        "reportingController" => "reportingComponent",
        "regarding.kind" => "involvedObject.kind",
        "regarding.namespace" => "involvedObject.namespace",
        "regarding.name" => "involvedObject.name",
        "regarding.uid" => "involvedObject.uid",
        "regarding.apiVersion" => "involvedObject.apiVersion",
        "regarding.resourceVersion" => "involvedObject.resourceVersion",
        "regarding.fieldPath" => "involvedObject.fieldPath",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_round_trip_between_the_versions() {
        let core = json!({"involvedObject": {"name": "a"}, "message": "m", "reportingComponent": "c", "count": 2, "reason": "R",
            "source": {"component": "c"}, "firstTimestamp": "t", "lastTimestamp": "u"});
        let new = to_new(core.clone());
        assert_eq!(
            (&new["regarding"]["name"], &new["note"], &new["deprecatedCount"]),
            (&json!("a"), &json!("m"), &json!(2))
        );
        assert!(new.get("message").is_none());
        assert_eq!(to_core(new), core);
    }
}
