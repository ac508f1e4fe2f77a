//! The ResourceClaims of a pod.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use berth_guest::objects::Object;
use berth_guest::pod;
use berth_guest::selector::Terms;
use berth_guest::types::{Container, PodResourceClaim, Resources};
use serde_json::Value;

use crate::api::{self, Allocation, Claim, Request};
use crate::cluster::Cluster;
use crate::extended::{self, Mapping};

/// What a claim is called that is still to be made.
const UNMADE: &str = "<extended-resources>";

/// A claim as the cluster has it, or soon will.
#[derive(Debug)]
pub struct KnownClaim {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.uid`
    pub uid: String,
    /// A pod that has its node is about to make it so.
    pub assumed: bool,
    /// The fields that are read.
    pub claim: Claim,
    /// The same as they came.
    pub object: Value,
    /// Where it can be used, once it is allocated; `None` everywhere.
    pub nodes: Option<Result<Terms, String>>,
}

impl KnownClaim {
    /// Of an object; an error where it can't be read.
    pub fn new(object: &Object<'_>) -> Result<KnownClaim, String> {
        let fields: Value = object.read()?;
        let claim: Claim = api::read(fields.clone())?;
        let selector = claim.status.allocation.as_ref().and_then(|allocation| allocation.node_selector.as_ref());
        Ok(KnownClaim {
            namespace: object.namespace.to_owned(),
            name: object.name.to_owned(),
            uid: object.uid.to_owned(),
            assumed: object.assumed,
            nodes: selector.map(api::NodeSelector::terms),
            claim,
            object: fields,
        })
    }

    /// Whether it is still to be made.
    pub fn is_unmade(&self) -> bool {
        self.name == UNMADE
    }

    /// What it has, if it has something.
    pub fn allocation(&self) -> Option<&Allocation> {
        self.claim.status.allocation.as_ref()
    }
}

impl fmt::Display for KnownClaim {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}/{}", self.namespace, self.name)
    }
}

/// A claim that is still to be made, for a pod's extended resources on one node.
#[derive(Debug)]
pub struct Special {
    /// As it will be, under a name that no claim bears.
    pub claim: Rc<KnownClaim>,
    /// Whose requests they are.
    pub mappings: Vec<Mapping>,
}

/// A pod with its claims, as its spec and status name them.
#[derive(Debug)]
pub struct Wanted {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.uid`
    pub uid: String,
    claims: Vec<PodResourceClaim>,
    /// All of them, where one asks for an extended resource.
    containers: Vec<Container>,
    /// Extended resources that they ask for.
    extended: BTreeSet<String>,
}

/// Once a pod that asks for devices, and once for all others of a namespace.
pub fn prepare(namespace: &pod::Namespace, claims: &pod::ResourceClaims) -> Wanted {
    let pod::ResourceClaims { pod_name, pod_uid, claims, containers } = claims.clone();
    let extended = extended::asked(&containers);
    Wanted { namespace: namespace.to_string(), name: pod_name, uid: pod_uid, claims, containers, extended }
}

impl Wanted {
    /// Whether it asks for no devices, as far as this plugin looks after them: by claims, or by an extended resource that a
    /// DeviceClass stands for.
    pub fn is_empty(&self, cluster: &Cluster) -> bool {
        self.claims.is_empty() && !self.has_extended(cluster)
    }

    fn has_extended(&self, cluster: &Cluster) -> bool {
        self.extended.iter().any(|resource| cluster.class_of(resource).is_some())
    }

    /// The claim that was made for it when it was tried before, and is of no use any more: which devices it has may not be what
    /// it would get now.
    pub fn left_over(&self, cluster: &Cluster) -> Option<Rc<KnownClaim>> {
        if self.has_extended(cluster) { cluster.made_for(&self.uid) } else { None }
    }

    /// The claim that has to be made for it on a node: for extended resources that a class stands for and no device plugin has.
    /// `None` where there are none. An error where nobody has one of them.
    pub fn special(&self, cluster: &Cluster, allocatable: &Resources) -> Result<Option<Special>, &'static str> {
        if !self.has_extended(cluster) {
            return Ok(None);
        }
        let mut wanted = Vec::new();
        for resource in &self.extended {
            let there = allocatable.scalars.iter().find(|scalar| scalar.name == *resource);
            match cluster.class_of(resource) {
                Some(class) if there.is_none_or(|scalar| scalar.quantity == 0) => {
                    wanted.push((resource.as_str(), class))
                }
                _ if there.is_none() => return Err("cannot fit resource"),
                _ => (),
            }
        }
        if wanted.is_empty() {
            return Ok(None);
        }
        let (requests, mappings) = extended::requests(&self.containers, &wanted);
        Ok(Some(Special { claim: Rc::new(self.unmade(requests)), mappings }))
    }

    fn unmade(&self, requests: Vec<Request>) -> KnownClaim {
        let mut claim = Claim::default();
        claim.spec.devices.requests = requests;
        KnownClaim {
            namespace: self.namespace.clone(),
            name: UNMADE.to_owned(),
            uid: String::new(),
            assumed: false,
            claim,
            object: Value::Null,
            nodes: None,
        }
    }

    /// Its claims, or which is not as it has to be.
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
