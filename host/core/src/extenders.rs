//! Extenders: HTTP services outside of the scheduler, configured in `extenders[]` of a KubeSchedulerConfiguration.
//!
//! As in kube-scheduler, extenders are asked in order, after the plugins. An extender can filter nodes, add to
//! scores, take part in preemption, and bind. The implementor of [`Extenders`] does the communication, and the core
//! waits for it. Answers of extenders are never cached.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::{Pod, PodKey};

/// The factor for extenders' scores, in addition to the weight: an extender's highest score is 10
/// (`MaxExtenderPriority`), a plugin's is 100.
pub(crate) const SCORE_SCALE: i64 = 10;

/// An entry of `extenders[]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Extender {
    /// `urlPrefix`, for messages.
    pub name: Box<str>,
    /// `filterVerb` is set.
    pub filters: bool,
    /// `weight`, if `prioritizeVerb` is set.
    pub weight: Option<i64>,
    /// `preemptVerb` is set.
    pub preempts: bool,
    /// `bindVerb` is set.
    pub binds: bool,
    /// `ignorable`: a failure of the extender is ignored.
    pub ignorable: bool,
    /// `managedResources[].name`: the extender is asked about pods that request one of these resources, or about all
    /// pods if the list is empty.
    pub managed_resources: Vec<Box<str>>,
}

impl Extender {
    /// Returns whether the extender is asked about this pod.
    #[must_use]
    pub fn is_interested_in(&self, pod: &Pod) -> bool {
        let managed = |name: &str| self.managed_resources.iter().any(|managed| **managed == *name);
        let mut requested = pod.spec.containers.iter().flat_map(|container| &container.requests.scalars);
        self.managed_resources.is_empty() || requested.any(|(name, _)| managed(name))
    }
}

/// The answer of a filter call. Nodes are given by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Filtered {
    /// The nodes that passed. A node that is not in the request is ignored.
    pub nodes: Vec<Box<str>>,
    /// `FailedNodes`: rejected nodes with their reasons. Removing pods might help.
    pub failed: BTreeMap<Box<str>, Arc<str>>,
    /// `FailedAndUnresolvableNodes`: rejected nodes with their reasons. Removing pods does not help.
    pub unresolvable: BTreeMap<Box<str>, Arc<str>>,
}

/// A node on which a pod would fit without some of the node's pods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Victims<P> {
    /// The node's name.
    pub node: Box<str>,
    /// The victims, the most important first.
    pub pods: Vec<P>,
    /// `NumPDBViolations`: the number of victims whose eviction violates a PodDisruptionBudget.
    pub violations: i64,
}

/// Scores by node name.
pub type Scores = Vec<(Box<str>, i64)>;

/// Sends requests to extenders. A call returns when the answer has arrived or the extender's timeout is over. Errors
/// are texts for the pod's message.
pub trait Extenders: Send {
    /// Returns all extenders, in the order in which they are asked. Other calls name an extender by its index in this
    /// list.
    fn list(&self) -> &[Extender];

    /// Returns the nodes that pass. Only called for extenders with `filters`.
    ///
    /// # Errors
    /// The extender did not answer, or its answer is invalid.
    fn filter(&mut self, extender: usize, pod: &Pod, nodes: &[&str]) -> Result<Filtered, String>;

    /// Returns one result for each of these extenders, in the same order. The extenders are asked concurrently.
    ///
    /// # Errors
    /// See [`Extenders::filter`].
    fn prioritize(&mut self, extenders: &[usize], pod: &Pod, nodes: &[&str]) -> Vec<Result<Scores, String>>;

    /// Returns the candidates on which the extender accepts a preemption. The extender may choose other victims,
    /// which are given by uid.
    ///
    /// # Errors
    /// See [`Extenders::filter`].
    fn process_preemption(
        &mut self,
        extender: usize,
        pod: &Pod,
        candidates: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String>;

    /// Reports an ignored failure of this extender to the operator.
    fn ignored(&mut self, extender: usize, pod: &Pod, error: &str);
}

/// An empty list of extenders.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoExtenders;

impl Extenders for NoExtenders {
    fn list(&self) -> &[Extender] {
        &[]
    }

    fn filter(&mut self, _: usize, _: &Pod, _: &[&str]) -> Result<Filtered, String> {
        Ok(Filtered::default())
    }

    fn prioritize(&mut self, _: &[usize], _: &Pod, _: &[&str]) -> Vec<Result<Scores, String>> {
        Vec::new()
    }

    fn process_preemption(
        &mut self,
        _: usize,
        _: &Pod,
        _: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String> {
        Ok(Vec::new())
    }

    fn ignored(&mut self, _: usize, _: &Pod, _: &str) {}
}
