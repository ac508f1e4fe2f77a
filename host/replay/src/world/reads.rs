//! What plugins read, and what a capture has.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_apimachinery::objects::NamedFieldsReader;
use berth_core::Event;
use berth_core::model::{NamedFields, ObjectKind, ObjectReads};
use berth_core::profile::Profile;

use crate::error::ReplayError;
use crate::history::{History, Known};

/// Returns whether each wanted field is one of these fields, or a part of one.
pub(super) fn is_covered(wanted: &BTreeSet<Box<str>>, has: &BTreeSet<Box<str>>) -> bool {
    wanted.iter().all(|field| has.iter().any(|known| is_within(field, known)))
}

/// Returns whether the field is the other field or a part of it.
fn is_within(field: &str, other: &str) -> bool {
    field.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The fields of pods and nodes that plugins name. A capture can have more fields.
#[derive(Default)]
pub(super) struct NamedFieldsOfPlugins {
    pods: Option<NamedFieldsReader>,
    nodes: Option<NamedFieldsReader>,
}

impl NamedFieldsOfPlugins {
    /// Sets the fields that plugins name.
    pub fn set(&mut self, reads: &ObjectReads) {
        let reader = Some(NamedFieldsReader::new(&reads.fields));
        if *reads.kind == ObjectKind::pod() {
            self.pods = reader;
        } else {
            self.nodes = reader;
        }
    }

    /// Returns the event, with the fields that plugins name.
    pub fn narrow(&self, event: Event) -> Event {
        match event {
            Event::PodSet(mut pod) if !pod.fields.all().is_empty() => {
                let fields = narrowed(&pod.fields, self.pods.as_ref());
                Arc::make_mut(&mut pod).fields = fields;
                Event::PodSet(pod)
            }
            Event::NodeSet(mut node) if !node.fields.all().is_empty() => {
                let fields = narrowed(&node.fields, self.nodes.as_ref());
                Arc::make_mut(&mut node).fields = fields;
                Event::NodeSet(node)
            }
            event => event,
        }
    }
}

fn narrowed(fields: &NamedFields, reader: Option<&NamedFieldsReader>) -> NamedFields {
    let Some(reader) = reader else { return NamedFields::default() };
    let paths: Vec<&str> = fields.all().iter().map(|field| &*field.path).collect();
    reader.read(&fields.json(&paths))
}

/// Checks that the capture has everything that the plugins of these profiles read.
///
/// # Errors
/// The capture lacks something. The error names the first plugin, and what the plugin reads.
pub(super) fn check(profiles: &[Profile], history: &History) -> Result<(), ReplayError> {
    for plugin in profiles.iter().flat_map(Profile::plugins) {
        for ObjectReads { kind, fields } in plugin.declaration.wanted() {
            let lacks = |what: String, is_kind: bool| {
                let plugin = plugin.declaration.name.to_string();
                Err(ReplayError::NotInCapture { plugin, what, is_kind })
            };
            match history.kinds.get(&kind) {
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
