//! A copy of the cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_apimachinery::objects::{EventReader, NamedFieldsReader, Notes, ReadError};
use berth_core::model::{Node, Object, ObjectKind, ObjectReads, Pod};
use berth_core::{Core, Event};
use serde_json::Value;

/// The objects of a cluster. Cloning copies references only.
#[derive(Clone, Debug, Default)]
pub struct ClusterCopy {
    /// The nodes.
    pub nodes: Vec<Arc<Node>>,
    /// The pods with a node, including assumed pods.
    pub pods: Vec<Arc<Pod>>,
    /// The pods without a node, of all schedulers. `nominated_node_name` is the current nomination.
    pub pending: Vec<Arc<Pod>>,
    /// The objects of other kinds, including assumed versions.
    pub objects: Vec<Arc<Object>>,
    /// The kinds of which the copy has all objects, each with the fields that the objects have.
    pub kinds: Vec<ObjectReads>,
    /// The kinds that the API server refuses to list, with the reasons.
    pub refused: Vec<(Arc<ObjectKind>, Arc<str>)>,
}

/// The reason why objects can't be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// An object is invalid.
    #[error("object {0} can't be read: {1}")]
    Invalid(String, ReadError),
}

impl ClusterCopy {
    /// Copies the cluster of a running core. Takes time for one reference of each object, so that the call fits between
    /// two steps of the core.
    #[must_use]
    pub fn of(core: &Core) -> Self {
        let cache = core.cache();
        let pending = core.queue().all().map(|entry| core.nominations().with_nomination(&entry.pod));
        let mut copy = Self {
            nodes: cache.nodes().map(|info| Arc::clone(&info.node)).collect(),
            pods: cache.pods().map(|(_, cached)| Arc::clone(&cached.pod)).collect(),
            pending: pending.chain(core.unclaimed_pods().cloned()).collect(),
            objects: cache.objects().iter().map(|(_, cached)| Arc::clone(&cached.object)).collect(),
            ..Self::default()
        };
        // The queue has no order.
        copy.pending.sort_unstable_by(|one, other| one.key.uid.cmp(&other.key.uid));
        for (id, kind, coverage) in cache.objects().kinds() {
            match coverage {
                berth_core::cache::Coverage::Complete => {
                    let fields = cache.objects().fields(id).cloned().unwrap_or_default();
                    copy.kinds.push(ObjectReads { kind: Arc::new(kind.clone()), fields });
                }
                berth_core::cache::Coverage::Refused(kind, why) => copy.refused.push((kind, why)),
                berth_core::cache::Coverage::Underway => {}
            }
        }
        copy
    }

    /// Reads objects as the API server sends them, for example the result of `kubectl get -o yaml`. Lists are read item
    /// by item. `wanted` has the kinds that plugins read beyond nodes and pods, see [`crate::wanted`]; the copy counts
    /// as complete for each of them. Objects of other kinds and pods that have finished are left out.
    ///
    /// Returns the copy and the invalid fields, which are left out, one line for each object.
    ///
    /// # Errors
    /// An object has no valid metadata.
    pub fn read<'v>(
        objects: impl IntoIterator<Item = &'v Value>,
        wanted: &[ObjectReads],
    ) -> Result<(Self, Vec<String>), CopyError> {
        let mut reader = Reader::new(wanted);
        for object in objects {
            reader.add(object)?;
        }
        reader.copy.kinds = reader.kinds.into_values().collect();
        Ok((reader.copy, reader.notes))
    }
}

struct Reader {
    events: EventReader,
    pod_fields: NamedFieldsReader,
    node_fields: NamedFieldsReader,
    kinds: BTreeMap<Arc<ObjectKind>, ObjectReads>,
    copy: ClusterCopy,
    notes: Vec<String>,
}

impl Reader {
    fn new(wanted: &[ObjectReads]) -> Self {
        let mut kinds: BTreeMap<Arc<ObjectKind>, ObjectReads> = BTreeMap::new();
        for reads in wanted {
            let known = kinds.entry(Arc::clone(&reads.kind)).or_insert_with(|| ObjectReads {
                kind: Arc::clone(&reads.kind),
                fields: std::collections::BTreeSet::new(),
            });
            known.fields.extend(reads.fields.iter().cloned());
        }
        let mut events = EventReader::default();
        kinds.values().for_each(|reads| events.watch(reads));
        let named = |kind: &ObjectKind| {
            kinds.get(kind).map_or_else(NamedFieldsReader::default, |reads| NamedFieldsReader::new(&reads.fields))
        };
        let (pod_fields, node_fields) = (named(&ObjectKind::pod()), named(&ObjectKind::node()));
        Self { events, pod_fields, node_fields, kinds, copy: ClusterCopy::default(), notes: Vec::new() }
    }

    fn add(&mut self, object: &Value) -> Result<(), CopyError> {
        let kind = object["kind"].as_str().unwrap_or_default();
        if let (Some(of), Some(items)) = (kind.strip_suffix("List"), object["items"].as_array()) {
            return items.iter().try_for_each(|item| match item["kind"].is_string() {
                true => self.add(item),
                // The items of a typed list have no type of their own.
                false => {
                    let mut item = item.clone();
                    item["kind"] = of.into();
                    item["apiVersion"] = object["apiVersion"].clone();
                    self.add(&item)
                }
            });
        }
        let mut notes = Notes::default();
        let name = || format!("{kind} {}", object["metadata"]["name"].as_str().unwrap_or("without a name"));
        let event = self.events.set(object, &mut notes).map_err(|error| CopyError::Invalid(name(), error))?;
        if !notes.is_empty() {
            self.notes.push(format!("{}: {notes}", name()));
        }
        match event {
            Some(Event::NodeSet(mut node)) => {
                Arc::make_mut(&mut node).fields = self.node_fields.read(&object.to_string());
                self.copy.nodes.push(node);
            }
            Some(Event::PodSet(pod)) if pod.finished => {}
            Some(Event::PodSet(mut pod)) => {
                Arc::make_mut(&mut pod).fields = self.pod_fields.read(&object.to_string());
                let list = if pod.node_name.is_empty() { &mut self.copy.pending } else { &mut self.copy.pods };
                list.push(pod);
            }
            Some(Event::ObjectSet(object)) => self.copy.objects.push(object),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_of_lists_are_read_by_their_kind() {
        let reads = ObjectReads {
            kind: Arc::new(ObjectKind { api_version: "v1".into(), kind: "Service".into() }),
            fields: ["spec.selector".into()].into(),
        };
        let named = ObjectReads { kind: Arc::new(ObjectKind::pod()), fields: ["spec.priorityClassName".into()].into() };
        let pod = |name: &str, node: &str, phase: &str| {
            json!({
                "metadata": {"namespace": "a", "name": name, "uid": name},
                "spec": {"nodeName": node, "priorityClassName": "high"},
                "status": {"phase": phase},
            })
        };
        let objects = [
            json!({"apiVersion": "v1", "kind": "List", "items": [
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n"}},
                {"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "a", "name": "s"},
                 "spec": {"selector": {"x": "y"}, "type": "ClusterIP"}},
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "a", "name": "t"}},
            ]}),
            json!({"apiVersion": "v1", "kind": "PodList", "items": [
                pod("running", "n", "Running"), pod("waiting", "", "Pending"), pod("done", "n", "Succeeded"),
            ]}),
        ];
        let (copy, notes) = ClusterCopy::read(&objects, &[reads.clone(), named]).expect("valid objects");
        assert!(notes.is_empty(), "{notes:?}");
        let names = |pods: &[Arc<Pod>]| pods.iter().map(|pod| pod.key.name.to_string()).collect::<Vec<_>>();
        assert_eq!(
            (copy.nodes.len(), names(&copy.pods), names(&copy.pending)),
            (1, vec!["running".into()], vec!["waiting".into()])
        );
        assert_eq!(copy.objects.len(), 1, "no plugin reads secrets");
        assert_eq!(*copy.objects[0].fields, *r#"{"spec":{"selector":{"x":"y"}}}"#);
        assert_eq!(
            copy.pending[0].fields.json(&["spec.priorityClassName"]),
            r#"{"spec":{"priorityClassName":"high"}}"#
        );
        assert_eq!(copy.kinds.len(), 2);
    }

    #[test]
    fn an_object_without_metadata_is_an_error_with_its_kind() {
        let error = ClusterCopy::read(&[json!({"kind": "Pod", "metadata": 3})], &[]).expect_err("no metadata");
        assert!(error.to_string().starts_with("object Pod without a name can't be read: "), "{error}");
    }
}
