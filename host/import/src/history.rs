//! The objects of a recording at a time: applies the recorded changes one after the other.

use std::collections::BTreeMap;

use berth_core::Timestamp;
use serde_json::Value;

use super::time::At;
use super::{ImportError, Keep, Report};

/// The identity of an object: API group, kind, namespace and name.
type Key = [String; 4];

/// The objects of a recording up to a time.
pub(crate) struct History {
    at: Option<At>,
    /// The first and the last time of the recording.
    span: Option<(Timestamp, Timestamp)>,
    /// The objects, as JSON text, which takes a tenth of the memory of a tree.
    objects: BTreeMap<Key, String>,
}

impl History {
    pub fn new(at: Option<At>) -> Self {
        Self { at, span: None, objects: BTreeMap::new() }
    }

    /// Notes the time of a change. Returns whether the change is part of the state.
    pub fn reaches(&mut self, time: Timestamp) -> bool {
        let (start, end) = self.span.unwrap_or((time, time));
        self.span = Some((start, end.max(time)));
        self.at.is_none_or(|at| time <= at.in_recording(start))
    }

    /// Adds or replaces an object.
    pub fn apply(&mut self, object: &Value) {
        self.objects.insert(key(object), object.to_string());
    }

    pub fn delete(&mut self, object: &Value) {
        self.objects.remove(&key(object));
    }

    /// Returns the time of the state; `None` for a recording without changes.
    ///
    /// # Errors
    /// The time is outside the recording.
    pub fn time(&self) -> Result<Option<Timestamp>, ImportError> {
        let Some((start, end)) = self.span else { return Ok(None) };
        let at = self.at.map_or(end, |at| at.in_recording(start));
        if at < start || at > end {
            return Err(ImportError::Outside { at, start, end });
        }
        Ok(Some(at))
    }

    /// Passes the objects on.
    ///
    /// # Errors
    /// The errors of `keep`.
    pub fn finish(
        self,
        report: &mut Report,
        keep: &mut Keep<'_>,
        mut change: impl FnMut(&mut Value, &mut Report) -> bool,
    ) -> Result<(), ImportError> {
        for text in self.objects.into_values() {
            // The text is a written tree, so it parses.
            let mut object: Value = serde_json::from_str(&text).unwrap_or_default();
            if change(&mut object, report) {
                keep(object, report)?;
            }
        }
        Ok(())
    }
}

fn key(object: &Value) -> Key {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let version = text(&object["apiVersion"]);
    let group = version.split_once('/').map_or("", |(group, _)| group).to_owned();
    let metadata = &object["metadata"];
    [group, text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"])]
}
