//! The cluster state: a store for each kind, and indexes by owner, node and volume claim.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::kinds::{Kind, Object, Typed};
use super::metadata::{self, Key};
use super::objects::{Objects, Put};
use super::pod::Pod;
use super::specs::Specs;
use super::volumes::VolumeIndex;

/// The maximum number of UIDs of deleted objects to remember. The limit assumes that late watch events and responses
/// mention at most this many deleted objects.
const REMEMBERED: usize = 100_000;

/// A change of an object. The new state is in the [`Cluster`], unless the object is deleted.
#[derive(Debug)]
pub struct Change {
    /// The object's kind.
    pub kind: Kind,
    /// The object's key.
    pub key: Key,
    /// The state before the change; `None` if the object was unknown.
    pub before: Option<Object>,
}

/// The controllers' view of the cluster. This type has no lock and does no I/O.
#[derive(Debug, Default)]
pub struct Cluster {
    stores: BTreeMap<Kind, Objects>,
    uids: HashMap<Arc<str>, (Kind, Key)>,
    dependents: HashMap<String, BTreeSet<(Kind, Key)>>,
    /// Pods and ReplicaSets without a controller. A controller whose selector matches can adopt such an object.
    orphans: BTreeMap<Kind, BTreeSet<Key>>,
    pods_of_node: HashMap<String, BTreeSet<Key>>,
    pods_of_claim: HashMap<Key, BTreeSet<Key>>,
    volumes: VolumeIndex,
    specs: Specs,
    gone: Gone,
}

#[derive(Debug, Default)]
struct Gone {
    order: VecDeque<Arc<str>>,
    uids: HashSet<Arc<str>>,
}

impl Gone {
    fn insert(&mut self, uid: &str) {
        let uid: Arc<str> = uid.into();
        if self.uids.insert(uid.clone()) {
            self.order.push_back(uid);
        }
        while self.order.len() > REMEMBERED {
            if let Some(oldest) = self.order.pop_front() {
                self.uids.remove(&oldest);
            }
        }
    }
}

impl Cluster {
    /// Returns the object of this type with this key.
    pub fn get<K: Typed>(&self, key: &Key) -> Option<&K> {
        self.object(K::KIND, key).and_then(K::of)
    }

    /// Returns the object of this kind with this key.
    pub fn object(&self, kind: Kind, key: &Key) -> Option<&Object> {
        self.stores.get(&kind)?.get(std::borrow::Borrow::<str>::borrow(key))
    }

    /// Returns all objects of this type, ordered by key.
    pub fn all<K: Typed + 'static>(&self) -> impl Iterator<Item = (&Key, &K)> {
        let objects = self.stores.get(&K::KIND).into_iter().flat_map(Objects::iter);
        objects.filter_map(|(key, object)| Some((key, K::of(object)?)))
    }

    /// Returns the objects of this type in a namespace, ordered by name.
    pub fn within<'a, K: Typed + 'static>(&'a self, namespace: &'a str) -> impl Iterator<Item = (&'a Key, &'a K)> {
        let objects = self.stores.get(&K::KIND).into_iter().flat_map(move |store| store.within(namespace));
        objects.filter_map(|(key, object)| Some((key, K::of(object)?)))
    }

    /// Returns the keys of the objects of this kind in a namespace.
    pub fn keys_within<'a>(&'a self, kind: Kind, namespace: &'a str) -> impl Iterator<Item = &'a Key> {
        self.stores.get(&kind).into_iter().flat_map(move |store| store.within(namespace)).map(|(key, _)| key)
    }

    /// Returns the keys of all objects of this kind.
    pub fn keys(&self, kind: Kind) -> impl Iterator<Item = &Key> {
        self.stores.get(&kind).into_iter().flat_map(Objects::iter).map(|(key, _)| key)
    }

    /// Returns the object with this UID.
    pub fn by_uid(&self, uid: &str) -> Option<&Object> {
        let (kind, key) = self.uids.get(uid)?;
        self.object(*kind, key)
    }

    /// Returns true if the object with this UID is known to be deleted. False means that the
    /// object exists, or that the cluster state has no information about the object.
    pub fn is_gone(&self, uid: &str) -> bool {
        self.gone.uids.contains(uid)
    }

    /// Returns the objects with an owner reference to this UID.
    pub fn dependents(&self, uid: &str) -> impl Iterator<Item = (Kind, &Key, &Object)> {
        let dependents = self.dependents.get(uid).into_iter().flatten();
        dependents.filter_map(|(kind, key)| Some((*kind, key, self.object(*kind, key)?)))
    }

    /// Returns the objects of this type whose controller has this UID.
    pub fn controlled<'a, K: Typed + 'a>(&'a self, uid: &str) -> impl Iterator<Item = &'a K> {
        self.dependents(uid).filter_map(move |(_, _, object)| {
            let object_of_kind = K::of(object)?;
            metadata::controlled_by(object.meta(), uid).then_some(object_of_kind)
        })
    }

    /// Returns the objects of this type in a namespace that have no controller.
    pub fn orphans<'a, K: Typed + 'a>(&'a self, namespace: &str) -> impl Iterator<Item = &'a K> {
        let keys = self.orphans.get(&K::KIND).into_iter().flat_map(move |keys| keys.range(Key::new(namespace, "")..));
        keys.take_while(move |key| key.namespace() == namespace).filter_map(|key| self.get(key))
    }

    /// Returns the pods that are bound to this node.
    pub fn pods_of_node(&self, node: &str) -> impl Iterator<Item = (&Key, &Pod)> {
        let keys = self.pods_of_node.get(node).into_iter().flatten();
        keys.filter_map(|key| Some((key, self.get(key)?)))
    }

    /// Returns the pods that use this PersistentVolumeClaim.
    pub fn pods_of_claim(&self, claim: &Key) -> impl Iterator<Item = (&Key, &Pod)> {
        let keys = self.pods_of_claim.get(claim).into_iter().flatten();
        keys.filter_map(|key| Some((key, self.get(key)?)))
    }

    /// Returns the index of volumes and volume claims.
    pub fn volumes(&self) -> &VolumeIndex {
        &self.volumes
    }

    /// Returns true if every one of these kinds has been listed.
    pub fn listed(&self, kinds: impl IntoIterator<Item = Kind>) -> bool {
        kinds.into_iter().all(|kind| self.stores.get(&kind).is_some_and(Objects::listed))
    }

    /// Removes all objects of a kind that the API server does not serve, and marks the kind as listed. Returns the
    /// changes.
    pub fn set_unserved(&mut self, kind: Kind) -> Vec<Change> {
        let store = self.stores.entry(kind).or_default();
        store.set_listed();
        let keys: Vec<Key> = store.iter().map(|(key, _)| key.clone()).collect();
        keys.iter().filter_map(|key| self.drop_key(kind, key)).collect()
    }

    /// Starts a list of this kind.
    pub fn begin(&mut self, kind: Kind) {
        self.stores.entry(kind).or_default().begin();
    }

    /// Completes a list: removes the objects without a call of [`Cluster::put`] since [`Cluster::begin`]. Returns the
    /// changes.
    pub fn finish(&mut self, kind: Kind) -> Vec<Change> {
        let missing = self.stores.entry(kind).or_default().finish();
        missing.iter().filter_map(|key| self.drop_key(kind, key)).collect()
    }

    /// Stores an object's state and returns the changes. Ignores an object that is known to be deleted, and an outdated
    /// state. If the key belonged to an object with another UID, returns two changes: a deletion and a creation.
    pub fn put(&mut self, mut object: Object) -> Vec<Change> {
        let (kind, key) = (object.kind(), Key::of(object.meta()));
        let new_uid = metadata::uid(object.meta()).to_owned();
        if self.gone.uids.contains(new_uid.as_str()) {
            return Vec::new();
        }
        if let Object::Pod(pod) = &mut object {
            self.specs.share(&mut pod.spec);
        }
        let before = match self.stores.entry(kind).or_default().put(&key, object) {
            Put::Known => return Vec::new(),
            Put::New => None,
            Put::Changed(before) => Some(before),
        };
        if let Some(before) = &before {
            self.unindex(kind, &key, before);
        }
        self.index(kind, &key);
        match before {
            Some(before) if metadata::uid(before.meta()) != new_uid => {
                self.gone.insert(metadata::uid(before.meta()));
                let change = |before| Change { kind, key: key.clone(), before };
                vec![change(Some(before)), change(None)]
            }
            before => vec![Change { kind, key, before }],
        }
    }

    /// Removes the object with this key and UID, if the cluster state has the object. Remembers the UID as deleted in
    /// any case.
    pub fn remove(&mut self, kind: Kind, key: &Key, uid: &str) -> Option<Change> {
        self.gone.insert(uid);
        let before = self.stores.get_mut(&kind)?.take(key, uid)?;
        self.unindex(kind, key, &before);
        Some(Change { kind, key: key.clone(), before: Some(before) })
    }

    fn drop_key(&mut self, kind: Kind, key: &Key) -> Option<Change> {
        let uid = metadata::uid(self.object(kind, key)?.meta()).to_owned();
        self.remove(kind, key, &uid)
    }

    fn index(&mut self, kind: Kind, key: &Key) {
        let Some(object) = self.stores.get(&kind).and_then(|store| store.get(std::borrow::Borrow::<str>::borrow(key)))
        else {
            return;
        };
        let meta = object.meta();
        self.uids.insert(metadata::uid(meta).into(), (kind, key.clone()));
        for owner in metadata::owners(meta) {
            self.dependents.entry(owner.uid.clone()).or_default().insert((kind, key.clone()));
        }
        if adoptable(kind) && metadata::controller(meta).is_none() {
            self.orphans.entry(kind).or_default().insert(key.clone());
        }
        self.volumes.insert(key, object);
        if let Object::Pod(pod) = object {
            if let Some(node) = pod.node() {
                self.pods_of_node.entry(node.to_owned()).or_default().insert(key.clone());
            }
            for claim in pod.claims() {
                self.pods_of_claim.entry(Key::new(key.namespace(), &claim)).or_default().insert(key.clone());
            }
        }
    }

    fn unindex(&mut self, kind: Kind, key: &Key, before: &Object) {
        let meta = before.meta();
        self.uids.remove(metadata::uid(meta));
        for OwnerReference { uid, .. } in metadata::owners(meta) {
            forget(&mut self.dependents, uid, &(kind, key.clone()));
        }
        if let Some(orphans) = self.orphans.get_mut(&kind) {
            orphans.remove(key);
        }
        self.volumes.remove(key, before);
        if let Object::Pod(pod) = before {
            if let Some(node) = pod.node() {
                forget(&mut self.pods_of_node, node, key);
            }
            for claim in pod.claims() {
                forget(&mut self.pods_of_claim, &Key::new(key.namespace(), &claim), key);
            }
        }
    }
}

/// Returns true for the kinds that controllers adopt by selector.
fn adoptable(kind: Kind) -> bool {
    matches!(kind, Kind::Pod | Kind::ReplicaSet)
}

fn forget<K, Q, V>(index: &mut HashMap<K, BTreeSet<V>>, of: &Q, value: &V)
where
    K: std::borrow::Borrow<Q> + std::hash::Hash + Eq,
    Q: std::hash::Hash + Eq + ?Sized,
    V: Ord,
{
    if let Some(entry) = index.get_mut(of) {
        entry.remove(value);
        if entry.is_empty() {
            index.remove(of);
        }
    }
}
