//! The annotation of client-side `kubectl apply`. kubectl's server-side apply takes over the fields of the annotation
//! without a conflict, and keeps the annotation up to date.

use serde_json::Value;

use super::compare::compare;
use super::fields::fields_of;
use super::set::FieldSet;
use super::typing::TypeRef;
use crate::value::{remove, text};

/// The annotation with the configuration that client-side `kubectl apply` applied last.
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The manager that the rules of this module concern.
pub const KUBECTL: &str = "kubectl";

/// Returns the fields of the annotation's configuration that still have its values in `live`.
pub fn unchanged_fields(kind: TypeRef<'_>, api_version: &str, live: &Value) -> Option<FieldSet> {
    let annotation = annotation(live)?;
    let last: Value = serde_json::from_str(annotation).ok()?;
    if text(&last, "apiVersion") != api_version {
        return None;
    }
    let compared = compare(kind, &last, live);
    let differing = compared.changed().union(&compared.removed);
    Some(fields_of(kind, &last).difference(&differing))
}

/// Replaces the annotation of `object`, if it has one, with `config`.
pub fn update(object: &mut Value, config: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let mut config = config.clone();
    if let Some(annotations) = config["metadata"].get_mut("annotations") {
        remove(annotations, ANNOTATION);
    }
    object["metadata"]["annotations"][ANNOTATION] = format!("{config}\n").into();
}

fn annotation(object: &Value) -> Option<&str> {
    Some(text(object["metadata"].get("annotations")?, ANNOTATION)).filter(|annotation| !annotation.is_empty())
}
