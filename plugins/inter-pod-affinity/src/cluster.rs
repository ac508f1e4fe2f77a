//! The plugin's index of the cluster: topology domains of nodes, pods grouped by namespace, labels and terms, and
//! labels of namespaces.

use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use berth_guest::groups::Groups;
use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::room::Room;
use berth_guest::topology::{Key, Topologies};
use berth_guest::{LabelMap, node, pod};
use serde::Deserialize;

use crate::args::Args;
use crate::tally::Tally;
use crate::terms::Terms;

/// The properties that all pods of a group have in common. A term matches either all pods of a group or none.
#[derive(Clone, Debug, PartialEq)]
pub struct PodKey {
    /// `metadata.namespace`.
    pub namespace: pod::Namespace,
    /// `metadata.labels`.
    pub labels: pod::Labels,
    /// `None` if the pods have no terms.
    affinity: Option<Rc<pod::PodAffinity>>,
}

impl Eq for PodKey {}

impl Hash for PodKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Terms are not hashed, because pods with the same namespace and labels usually have the same terms.
        self.namespace.hash(state);
        self.labels.hash(state);
    }
}

/// The limit in bytes for the sums of all pod signatures. At 5,000 nodes, the sums of a pod signature with terms over
/// the hostname take 40 kilobytes.
const CACHE_BYTES: usize = 96 << 20;

/// The plugin's index of the cluster.
#[derive(Debug)]
pub struct Cluster {
    /// The domains of topology keys. A key is added when a relevant term with this key is evaluated for the first time.
    topologies: RefCell<Topologies>,
    /// The pods on nodes.
    pub groups: Groups<PodKey, Terms>,
    /// Labels of namespaces by name.
    namespaces: BTreeMap<String, LabelMap>,
    namespaces_version: u64,
    /// An LRU cache for the sums, bounded in bytes.
    pub room: Room<Tally>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Namespace {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    labels: Option<BTreeMap<String, String>>,
}

impl Index<Args> for Cluster {
    type Nodes = node::Labels;
    type Pods = (pod::Namespace, pod::Labels, pod::PodAffinity);
    type PendingPods = ();

    fn new(_args: &Args) -> Cluster {
        Cluster {
            topologies: RefCell::default(),
            groups: Groups::default(),
            namespaces: BTreeMap::new(),
            namespaces_version: 0,
            room: Room::new(CACHE_BYTES),
        }
    }

    fn node_set(&mut self, node: node::Id, labels: &node::Labels) {
        self.topologies.get_mut().set(node, labels);
        self.room.has_nodes(node.at() + 1);
    }

    fn node_removed(&mut self, node: node::Id) {
        self.topologies.get_mut().remove(node);
    }

    fn pod_set(&mut self, pod: pod::Id, node: node::Id, facts: (&pod::Namespace, &pod::Labels, &pod::PodAffinity)) {
        let (namespace, labels, affinity) = facts;
        let affinity = (*affinity != pod::PodAffinity::default()).then(|| Rc::new(affinity.clone()));
        let key = PodKey { namespace: namespace.clone(), labels: labels.clone(), affinity };
        self.groups.set(pod, node, key, |key| key.affinity.as_deref().map(Terms::new).unwrap_or_default());
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        self.groups.remove(pod);
    }

    fn kinds(_args: &Args) -> Vec<Kind> {
        vec![Kind::new("v1", "Namespace", ["metadata.labels"])]
    }

    fn object_set(&mut self, namespace: &Object<'_>) {
        let labels = namespace.read::<Namespace>().unwrap_or_else(|error| {
            let name = namespace.name;
            berth_guest::warn!("labels can't be read; assuming none kind=Namespace object={name} error={error}");
            Namespace::default()
        });
        let labels = labels.metadata.labels.unwrap_or_default();
        let labels: LabelMap = labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let changed = self.namespaces.get(namespace.name) != Some(&labels);
        self.namespaces.insert(namespace.name.to_owned(), labels);
        self.namespaces_version += u64::from(changed);
    }

    fn object_removed(&mut self, namespace: &Object<'_>) {
        self.namespaces.remove(namespace.name);
        self.namespaces_version += 1;
    }
}

impl Cluster {
    /// Returns the domains of the topology keys that were added with `key`.
    pub fn topologies(&self) -> Ref<'_, Topologies> {
        self.topologies.borrow()
    }

    /// Adds a topology key, if necessary, and returns its id.
    pub fn key(&self, key: &str) -> Key {
        self.topologies.borrow_mut().key(key)
    }

    /// Returns a namespace's labels, or `None` for an unknown namespace.
    pub fn namespace(&self, name: &str) -> Option<&LabelMap> {
        self.namespaces.get(name)
    }

    /// Returns a number that grows when a namespace is added or deleted, or its labels change.
    pub fn namespaces_version(&self) -> u64 {
        self.namespaces_version
    }
}
