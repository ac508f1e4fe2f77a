//! The ResourceClaims of a pod.

use std::collections::BTreeSet;
use std::rc::Rc;

use berth_guest::pod;
use berth_guest::types::{Container, PodResourceClaim, Resources};

use crate::cluster::Cluster;
use crate::extended::{self, Mapping};
use crate::known_claim::KnownClaim;

/// A claim to create for a pod's extended resources on one node.
#[derive(Debug)]
pub struct ExtendedClaim {
    /// The claim as it will be created, with a placeholder name that no real claim has.
    pub claim: Rc<KnownClaim>,
    /// The request of the claim that provides each extended resource of each container.
    pub mappings: Vec<Mapping>,
}

/// A pod with its claims, from the pod's spec and status. Name and uid are empty if the pod requests no devices.
#[derive(Debug)]
pub struct PreparedPod {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.uid`
    pub uid: String,
    claims: Vec<PodResourceClaim>,
    /// The pod's containers. Empty if none requests an extended resource.
    containers: Vec<Container>,
    /// Extended resources that the containers request.
    extended: BTreeSet<String>,
}

/// Returns the data of a pod signature: each pod that requests devices has a signature of its own, all other pods of
/// a namespace share one.
pub fn prepare(namespace: &pod::Namespace, claims: &pod::ResourceClaims) -> PreparedPod {
    let pod::ResourceClaims { pod_name, pod_uid, claims, containers } = claims.clone();
    let extended = extended::extended_resources(&containers);
    PreparedPod { namespace: namespace.to_string(), name: pod_name, uid: pod_uid, claims, containers, extended }
}

impl PreparedPod {
    /// Returns true if the pod requests no devices of this plugin: neither claims nor an extended resource that a
    /// DeviceClass maps to devices.
    pub fn is_empty(&self, cluster: &Cluster) -> bool {
        self.claims.is_empty() && !self.has_extended(cluster)
    }

    fn has_extended(&self, cluster: &Cluster) -> bool {
        self.extended.iter().any(|resource| cluster.class_of(resource).is_some())
    }

    /// Returns the claim that an earlier attempt created for the pod's extended resources. The claim is not reused,
    /// because its devices may differ from those that the pod would get now.
    pub fn left_over(&self, cluster: &Cluster) -> Option<Rc<KnownClaim>> {
        if self.has_extended(cluster) { cluster.created_for(&self.uid) } else { None }
    }

    /// Returns the claim to create for the pod on a node: for the extended resources that a DeviceClass
    /// maps and that no device plugin of the node provides. Returns `None` if there are no such resources, and an
    /// error if neither a class nor the node provides a resource.
    pub fn extended_claim(
        &self,
        cluster: &Cluster,
        allocatable: &Resources,
    ) -> Result<Option<ExtendedClaim>, &'static str> {
        if !self.has_extended(cluster) {
            return Ok(None);
        }
        let mut resources = Vec::new();
        for resource in &self.extended {
            let provided = allocatable.scalars.iter().find(|scalar| scalar.name == *resource);
            match cluster.class_of(resource) {
                Some(class) if provided.is_none_or(|scalar| scalar.quantity == 0) => {
                    resources.push((resource.as_str(), class))
                }
                _ if provided.is_none() => return Err("cannot fit resource"),
                _ => (),
            }
        }
        if resources.is_empty() {
            return Ok(None);
        }
        let (requests, mappings) = extended::requests(&self.containers, &resources);
        Ok(Some(ExtendedClaim { claim: Rc::new(KnownClaim::placeholder_claim(&self.namespace, requests)), mappings }))
    }

    /// Returns the pod's claims, or an error for the first invalid claim.
    pub fn claims(&self, cluster: &Cluster) -> Result<Vec<Rc<KnownClaim>>, String> {
        self.claims.iter().map(|claim| self.claim(claim, cluster)).collect()
    }

    fn claim(&self, named: &PodResourceClaim, cluster: &Cluster) -> Result<Rc<KnownClaim>, String> {
        let (namespace, pod) = (&self.namespace, &self.name);
        let (name, from_template) = (&named.claim, !named.template.is_empty());
        match (name.is_empty(), from_template) {
            (true, true) => return Err(format!("pod \"{namespace}/{pod}\": ResourceClaim not created yet")),
            (true, false) => {
                return Err(format!(
                    "pod \"{namespace}/{pod}\", spec.resourceClaim \"{}\": none of the supported fields are set",
                    named.name
                ));
            }
            _ => (),
        }
        let known = cluster.claim(namespace, name);
        let known = known.ok_or_else(|| format!("could not find ResourceClaim \"{namespace}/{name}\""))?;
        if known.claim.metadata.deletion_timestamp.is_some() {
            return Err(format!("resourceclaim \"{name}\" is being deleted"));
        }
        if from_template && !known.claim.is_controlled_by(&self.uid) {
            return Err(format!("ResourceClaim {known} was not created for Pod {namespace}/{pod} (Pod is not owner)"));
        }
        Ok(known)
    }
}
