//! The ResourceClaims of a pod.

use std::fmt;
use std::rc::Rc;

use berth_guest::objects::Object;
use berth_guest::pod;
use berth_guest::selector::Terms;
use berth_guest::types::PodResourceClaim;
use serde_json::Value;

use crate::api::{self, Allocation, Claim};
use crate::cluster::Cluster;

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
}

/// Once a pod that has claims, and once for all others of a namespace.
pub fn prepare(namespace: &pod::Namespace, claims: &pod::ResourceClaims) -> Wanted {
    let pod::ResourceClaims { pod_name, pod_uid, claims } = claims.clone();
    Wanted { namespace: namespace.to_string(), name: pod_name, uid: pod_uid, claims }
}

impl Wanted {
    /// Whether it names none.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
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
