//! Checks a declaration of version 0.2: mistakes that would otherwise give wrong answers without a message.

use berth_apimachinery::fields::FieldPath;
use berth_core::cluster_event::EventActions;
use berth_core::model::ObjectReads;
use berth_core::plugins::ExtensionPoints;

use crate::bindings::types::Scope;
use crate::bindings::v0_2::berth::scheduler::facts::{ClusterFacts, NodeFacts};
use crate::bindings::v0_2::exports::berth::scheduler::plugin::{ClusterEvent, Declaration};
use crate::contract::names_of;
use crate::convert;

/// The largest number of keys or fields in one list.
const MOST: usize = 64;
/// The largest size of a key in bytes: a prefix of 253, `/`, and a name of 63.
const KEY: usize = 317;

/// A mistake in a declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// A cached answer can't depend on the time.
    #[error(
        "declares scope node and reads-time: the host caches answers of scope node, so they can't depend on the time. \
         Declare scope cluster, or do not read the time"
    )]
    TimeOfCachedAnswer,
    /// Scope domain without classes.
    #[error("declares scope domain, but does not export the interface classes. Export it, or declare scope cluster")]
    NoClasses,
    /// A plugin for the order of the queue alone reads nodes.
    #[error(
        "declares that it reads nodes, pods on nodes or facts of the cluster, but its extension points ({0}) may not \
         depend on them. Remove the facts from the declaration"
    )]
    NodesForQueue(String),
    /// An event of an unknown kind.
    #[error("wants events of kind {kind:?}, but reads no such kind. It reads Node, Pod{others}. Correct `retry-on`")]
    UnknownKind {
        /// The kind of the event.
        kind: String,
        /// The names of the declared kinds, each after a comma.
        others: String,
    },
    /// An event without actions.
    #[error("wants events of kind {0}, but names no action. Add one to `retry-on`")]
    NoAction(String),
    /// An event with actions that objects of its kind don't have.
    #[error("wants events of kind {kind} with {actions}, which objects of this kind don't have. Correct `retry-on`")]
    WrongAction {
        /// The kind of the event.
        kind: String,
        /// The names of the actions.
        actions: String,
    },
    /// An invalid key of a label or an annotation.
    #[error("reads the {of} key {key:?}, which is not a valid key: use 1 to {KEY} bytes")]
    Key {
        /// `label` or `annotation`.
        of: &'static str,
        /// The key.
        key: String,
    },
    /// An invalid path.
    #[error("reads an invalid field of {of}: {message}")]
    Path {
        /// `pods` or `nodes`.
        of: &'static str,
        /// What is wrong with the path.
        message: String,
    },
    /// Too many keys or fields.
    #[error("reads too many {0}; the maximum is {MOST}")]
    TooMany(&'static str),
}

/// Checks a declaration.
pub(super) fn check(points: ExtensionPoints, from: &Declaration, objects: &[ObjectReads]) -> Result<(), Mistake> {
    let scopes = [from.filter_scope, from.score_scope];
    if from.reads_time && scopes.contains(&Scope::Node) && caches(points, from) {
        return Err(Mistake::TimeOfCachedAnswer);
    }
    if scopes.contains(&Scope::Domain) && !points.contains(ExtensionPoints::CLASSES) {
        return Err(Mistake::NoClasses);
    }
    let queue = ExtensionPoints::QUEUE_SORT | ExtensionPoints::PRE_ENQUEUE | ExtensionPoints::SKIP;
    let reads_nodes = from.node.facts != NodeFacts::empty()
        || !(from.node.fields.is_empty() && from.node.label_keys.is_empty() && from.node.annotation_keys.is_empty())
        || from.resident_pods.is_some()
        || from.cluster_facts != ClusterFacts::empty();
    if reads_nodes && points.contains(ExtensionPoints::QUEUE_SORT) && queue.contains(points) {
        return Err(Mistake::NodesForQueue(names_of(points)));
    }
    let pods = [Some(&from.pod), from.resident_pods.as_ref(), from.pending_pods.as_ref()];
    for reads in pods.into_iter().flatten() {
        check_reads("pods", &reads.label_keys, &reads.annotation_keys, &reads.fields)?;
    }
    check_reads("nodes", &from.node.label_keys, &from.node.annotation_keys, &from.node.fields)?;
    from.retry_on.iter().try_for_each(|event| check_event(event, objects, from.pending_pods.is_some()))
}

/// Returns whether the host caches an answer of scope node. Without filter and score, the scope has no effect.
fn caches(points: ExtensionPoints, from: &Declaration) -> bool {
    let filters = ExtensionPoints::PRE_FILTER | ExtensionPoints::FILTER;
    let scores = ExtensionPoints::PRE_SCORE | ExtensionPoints::SCORE;
    (from.filter_scope == Scope::Node && points.intersects(filters))
        || (from.score_scope == Scope::Node && points.intersects(scores))
}

fn check_reads(of: &'static str, labels: &[String], annotations: &[String], fields: &[String]) -> Result<(), Mistake> {
    for (of, keys) in [("label", labels), ("annotation", annotations)] {
        if keys.len() > MOST {
            return Err(Mistake::TooMany(if of == "label" { "label keys" } else { "annotation keys" }));
        }
        if let Some(key) = keys.iter().find(|key| key.is_empty() || key.len() > KEY) {
            return Err(Mistake::Key { of, key: key.chars().take(KEY).collect() });
        }
    }
    if fields.len() > MOST {
        return Err(Mistake::TooMany("fields"));
    }
    match fields.iter().find_map(|path| FieldPath::parse(path).err()) {
        Some(bad) => Err(Mistake::Path { of, message: bad.to_string() }),
        None => Ok(()),
    }
}

/// Checks that objects of the event's kind are known to the plugin, and that its actions happen to them.
fn check_event(event: &ClusterEvent, objects: &[ObjectReads], reads_pending_pods: bool) -> Result<(), Mistake> {
    let kind = || event.kind.clone();
    let any = EventActions::ADD | EventActions::DELETE | EventActions::UPDATE;
    let possible = match &*event.kind {
        "Node" => {
            any | EventActions::UPDATE_LABELS
                | EventActions::UPDATE_TAINTS
                | EventActions::UPDATE_ALLOCATABLE
                | EventActions::UPDATE_CONDITION
        }
        "Pod" => {
            any | EventActions::UPDATE_LABELS
                | EventActions::UPDATE_SCALE_DOWN
                | EventActions::UPDATE_TOLERATIONS
                | EventActions::UPDATE_GATES_ELIMINATED
        }
        "PendingPod" if reads_pending_pods => any,
        name if objects.iter().any(|reads| reads.kind.is_named(name)) => any,
        _ => {
            let pending = reads_pending_pods.then(|| ", PendingPod".to_owned());
            let others = objects.iter().map(|reads| format!(", {}", reads.kind));
            let others = pending.into_iter().chain(others).collect();
            return Err(Mistake::UnknownKind { kind: kind(), others });
        }
    };
    let actions = convert::interest(event).actions;
    if actions.is_empty() {
        return Err(Mistake::NoAction(kind()));
    }
    let wrong = (actions - possible).iter_names().map(|(name, _)| name.to_lowercase().replace('_', "-"));
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(Mistake::WrongAction { kind: kind(), actions: wrong.join(", ") }) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use berth_core::model::ObjectKind;

    use super::*;
    use crate::bindings::types::{EventActions, Normalization};
    use crate::bindings::v0_2::berth::scheduler::facts::{NodeReads, PodFacts, PodReads};

    fn pods() -> PodReads {
        PodReads { facts: PodFacts::LABELS, label_keys: Vec::new(), annotation_keys: Vec::new(), fields: Vec::new() }
    }

    fn declaration() -> Declaration {
        Declaration {
            pod: pods(),
            node: NodeReads {
                facts: NodeFacts::LABELS,
                label_keys: Vec::new(),
                annotation_keys: Vec::new(),
                fields: Vec::new(),
            },
            resident_pods: None,
            pending_pods: None,
            cluster_facts: ClusterFacts::empty(),
            reads_time: false,
            filter_scope: Scope::Node,
            score_scope: Scope::Cluster,
            normalization: Normalization::None,
            retry_on: Vec::new(),
        }
    }

    /// Checks a changed declaration of a filter that reads StorageClasses.
    fn checked(points: ExtensionPoints, change: impl FnOnce(&mut Declaration)) -> Result<(), String> {
        let kind = ObjectKind { api_version: "storage.k8s.io/v1".into(), kind: "StorageClass".into() };
        let objects = [ObjectReads { kind: Arc::new(kind), fields: std::collections::BTreeSet::new() }];
        let mut declared = declaration();
        change(&mut declared);
        check(points, &declared, &objects).map_err(|mistake| mistake.to_string())
    }

    fn event(kind: &str, actions: EventActions) -> ClusterEvent {
        ClusterEvent { kind: kind.into(), actions }
    }

    #[test]
    fn a_consistent_declaration_is_accepted() {
        let events = [
            event("Node", EventActions::ADD | EventActions::UPDATE_TAINTS),
            event("Pod", EventActions::DELETE | EventActions::UPDATE_SCALE_DOWN),
            event("PendingPod", EventActions::ADD | EventActions::UPDATE),
            event("StorageClass", EventActions::ADD),
            event("storage.k8s.io/v1/StorageClass", EventActions::UPDATE),
        ];
        let change = |declared: &mut Declaration| {
            declared.retry_on = events.to_vec();
            declared.pod.label_keys = vec!["app".into()];
            declared.node.fields = vec!["spec.podCIDR".into()];
            declared.pending_pods = Some(pods());
        };
        assert_eq!(checked(ExtensionPoints::FILTER, change), Ok(()));
        let time = |declared: &mut Declaration| declared.reads_time = true;
        assert_eq!(checked(ExtensionPoints::SCORE, time), Ok(()), "no filter, so nothing of scope node is cached");
    }

    #[test]
    fn each_mistake_is_refused_by_name() {
        type Change = fn(&mut Declaration);
        let cases: [(ExtensionPoints, Change, &str); 13] = [
            (ExtensionPoints::FILTER, |d| d.reads_time = true, "scope node and reads-time"),
            (ExtensionPoints::SCORE, |d| d.score_scope = Scope::Domain, "does not export the interface classes"),
            (ExtensionPoints::QUEUE_SORT, |_| {}, "extension points (queue-sort) may not depend on them"),
            (
                ExtensionPoints::FILTER,
                |d| d.retry_on = vec![event("Nodes", EventActions::ADD)],
                "kind \"Nodes\", but reads no such kind. It reads Node, Pod, storage.k8s.io/v1 StorageClass",
            ),
            (
                ExtensionPoints::FILTER,
                |d| d.retry_on = vec![event("PendingPod", EventActions::ADD)],
                "kind \"PendingPod\", but reads no such kind. It reads Node, Pod, storage.k8s.io/v1 StorageClass",
            ),
            (
                ExtensionPoints::FILTER,
                |d| {
                    d.pending_pods = Some(pods());
                    d.retry_on = vec![event("PendingPod", EventActions::UPDATE_LABELS)];
                },
                "kind PendingPod with update-labels",
            ),
            (
                ExtensionPoints::FILTER,
                |d| d.retry_on = vec![event("storage.k8s.io/v2/StorageClass", EventActions::ADD)],
                "reads no such kind",
            ),
            (
                ExtensionPoints::FILTER,
                |d| d.retry_on = vec![event("Node", EventActions::empty())],
                "kind Node, but names no action",
            ),
            (
                ExtensionPoints::FILTER,
                |d| d.retry_on = vec![event("Node", EventActions::ADD | EventActions::UPDATE_SCALE_DOWN)],
                "kind Node with update-scale-down",
            ),
            (
                ExtensionPoints::FILTER,
                |d| d.retry_on = vec![event("StorageClass", EventActions::UPDATE_LABELS)],
                "kind StorageClass with update-labels",
            ),
            (ExtensionPoints::FILTER, |d| d.pod.label_keys = vec![String::new()], "the label key \"\""),
            (ExtensionPoints::FILTER, |d| d.node.fields = vec!["spec..x".into()], "an invalid field of nodes"),
            (
                ExtensionPoints::FILTER,
                |d| d.pod.annotation_keys = vec!["a".into(); MOST + 1],
                "too many annotation keys",
            ),
        ];
        for (points, change, expected) in cases {
            let error = checked(points, change).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
    }
}
