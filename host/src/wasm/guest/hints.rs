//! `hints`: whether an event can help pods that a plugin rejected.

use berth_core::cluster_event::{ClusterEvent, Subject};
use berth_core::plugins::{Cycle, Declaration, Hint};

use super::answers::{self, shorten};
use super::call::Export;
use super::error::CallError;
use super::instance::Instance;
use crate::fields::{FieldPath, pruned};
use crate::wasm::bindings::exports::berth::scheduler::queueing_hint as wit;
use crate::wasm::convert;

impl Instance {
    /// `hints`, parallel to the pods, whose templates are held; where it is not exported, each is worth another try.
    pub(crate) fn hints(
        &mut self,
        event: &ClusterEvent,
        pods: &[Cycle<'_>],
        declaration: &Declaration,
    ) -> Result<Vec<Hint>, CallError> {
        let Some(first) = pods.first() else { return Ok(Vec::new()) };
        let templates: Vec<u32> = pods.iter().map(|pod| pod.template.0).collect();
        let (kind, old, new) = subject(&event.subject, declaration);
        let actions = convert::event_actions(event.actions);
        let event = wit::Event { kind: &kind, actions, old: old.as_deref(), new: new.as_deref() };
        let answer = self.ask(Export::Hints, first, &[], |store, interfaces, _| {
            interfaces.queueing_hint.as_ref().map(|guest| guest.call_hints(store, event, &templates))
        })?;
        let Some(hints) = answer else { return Ok(vec![Hint::Queue; pods.len()]) };
        answers::of_length(Export::Hints, "hints", hints.len(), pods.len(), "pods")?;
        let hint = |hint| match hint {
            wit::Hint::Skip => Hint::Skip,
            wit::Hint::Queue => Hint::Queue,
        };
        Ok(hints.into_iter().map(hint).collect())
    }
}

/// The kind's name, and the object before and after with the fields that the plugin reads.
fn subject(subject: &Subject, declaration: &Declaration) -> (String, Option<String>, Option<String>) {
    match subject {
        Subject::Node { before, after } => {
            let json = |node: &berth_core::model::Node| convert::node_json(node, declaration.node_facts).to_string();
            ("Node".to_owned(), before.as_deref().map(json), after.as_deref().map(json))
        }
        Subject::Pod { before, after } => {
            let facts = declaration.resident_pod_facts;
            let json = |pod: &berth_core::model::Pod| convert::pod_json(pod, facts).to_string();
            ("Pod".to_owned(), before.as_deref().map(json), after.as_deref().map(json))
        }
        Subject::Object { kind, before, after } => {
            let reads = declaration.objects.iter().find(|reads| reads.kind == *kind);
            let fields = reads.into_iter().flat_map(|reads| &reads.fields);
            let paths: Vec<FieldPath> = fields.filter_map(|path| FieldPath::parse(path).ok()).collect();
            let json = |object: &berth_core::model::Object| {
                // What is kept was written as JSON by the informer.
                let kept = serde_json::from_str(&object.fields).unwrap_or_default();
                pruned(&kept, &paths).to_string()
            };
            let name = format!("{}/{}", kind.api_version, kind.kind);
            (shorten(name), before.as_deref().map(json), after.as_deref().map(json))
        }
    }
}
