//! Decides which volumes the pod would use on a node.

use std::rc::Rc;

use berth_guest::prelude::*;
use berth_guest_volumes::StorageClass;

use crate::claim::Claim;
use crate::cluster::Cluster;
use crate::pod_claims::{ClaimStates, Waiting};
use crate::volume::Volume;

const NODE_CONFLICT: &str = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT: &str = "node(s) didn't find available persistent volumes to bind";
const NOT_ENOUGH_SPACE: &str = "node(s) did not have enough free storage";
const NO_VOLUME: &str = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

/// The provisioner of classes without dynamic provisioning.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
/// An annotation of a claim: the node for which the volume is to be provisioned.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The decision for unbound claims.
#[derive(Debug, Default)]
pub struct Decision {
    /// Claims to bind, each with an existing volume.
    pub bindings: Vec<(Rc<Claim>, Rc<Volume>)>,
    /// Claims for which a volume is to be provisioned.
    pub provisions: Vec<Rc<Claim>>,
}

/// The properties of a node that matter for volumes.
#[derive(Clone, Copy)]
pub struct NodeInfo<'a> {
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.labels`.
    pub labels: &'a node::Labels,
}

/// Reasons to reject a node.
#[derive(Debug, Default)]
struct Conflicts {
    bound: Option<&'static str>,
    unbound: Option<&'static str>,
}

impl Conflicts {
    /// Returns the rejection, with reasons in kube-scheduler's order.
    fn rejection(self) -> Option<Rejection> {
        let found = [NODE_CONFLICT, BIND_CONFLICT, NOT_ENOUGH_SPACE, NO_VOLUME];
        let found = found.into_iter().filter(|reason| self.bound == Some(*reason) || self.unbound == Some(*reason));
        let mut verdict = Verdict::FITS;
        found.for_each(|reason| verdict.reject(RejectionCode::Unresolvable, reason));
        verdict.rejection().cloned()
    }
}

/// Returns the decision for the pod's claims on a node, or a rejection.
pub fn decide(states: &ClaimStates, cluster: &Cluster, node: NodeInfo<'_>) -> Result<Decision, Rejection> {
    let bound = bound(states, cluster, node).map_err(Rejection::error)?;
    let (decision, unbound) = match unbound(&states.waiting, cluster, node).map_err(Rejection::error)? {
        Ok(decision) => (decision, None),
        Err(reason) => (Decision::default(), Some(reason)),
    };
    match (Conflicts { bound, unbound }).rejection() {
        None => Ok(decision),
        Some(rejection) => Err(rejection),
    }
}

/// Returns a conflict of the node with the volumes of bound claims.
fn bound(states: &ClaimStates, cluster: &Cluster, node: NodeInfo<'_>) -> Result<Option<&'static str>, String> {
    let csi_node = || cluster.csi_nodes.get("", node.name);
    for volume in &states.bound {
        match volume {
            None => return Ok(Some(NO_VOLUME)),
            Some(volume) if !volume.is_accessible_bound(node.labels, csi_node)? => return Ok(Some(NODE_CONFLICT)),
            Some(_) => {}
        }
    }
    Ok(None)
}

/// Returns the decision for unbound claims, or the conflict that rejects the node. Fails for an invalid claim or class.
fn unbound(
    waiting: &[Waiting],
    cluster: &Cluster,
    node: NodeInfo<'_>,
) -> Result<Result<Decision, &'static str>, String> {
    let mut decision = Decision::default();
    let mut free: Vec<&Waiting> = Vec::with_capacity(waiting.len());
    for waiting in waiting {
        match waiting.claim.object.metadata.annotations.get(SELECTED_NODE) {
            Some(selected) if selected == node.name => decision.provisions.push(Rc::clone(&waiting.claim)),
            Some(_) => return Ok(Err(BIND_CONFLICT)),
            None => free.push(waiting),
        }
    }
    // Claims choose in the order of their requests, so that a small request does not take a volume that only a larger
    // one needs.
    free.sort_by_key(|waiting| waiting.claim.object.requested());
    let mut taken: Vec<Rc<Volume>> = Vec::new();
    for Waiting { claim, candidates } in free {
        match candidates.as_ref().map_err(Clone::clone)?.on(node.labels, &taken) {
            None => decision.provisions.push(Rc::clone(claim)),
            Some(volume) => {
                decision.bindings.push((Rc::clone(claim), Rc::clone(&volume)));
                taken.push(volume);
            }
        }
    }
    for claim in &decision.provisions {
        if let Some(reason) = provisioning_problem(claim, cluster, node)? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(decision))
}

/// Returns the reason why no volume can be provisioned for the claim on the node.
fn provisioning_problem(claim: &Claim, cluster: &Cluster, node: NodeInfo<'_>) -> Result<Option<&'static str>, String> {
    let name = claim.object.class();
    if name.is_empty() {
        return Err(format!("no class for claim \"{}/{}\"", claim.namespace, claim.name));
    }
    let class = cluster.classes.get("", name).ok_or_else(|| format!("failed to find storage class \"{name}\""))?;
    let provisions = !class.provisioner.is_empty() && class.provisioner != NO_PROVISIONER;
    Ok(match () {
        () if !provisions || !class.allows(node.labels) => Some(BIND_CONFLICT),
        () if !has_capacity(claim, name, class, cluster, node) => Some(NOT_ENOUGH_SPACE),
        () => None,
    })
}

/// Returns true if there is enough capacity for the claim on the node. Returns true without a check if the driver does
/// not publish capacities or the claim requests no storage.
fn has_capacity(claim: &Claim, name: &str, class: &StorageClass, cluster: &Cluster, node: NodeInfo<'_>) -> bool {
    let Some(requested) = claim.object.spec.resources.requests.storage else { return true };
    let driver = cluster.drivers.get("", &class.provisioner);
    if !driver.is_some_and(|driver| driver.spec.storage_capacity) {
        return true;
    }
    let mut capacities = cluster.capacities(name, node.labels);
    capacities.any(|capacity| capacity.largest.is_some_and(|largest| largest.value() >= requested.value()))
}
