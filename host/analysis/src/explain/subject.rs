//! The pod that a question is about, as it is before it has a node.

use std::sync::Arc;

use berth_core::model::Pod;
use serde_json::Value;

use super::error::ExplainError;
use super::types::{Explanation, PodStatus, State};
use crate::sandbox::Sandbox;

/// A pod without its node.
pub(super) struct Subject {
    /// The pod as the API server sends it, without a node.
    pub object: Value,
    pub pod: Arc<Pod>,
    /// The node that the pod has, or that is reserved for it.
    pub node: Option<String>,
}

impl Subject {
    /// Reads the pod. The sandbox may know a node that the object does not have yet.
    pub fn new(sandbox: &Sandbox, object: &Value) -> Result<Self, ExplainError> {
        let mut object = object.clone();
        let known = sandbox.read_pod(&object)?;
        let mut node = known.node_name.to_string();
        if let Some(spec) = object["spec"].as_object_mut() {
            spec.remove("nodeName");
        }
        let mut pod = Pod::clone(&*sandbox.read_pod(&object)?);
        if let Some(here) = sandbox.pod(&pod.key.uid) {
            if node.is_empty() {
                node = here.node_name.to_string();
            }
            pod.nominated_node_name = here.nominated_node_name.clone();
        }
        Ok(Self { object, pod: Arc::new(pod), node: (!node.is_empty()).then_some(node) })
    }

    /// Removes the pod from its node, so that the pod does not count there twice.
    pub fn take_off_its_node(&self, sandbox: &mut Sandbox) {
        if sandbox.pod(&self.pod.key.uid).is_some_and(|pod| !pod.node_name.is_empty()) {
            sandbox.remove_pod(&self.pod.key);
        }
    }

    /// Returns an explanation without answers.
    pub fn empty_explanation(&self, sandbox: &Sandbox, status: PodStatus) -> Explanation {
        Explanation {
            pod: (&self.pod.key).into(),
            scheduler_name: self.pod.spec.scheduler_name.to_string(),
            controller: self
                .pod
                .owners
                .iter()
                .find(|owner| owner.controller)
                .map(|owner| format!("{} {}", owner.kind, owner.name)),
            computed_at: sandbox.now().0,
            state: State::AnotherScheduler,
            reason: String::new(),
            plugin: None,
            evidence: Vec::new(),
            next_step: String::new(),
            suggestions: Vec::new(),
            confirmations: 0,
            confirmations_limited: false,
            nodes: sandbox.core().cache().node_count(),
            fitting: 0,
            rejections: Vec::new(),
            reasons: Vec::new(),
            message: None,
            best: Vec::new(),
            worst: Vec::new(),
            ties: 0,
            margin: None,
            current: None,
            status,
            left_out: sandbox.left_out().iter().map(|name| name.to_string()).collect(),
            extenders_not_asked: sandbox.extenders_not_asked(&self.pod),
        }
    }
}
