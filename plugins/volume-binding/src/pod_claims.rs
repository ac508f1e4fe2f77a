//! The claims that a pod names, and reasons to reject the pod on all nodes.

use std::rc::Rc;

use berth_guest::prelude::*;
use berth_guest::types::{Volume as PodVolume, VolumeSource};
use berth_guest_volumes::{PersistentVolumeClaim, not_found};

use crate::candidates::Candidates;
use crate::claim::Claim;
use crate::cluster::Cluster;
use crate::volume::Volume;

const UNBOUND: &str = "pod has unbound immediate PersistentVolumeClaims";
const LOST: &str = "Lost";

/// The claims that a pod names.
#[derive(Debug)]
pub struct PodClaims {
    namespace: String,
    claims: Vec<NamedClaim>,
}

#[derive(Debug)]
struct NamedClaim {
    claim: String,
    /// Name and uid of the pod, if the claim is created for an ephemeral volume.
    owner_pod: Option<(String, String)>,
}

/// The pod's claims in their present state.
#[derive(Debug, Default)]
pub struct ClaimStates {
    /// The volumes of bound claims; `None` for a volume that does not exist.
    pub bound: Vec<Option<Rc<Volume>>>,
    /// The unbound claims with binding mode WaitForFirstConsumer, each with its candidate volumes.
    pub waiting: Vec<Waiting>,
    /// True if all claims are bound to volumes that are accessible from every node.
    pub everywhere: bool,
}

/// An unbound claim with binding mode WaitForFirstConsumer.
#[derive(Debug)]
pub struct Waiting {
    /// The claim.
    pub claim: Rc<Claim>,
    /// The candidate volumes, or an error for an invalid selector.
    pub candidates: Result<Candidates, String>,
}

impl PodClaims {
    /// Selects the claims of a pod with these volumes.
    pub fn new(namespace: &str, volumes: &[PodVolume]) -> PodClaims {
        PodClaims { namespace: namespace.to_owned(), claims: volumes.iter().filter_map(NamedClaim::new).collect() }
    }

    /// Returns true if there are no claims.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// Returns the claims in their present state, or a rejection for all nodes.
    pub fn find(&self, cluster: &Cluster) -> Result<ClaimStates, Rejection> {
        let mut claims = Vec::with_capacity(self.claims.len());
        for named in &self.claims {
            claims.push(named.usable(&self.namespace, cluster).map_err(Rejection::unresolvable)?);
        }
        let (mut states, mut immediate) = (ClaimStates::default(), false);
        for claim in claims {
            let spec = &claim.object.spec;
            if claim.object.is_fully_bound() {
                states.bound.push(cluster.volumes.get("", &spec.volume_name).cloned());
            } else if waits(&claim.object, cluster).map_err(Rejection::error)? && spec.volume_name.is_empty() {
                let candidates = Candidates::of(claim, cluster);
                states.waiting.push(Waiting { claim: Rc::clone(claim), candidates });
            } else {
                immediate = true;
            }
        }
        if immediate {
            return Err(Rejection::unresolvable(UNBOUND));
        }
        let everywhere =
            |volume: &Option<Rc<Volume>>| volume.as_ref().is_some_and(|one| one.is_accessible_everywhere());
        states.everywhere = states.waiting.is_empty() && states.bound.iter().all(everywhere);
        Ok(states)
    }
}

/// Returns true if the claim's class has binding mode WaitForFirstConsumer. Returns false for a missing class.
fn waits(claim: &PersistentVolumeClaim, cluster: &Cluster) -> Result<bool, String> {
    let name = claim.class();
    cluster.classes.get("", name).map_or(Ok(false), |class| class.waits_for_first_consumer(name))
}

impl NamedClaim {
    fn new(volume: &PodVolume) -> Option<NamedClaim> {
        match &volume.source {
            VolumeSource::PersistentVolumeClaim(source) => {
                Some(NamedClaim { claim: source.claim.clone(), owner_pod: None })
            }
            VolumeSource::Ephemeral(source) => {
                let pod = source.claim.strip_suffix(&format!("-{}", volume.name)).unwrap_or(&source.claim);
                Some(NamedClaim {
                    claim: source.claim.clone(),
                    owner_pod: Some((pod.to_owned(), source.pod_uid.clone())),
                })
            }
            _ => None,
        }
    }

    /// Returns the claim, or the reason why the pod can't use it.
    fn usable<'a>(&self, namespace: &str, cluster: &'a Cluster) -> Result<&'a Rc<Claim>, String> {
        let name = &self.claim;
        let claim = cluster.claims.get(namespace, name).ok_or_else(|| match self.owner_pod {
            Some(_) => {
                format!("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{name}\"")
            }
            None => not_found("persistentvolumeclaim", name),
        })?;
        let PersistentVolumeClaim { metadata, spec, status } = &claim.object;
        if status.phase == LOST {
            let volume = &spec.volume_name;
            return Err(format!(
                "persistentvolumeclaim \"{name}\" bound to non-existent persistentvolume \"{volume}\""
            ));
        }
        if metadata.is_deleting() {
            return Err(format!("persistentvolumeclaim \"{name}\" is being deleted"));
        }
        match &self.owner_pod {
            Some((pod, uid)) if !metadata.is_controlled_by(uid) => {
                Err(format!("PVC {namespace}/{name} was not created for pod {namespace}/{pod} (pod is not owner)"))
            }
            _ => Ok(claim),
        }
    }
}
