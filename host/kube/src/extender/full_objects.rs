//! Stores the JSON of pods and nodes for extenders that receive full objects. The store stays empty if no extender
//! needs full objects.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use berth_config::v1;

/// The objects that the configured extenders need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// Pods without a node, if an extender filters, scores or takes part in preemption.
    pending: bool,
    /// Nodes, if an extender that filters or scores is not `nodeCacheCapable`.
    nodes: bool,
    /// Pods with a node, if an extender that takes part in preemption is not `nodeCacheCapable`.
    residents: bool,
}

/// Objects by key: nodes by name, pods by uid.
type Objects = Mutex<HashMap<Box<str>, Arc<RawValue>>>;

/// Pods and nodes from the informers, in the JSON form that extenders receive.
#[derive(Debug, Default)]
pub struct FullObjects {
    wanted: Wanted,
    nodes: Objects,
    pods: Objects,
}

impl FullObjects {
    pub(super) fn wanted_by(extenders: &[v1::Extender]) -> Self {
        let asked_in_cycles = |extender: &&v1::Extender| {
            !(extender.filter_verb.is_empty()
                && extender.prioritize_verb.is_empty()
                && extender.preempt_verb.is_empty())
        };
        let mut wanted = Wanted::default();
        for extender in extenders.iter().filter(asked_in_cycles) {
            let about_nodes = !(extender.filter_verb.is_empty() && extender.prioritize_verb.is_empty());
            wanted.pending = true;
            wanted.nodes |= about_nodes && !extender.node_cache_capable;
            wanted.residents |= !extender.preempt_verb.is_empty() && !extender.node_cache_capable;
        }
        Self { wanted, ..Self::default() }
    }

    /// Returns whether the configured extenders need any full objects.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.wanted != Wanted::default()
    }

    /// Stores the JSON of a new or changed node, if an extender needs full nodes.
    pub fn node_set(&self, name: &str, json: &str) {
        if self.wanted.nodes {
            put(&self.nodes, name, json, &[]);
        }
    }

    /// Removes a deleted node.
    pub fn node_removed(&self, name: &str) {
        lock(&self.nodes).remove(name);
    }

    /// Stores the JSON of a new or changed pod, or removes the pod if no extender needs it in this state. `assigned`:
    /// the pod has a node.
    pub fn pod_set(&self, uid: &str, assigned: bool, json: &str) {
        let wanted = if assigned { self.wanted.residents } else { self.wanted.pending };
        match wanted {
            // kube-scheduler drops managedFields, too.
            true => put(&self.pods, uid, json, &["managedFields"]),
            false => self.pod_removed(uid),
        }
    }

    /// Removes a deleted pod.
    pub fn pod_removed(&self, uid: &str) {
        lock(&self.pods).remove(uid);
    }

    /// Returns a node's JSON.
    pub(super) fn node(&self, name: &str) -> Option<Arc<RawValue>> {
        lock(&self.nodes).get(name).cloned()
    }

    /// Returns a pod's JSON.
    pub(super) fn pod(&self, uid: &str) -> Option<Arc<RawValue>> {
        lock(&self.pods).get(uid).cloned()
    }
}

fn lock(objects: &Objects) -> MutexGuard<'_, HashMap<Box<str>, Arc<RawValue>>> {
    objects.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put(objects: &Objects, key: &str, json: &str, without: &[&str]) {
    if let Some(object) = as_sent(json, without) {
        lock(objects).insert(key.into(), object);
    }
}

/// Converts an object to the form that Go writes for an object from an informer: without kind and apiVersion. Also
/// drops the fields `without` of its metadata.
fn as_sent(json: &str, without: &[&str]) -> Option<Arc<RawValue>> {
    let mut object: Map<String, Value> = serde_json::from_str(json).ok()?;
    object.remove("kind");
    object.remove("apiVersion");
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        without.iter().for_each(|field| drop(metadata.remove(*field)));
    }
    to_raw_value(&object).ok().map(Arc::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extender(verbs: [&str; 3], node_cache_capable: bool) -> v1::Extender {
        let [filter_verb, preempt_verb, bind_verb] = verbs.map(str::to_owned);
        v1::Extender { filter_verb, preempt_verb, bind_verb, node_cache_capable, ..v1::Extender::default() }
    }

    #[test]
    fn only_objects_that_extenders_receive_are_kept() {
        for (extenders, expected) in [
            (vec![], ""),
            (vec![extender(["", "", "bind"], false)], ""),
            (vec![extender(["filter", "", ""], true)], "pending"),
            (vec![extender(["filter", "", ""], false)], "pending node"),
            (vec![extender(["", "preempt", ""], true)], "pending"),
            (vec![extender(["", "preempt", ""], false)], "pending resident"),
            (vec![extender(["filter", "", ""], false), extender(["", "preempt", ""], false)], "pending node resident"),
        ] {
            let objects = FullObjects::wanted_by(&extenders);
            objects.node_set("n", "{}");
            objects.pod_set("p", false, "{}");
            objects.pod_set("r", true, "{}");
            let kept = [("pending", objects.pod("p")), ("node", objects.node("n")), ("resident", objects.pod("r"))];
            let kept: Vec<&str> = kept.iter().filter(|(_, object)| object.is_some()).map(|(what, _)| *what).collect();
            assert_eq!(kept.join(" "), expected, "{extenders:?}");
            assert_eq!(objects.is_wanted(), !expected.is_empty());
        }
    }

    #[test]
    fn objects_are_kept_as_go_writes_them_until_they_are_deleted() {
        let objects = FullObjects::wanted_by(&[extender(["filter", "", ""], false)]);
        let json = |name: &str| {
            format!(r#"{{"kind":"K","apiVersion":"v1","metadata":{{"name":"{name}","managedFields":[]}}}}"#)
        };
        objects.node_set("n", &json("n"));
        objects.pod_set("u", false, &json("p"));
        let text = |object: Option<Arc<RawValue>>| object.map(|object| object.get().to_owned());
        assert_eq!(text(objects.node("n")).as_deref(), Some(r#"{"metadata":{"managedFields":[],"name":"n"}}"#));
        assert_eq!(text(objects.pod("u")).as_deref(), Some(r#"{"metadata":{"name":"p"}}"#));
        objects.pod_set("u", true, &json("p"));
        objects.node_removed("n");
        assert_eq!((text(objects.pod("u")), text(objects.node("n"))), (None, None), "it has a node; the node is gone");
    }
}
