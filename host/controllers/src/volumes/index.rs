//! An index of the volumes of each claim, the free volumes of each class, and the unbound claims.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::PersistentVolume;

use super::super::kinds::Object;
use super::super::metadata::{self, Key};
use super::{BIND_COMPLETED, claim_key};

/// An index of volumes and claims, so that a plan for a claim does not read all volumes.
#[derive(Debug, Default)]
pub struct VolumeIndex {
    of_claim: BTreeMap<Key, BTreeSet<Key>>,
    free: BTreeMap<String, BTreeSet<Key>>,
    unbound: BTreeSet<Key>,
}

impl VolumeIndex {
    /// Returns the volumes whose `claimRef` names this claim.
    pub fn of_claim(&self, claim: &Key) -> impl Iterator<Item = &Key> {
        self.of_claim.get(claim).into_iter().flatten()
    }

    /// Returns the volumes of this class that have no `claimRef`. The class is empty for volumes without a class.
    pub fn free(&self, class: &str) -> impl Iterator<Item = &Key> {
        self.free.get(class).into_iter().flatten()
    }

    /// Returns the unbound claims.
    pub fn unbound(&self) -> impl Iterator<Item = &Key> {
        self.unbound.iter()
    }

    /// Adds an object. Kinds other than volumes and claims are ignored.
    pub fn insert(&mut self, key: &Key, object: &Object) {
        match object {
            Object::PersistentVolume(volume) => {
                match place(volume) {
                    Place::Claimed(claim) => self.of_claim.entry(claim).or_default().insert(key.clone()),
                    Place::Free(class) => self.free.entry(class.to_owned()).or_default().insert(key.clone()),
                };
            }
            Object::PersistentVolumeClaim(claim) if metadata::annotation(&claim.metadata, BIND_COMPLETED).is_none() => {
                self.unbound.insert(key.clone());
            }
            _ => {}
        }
    }

    /// Removes an object. `object` must be in the same state as when it was added.
    pub fn remove(&mut self, key: &Key, object: &Object) {
        match object {
            Object::PersistentVolume(volume) => match place(volume) {
                Place::Claimed(claim) => forget(&mut self.of_claim, &claim, key),
                Place::Free(class) => forget(&mut self.free, class, key),
            },
            Object::PersistentVolumeClaim(_) => drop(self.unbound.remove(key)),
            _ => {}
        }
    }
}

enum Place<'a> {
    Claimed(Key),
    Free(&'a str),
}

fn place(volume: &PersistentVolume) -> Place<'_> {
    let spec = volume.spec.as_ref();
    match spec.and_then(|spec| spec.claim_ref.as_ref()) {
        Some(reference) => Place::Claimed(claim_key(reference)),
        None => Place::Free(spec.and_then(|spec| spec.storage_class_name.as_deref()).unwrap_or_default()),
    }
}

fn forget<K: Ord + Borrow<Q>, Q: Ord + ?Sized>(index: &mut BTreeMap<K, BTreeSet<Key>>, of: &Q, key: &Key) {
    if let Some(entry) = index.get_mut(of) {
        entry.remove(key);
        if entry.is_empty() {
            index.remove(of);
        }
    }
}
