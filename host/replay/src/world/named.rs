//! The fields of pods and nodes that plugins name.

use std::sync::Arc;

use berth_apimachinery::objects::NamedFieldsReader;
use berth_core::Event;
use berth_core::model::{NamedFields, ObjectKind, ObjectReads};

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
