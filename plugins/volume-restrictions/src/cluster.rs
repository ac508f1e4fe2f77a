//! The plugin's index of the cluster: disks and claims of pods on nodes, and access modes of claims.

use std::collections::BTreeMap;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::plugin::NoArgs;
use berth_guest::types::VolumeSource;
use berth_guest::{node, pod};
use berth_guest_volumes::{Known, PersistentVolumeClaim, Residents};

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    /// Claims by namespace and name.
    pub claims: Known<PersistentVolumeClaim>,
    /// The pods on nodes that have exclusive disks or claims.
    residents: Residents<Resident>,
    /// The number of volumes of pods on nodes that use a claim, by namespace and name.
    users: BTreeMap<String, BTreeMap<String, u32>>,
}

struct Resident {
    namespace: String,
    disks: Vec<VolumeSource>,
    claims: Vec<String>,
}

impl Index for Cluster {
    type Nodes = ();
    type Pods = (pod::Namespace, pod::Volumes);
    type PendingPods = ();

    fn new(_: &NoArgs) -> Cluster {
        Cluster::default()
    }

    fn pod_set(&mut self, pod: pod::Id, node: node::Id, facts: (&pod::Namespace, &pod::Volumes)) {
        let (namespace, volumes) = facts;
        let (disks, claims) = (crate::disks(volumes), crate::claims(volumes));
        for claim in &claims {
            let users = self.users.entry(namespace.to_string()).or_default();
            *users.entry(claim.clone()).or_default() += 1;
        }
        let is_relevant = !disks.is_empty() || !claims.is_empty();
        let resident = is_relevant.then(|| Resident { namespace: namespace.to_string(), disks, claims });
        let before = self.residents.set(pod, node, resident);
        self.release_claims(before);
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        let before = self.residents.remove(pod);
        self.release_claims(before);
    }

    fn kinds(_: &NoArgs) -> Vec<Kind> {
        vec![Kind::new("v1", "PersistentVolumeClaim", ["spec.accessModes"])]
    }

    fn object_set(&mut self, claim: &Object<'_>) {
        self.claims.set(claim);
    }

    fn object_removed(&mut self, claim: &Object<'_>) {
        self.claims.remove(claim);
    }
}

impl Cluster {
    /// Returns true if a pod on a node uses this claim.
    pub fn is_used(&self, namespace: &str, claim: &str) -> bool {
        self.users.get(namespace).is_some_and(|users| users.contains_key(claim))
    }

    /// Returns the exclusive disks of a node's pods.
    pub fn disks_on(&self, node: node::Id) -> impl Iterator<Item = &VolumeSource> {
        self.residents.on(node).flat_map(|resident| &resident.disks)
    }

    fn release_claims(&mut self, resident: Option<Resident>) {
        let Some(Resident { namespace, claims, .. }) = resident else { return };
        let Some(users) = self.users.get_mut(&namespace) else { return };
        for claim in claims {
            if let Some(count) = users.get_mut(&claim) {
                *count -= 1;
                if *count == 0 {
                    users.remove(&claim);
                }
            }
        }
        if users.is_empty() {
            self.users.remove(&namespace);
        }
    }
}
