//! Resources that nodes lack.

use crate::names::counted;

/// A resource that is the only one that some nodes lack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shortage {
    /// The resource, for example `cpu`.
    pub resource: String,
    /// What the pod requests.
    pub requested: String,
    /// The number of nodes that would fit without this request.
    pub nodes: usize,
    /// The node that lacks least.
    pub closest: String,
    /// What that node lacks.
    pub short: String,
}

impl Shortage {
    /// Returns the shortage as one sentence.
    pub fn sentence(&self) -> String {
        let Self { resource, requested, nodes, closest, short } = self;
        let lack = if *nodes == 1 { "lacks" } else { "lack" };
        format!(
            "{} {lack} only {resource} (the pod requests {requested}); the closest is {closest}, {short} short",
            counted(*nodes, "node")
        )
    }
}
