//! Calls `hints`: whether an event can help pods that a plugin rejected.

use berth_core::cluster_event::Subject;
use berth_core::model::{Object, ObjectKind};
use berth_core::plugins::{Cycle, Declaration, Hint, HintEvent};
use bumpalo::Bump;

use super::answers;
use super::error::CallError;
use super::instance::Instance;
use super::shorten::shorten;
use crate::bindings::v0_2::exports::berth::scheduler::queueing_hint as wit;
use crate::contract::{Export, exported};
use crate::convert;
use berth_apimachinery::fields::{FieldPath, pruned_text};

impl Instance {
    /// Calls `hints`. Returns one hint per pod. Without the export, each pod is queued again. An event about an object
    /// that the plugin may not read helps no pod. The instance must hold
    /// the pods, and the old and the new state of the event's pod.
    pub(crate) fn hints(
        &mut self,
        hint_event: &HintEvent<'_>,
        pods: &[Cycle<'_>],
        declaration: &Declaration,
    ) -> Result<Vec<Hint>, CallError> {
        let Some(first) = pods.first() else { return Ok(Vec::new()) };
        if !self.authority().sees_event(&hint_event.event.subject) {
            return Ok(vec![Hint::Skip; pods.len()]);
        }
        let signatures: Vec<u32> = pods.iter().map(|pod| pod.signature.0).collect();
        let arena = Bump::new();
        let kind = kind(&hint_event.event.subject);
        let event = wit::Event {
            kind: &kind,
            actions: convert::event_actions(hint_event.event.actions),
            subject: subject(&arena, hint_event, declaration),
        };
        let answer = self.ask(
            Export::Hints,
            first,
            (event, &*signatures),
            exported!(queueing_hint.call_hints(event, signatures)),
        )?;
        let Some(hints) = answer else { return Ok(vec![Hint::Queue; pods.len()]) };
        answers::check_length(Export::Hints, "hints", hints.len(), pods.len(), "pods")?;
        let hint = |hint| match hint {
            wit::Hint::Skip => Hint::Skip,
            wit::Hint::Queue => Hint::Queue,
        };
        Ok(hints.into_iter().map(hint).collect())
    }
}

fn kind(subject: &Subject) -> String {
    match subject {
        Subject::Node { .. } => "Node".to_owned(),
        Subject::Pod { .. } => "Pod".to_owned(),
        Subject::PendingPod { .. } => "PendingPod".to_owned(),
        Subject::Object { kind, .. } => shorten(format!("{}/{}", kind.api_version, kind.kind)),
    }
}

/// Returns the event's object before and after, with the facts that the plugin reads.
fn subject<'a>(arena: &'a Bump, hint_event: &'a HintEvent<'_>, declaration: &'a Declaration) -> wit::Subject<'a> {
    match &hint_event.event.subject {
        Subject::Node { before, after } => {
            let node = |node| convert::node_then(arena, node, &declaration.node);
            wit::Subject::Node(wit::NodeChange {
                before: before.as_deref().map(node),
                after: after.as_deref().map(node),
            })
        }
        Subject::Pod { .. } | Subject::PendingPod { .. } => {
            let [before, after] = hint_event.pods.map(|template| template.map(|template| template.0));
            wit::Subject::Pod(wit::PodChange { before, after })
        }
        Subject::Object { kind, before, after } => {
            let key = after.as_ref().or(before.as_ref()).map(|object| &object.key);
            let fields = |object: &Object| &*arena.alloc_str(&fields(object, kind, declaration));
            wit::Subject::Object(wit::ObjectChange {
                namespace: key.map_or("", |key| &key.namespace),
                name: key.map_or("", |key| &key.name),
                before: before.as_deref().map(fields),
                after: after.as_deref().map(fields),
            })
        }
    }
}

/// Returns the fields of an object that the plugin reads, as JSON.
fn fields(object: &Object, kind: &ObjectKind, declaration: &Declaration) -> String {
    let reads = declaration.objects.iter().find(|reads| *reads.kind == *kind);
    let fields = reads.into_iter().flat_map(|reads| &reads.fields);
    let paths: Vec<FieldPath> = fields.filter_map(|path| FieldPath::parse(path).ok()).collect();
    // The informer wrote the stored fields as JSON.
    pruned_text(&object.fields, &paths).unwrap_or_default().to_string()
}
