//! What plugins read, and what a capture has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_core::cache::{Coverage, Objects};
use berth_core::model::{ObjectKind, ObjectReads};
use berth_core::plugins::Declaration;

use crate::error::ReplayError;

/// What the capture knows about a kind of objects.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// The capture has all objects with these fields.
    Listed(ObjectReads),
    /// The API server refused to list the kind, for this reason.
    Refused(Arc<str>),
}

/// Returns whether each wanted field is one of these fields, or a part of one.
pub(crate) fn is_covered(wanted: &BTreeSet<Box<str>>, has: &BTreeSet<Box<str>>) -> bool {
    wanted.iter().all(|field| has.iter().any(|known| is_within(field, known)))
}

/// Returns whether the field is the other field or a part of it.
fn is_within(field: &str, other: &str) -> bool {
    field.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns what these objects of a core say about each kind. A kind of which the list is not complete is left out.
pub(crate) fn known_kinds(objects: &Objects) -> BTreeMap<Arc<ObjectKind>, Known> {
    let known = objects.kinds().filter_map(|(id, kind, coverage)| {
        let kind = Arc::new(kind.clone());
        let fields = objects.fields(id).cloned().unwrap_or_default();
        match coverage {
            Coverage::Complete => Some((Arc::clone(&kind), Known::Listed(ObjectReads { kind, fields }))),
            Coverage::Refused(kind, why) => Some((kind, Known::Refused(why))),
            Coverage::Underway => None,
        }
    });
    known.collect()
}

/// Checks that the capture has everything that these plugins read.
///
/// # Errors
/// The capture lacks something. The error names the first plugin, and what the plugin reads.
pub(crate) fn check<'d>(
    plugins: impl IntoIterator<Item = &'d Declaration>,
    kinds: &BTreeMap<Arc<ObjectKind>, Known>,
) -> Result<(), ReplayError> {
    for plugin in plugins {
        for ObjectReads { kind, fields } in plugin.wanted() {
            let lacks = |what: String, is_kind: bool| {
                Err(ReplayError::NotInCapture { plugin: plugin.name.to_string(), what, is_kind })
            };
            match kinds.get(&kind) {
                // The plugin is told that the API server refuses the list, as when the capture was made.
                Some(Known::Refused(_)) => {}
                Some(Known::Listed(has)) => {
                    let missing = fields.iter().find(|field| !has.fields.iter().any(|known| is_within(field, known)));
                    if let Some(field) = missing {
                        return lacks(format!("the field {field} of {kind}"), false);
                    }
                }
                None if kind.is_pod_or_node() => {
                    let fields: Vec<&str> = fields.iter().map(|field| &**field).collect();
                    return lacks(format!("the fields {} of {kind}", fields.join(", ")), false);
                }
                None => return lacks(format!("objects of {kind}"), true),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_covers_its_parts() {
        let fields = |names: &[&str]| -> BTreeSet<Box<str>> { names.iter().map(|name| (*name).into()).collect() };
        let has = fields(&["spec", "metadata.labels"]);
        assert!(is_covered(&fields(&["spec.nodeName", "spec", "metadata.labels.app", "spec[0]"]), &has));
        assert!(is_covered(&fields(&[]), &fields(&[])));
        for wanted in ["specification", "metadata", "status.phase", "metadata.labelsOf"] {
            assert!(!is_covered(&fields(&[wanted]), &has), "{wanted}");
        }
    }
}
