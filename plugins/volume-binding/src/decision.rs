//! Which volumes the pod would have on a node.

use std::rc::Rc;

use berth_guest::prelude::*;
use berth_guest_volumes::StorageClass;

use crate::claim::{Claim, Found, Waiting};
use crate::cluster::Cluster;
use crate::volume::Volume;

const NODE_CONFLICT: &str = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT: &str = "node(s) didn't find available persistent volumes to bind";
const NOT_ENOUGH_SPACE: &str = "node(s) did not have enough free storage";
const NO_VOLUME: &str = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

/// The provisioner of classes whose volumes are all made by hand.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
/// On a claim: where its volume is to be made.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// What is to become of the claims that wait.
#[derive(Debug, Default)]
pub struct Decision {
    /// Claims that get a volume that is there.
    pub bindings: Vec<(Rc<Claim>, Rc<Volume>)>,
    /// Claims for which one is to be made.
    pub provisions: Vec<Rc<Claim>>,
}

/// A node, as far as volumes go.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.labels`.
    pub labels: &'a node::Labels,
}

/// Why a node will not do.
#[derive(Debug, Default)]
struct Conflicts {
    bound: Option<&'static str>,
    unbound: Option<&'static str>,
}

impl Conflicts {
    /// In kube-scheduler's order.
    fn rejection(self) -> Option<Rejection> {
        let found = [NODE_CONFLICT, BIND_CONFLICT, NOT_ENOUGH_SPACE, NO_VOLUME];
        let found = found.into_iter().filter(|reason| self.bound == Some(*reason) || self.unbound == Some(*reason));
        let mut verdict = Verdict::FITS;
        found.for_each(|reason| verdict.reject(RejectionCode::Unresolvable, reason));
        verdict.rejection().cloned()
    }
}

/// What the pod's claims come to on a node, or why it will not do.
pub fn decide(found: &Found, cluster: &Cluster, place: Place<'_>) -> Result<Decision, Rejection> {
    let bound = bound(found, cluster, place).map_err(Rejection::error)?;
    let (decision, unbound) = match unbound(&found.waiting, cluster, place).map_err(Rejection::error)? {
        Ok(decision) => (decision, None),
        Err(reason) => (Decision::default(), Some(reason)),
    };
    match (Conflicts { bound, unbound }).rejection() {
        None => Ok(decision),
        Some(rejection) => Err(rejection),
    }
}

/// What is wrong with the volumes that are bound.
fn bound(found: &Found, cluster: &Cluster, place: Place<'_>) -> Result<Option<&'static str>, String> {
    let csi_node = || cluster.csi_nodes.get("", place.name);
    for volume in &found.bound {
        match volume {
            None => return Ok(Some(NO_VOLUME)),
            Some(volume) if !volume.is_reached_bound(place.labels, csi_node)? => return Ok(Some(NODE_CONFLICT)),
            Some(_) => {}
        }
    }
    Ok(None)
}

/// What becomes of the claims that wait, or why nothing can.
fn unbound(waiting: &[Waiting], cluster: &Cluster, place: Place<'_>) -> Result<Result<Decision, &'static str>, String> {
    let mut decision = Decision::default();
    let mut free: Vec<&Waiting> = Vec::with_capacity(waiting.len());
    for waiting in waiting {
        match waiting.claim.object.metadata.annotations.get(SELECTED_NODE) {
            Some(selected) if selected == place.name => decision.provisions.push(Rc::clone(&waiting.claim)),
            Some(_) => return Ok(Err(BIND_CONFLICT)),
            None => free.push(waiting),
        }
    }
    // What asks for little takes the smallest volumes.
    free.sort_by_key(|waiting| waiting.claim.object.requested());
    let mut taken: Vec<Rc<Volume>> = Vec::new();
    for Waiting { claim, candidates } in free {
        match candidates.as_ref().map_err(Clone::clone)?.on(place.labels, &taken) {
            None => decision.provisions.push(Rc::clone(claim)),
            Some(volume) => {
                decision.bindings.push((Rc::clone(claim), Rc::clone(&volume)));
                taken.push(volume);
            }
        }
    }
    for claim in &decision.provisions {
        if let Some(reason) = unprovided(claim, cluster, place)? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(decision))
}

/// Why no volume can be made for the claim on the node.
fn unprovided(claim: &Claim, cluster: &Cluster, place: Place<'_>) -> Result<Option<&'static str>, String> {
    let name = claim.object.class();
    if name.is_empty() {
        return Err(format!("no class for claim \"{}/{}\"", claim.namespace, claim.name));
    }
    let class = cluster.classes.get("", name).ok_or_else(|| format!("failed to find storage class \"{name}\""))?;
    let provides = !class.provisioner.is_empty() && class.provisioner != NO_PROVISIONER;
    Ok(match () {
        () if !provides || !class.allows(place.labels) => Some(BIND_CONFLICT),
        () if !has_capacity(claim, name, class, cluster, place) => Some(NOT_ENOUGH_SPACE),
        () => None,
    })
}

/// Only drivers that tell how much there is are asked.
fn has_capacity(claim: &Claim, name: &str, class: &StorageClass, cluster: &Cluster, place: Place<'_>) -> bool {
    let Some(wanted) = claim.object.spec.resources.requests.storage else { return true };
    let driver = cluster.drivers.get("", &class.provisioner);
    if !driver.is_some_and(|driver| driver.spec.storage_capacity) {
        return true;
    }
    let mut capacities = cluster.capacities(name, place.labels);
    capacities.any(|capacity| capacity.largest.is_some_and(|largest| largest.value() >= wanted.value()))
}
