//! A ResourceClaim with its names.

use std::fmt;

use berth_guest::objects::Object;
use berth_guest::selector::Terms;
use serde_json::Value;

use crate::api::{self, Allocation, Claim, Request};

/// The placeholder name of a claim that is not created yet.
const PLACEHOLDER: &str = "<extended-resources>";

/// A claim of the API server, or an assumed claim.
#[derive(Debug)]
pub struct KnownClaim {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.uid`
    pub uid: String,
    /// True if a pod's reservation assumes this version of the claim.
    pub assumed: bool,
    /// The fields that the plugin reads.
    pub claim: Claim,
    /// The same fields as raw JSON.
    pub object: Value,
    /// The nodes on which the allocated claim can be used, or an error for an invalid selector; `None` for all nodes.
    pub nodes: Option<Result<Terms, String>>,
}

impl KnownClaim {
    /// Reads an object. Fails if the object is invalid.
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

    /// Returns a claim that is not created yet, with these requests.
    pub fn placeholder_claim(namespace: &str, requests: Vec<Request>) -> KnownClaim {
        let mut claim = Claim::default();
        claim.spec.devices.requests = requests;
        KnownClaim {
            namespace: namespace.to_owned(),
            name: PLACEHOLDER.to_owned(),
            uid: String::new(),
            assumed: false,
            claim,
            object: Value::Null,
            nodes: None,
        }
    }

    /// Returns true if the claim is not created yet.
    pub fn is_placeholder(&self) -> bool {
        self.name == PLACEHOLDER
    }

    /// Returns the claim's allocation, if any.
    pub fn allocation(&self) -> Option<&Allocation> {
        self.claim.status.allocation.as_ref()
    }
}

impl fmt::Display for KnownClaim {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}/{}", self.namespace, self.name)
    }
}
