//! Hypothetical nodes.

use std::sync::Arc;

use super::ids::{NodeId, PodId};
use crate::model::Pod;

/// A hypothetical node: a node with some pods added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The node.
    pub node: NodeId,
    /// Pods that are added.
    pub added: Vec<Arc<Pod>>,
    /// Pods of the node that are removed.
    pub removed: Vec<PodId>,
}
