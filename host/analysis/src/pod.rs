//! The whole answer about a pod.

use std::sync::Arc;

use berth_apimachinery::objects::write;
use berth_core::Core;
use berth_core::decision::Decision;
use berth_core::model::Pod;
use serde_json::Value;

use crate::answer::PodAnswer;
use crate::copy::ClusterCopy;
use crate::explain::{ExplainError, PodRef, PodStatus, all_nodes, explain, why_not};
use crate::sandbox::Sandbox;

/// The number of recorded attempts of a pod in an answer.
const MOST_DECISIONS: usize = 20;

/// A question about a pod that exists.
#[derive(Clone, Debug)]
pub struct PodQuestion<'a> {
    /// The pod.
    pub pod: PodRef,
    /// The pod as the API server sends it.
    pub object: &'a Value,
    /// What the scheduler knows about the pod.
    pub known: KnownPod,
    /// The node to answer about, if the caller asks about one.
    pub why_not: Option<&'a str>,
    /// Whether the answers of all plugins about all nodes are wanted.
    pub all_nodes: bool,
}

/// A question about a pod of a recorded cluster.
#[derive(Clone, Copy, Debug)]
pub struct PastPodQuestion<'a> {
    /// `metadata.namespace`
    pub namespace: &'a str,
    /// `metadata.name`
    pub name: &'a str,
    /// The node to answer about, if the caller asks about one.
    pub why_not: Option<&'a str>,
    /// Whether the answers of all plugins about all nodes are wanted.
    pub all_nodes: bool,
}

/// What a scheduler knows about a pod.
#[derive(Clone, Debug)]
pub struct KnownPod {
    /// The state of the pod.
    pub status: PodStatus,
    /// The recorded attempts, the latest first.
    pub decisions: Vec<Decision>,
}

impl KnownPod {
    /// Returns what the scheduler knows about the pod with this namespace and uid.
    #[must_use]
    pub fn of(core: &Core, namespace: &str, uid: &str) -> Self {
        let decisions = core.decisions().of_pod(namespace, uid).take(MOST_DECISIONS).collect();
        Self { status: PodStatus::of(core, uid), decisions }
    }
}

impl PodAnswer {
    /// Answers a question about a pod that exists. The sandbox is unchanged afterwards.
    ///
    /// # Errors
    /// The pod can't be read, or the node does not exist.
    pub fn of(sandbox: &mut Sandbox, question: PodQuestion<'_>) -> Result<Self, ExplainError> {
        let PodQuestion { pod, object, known, why_not: node, all_nodes: all } = question;
        let explanation = Some(explain(sandbox, object, known.status)?);
        let why_not = node.map(|node| why_not(sandbox, object, node)).transpose()?;
        let all_nodes = all.then(|| all_nodes(sandbox, object)).transpose()?;
        Ok(Self { pod, decisions: known.decisions, explanation, why_not, all_nodes, names_hidden: false })
    }

    /// Answers a question about a pod as the scheduler would have answered then. The pod has the fields that the core has.
    /// `sandbox` returns a sandbox with the cluster of the core. Returns `None` if neither the pod nor an attempt of it is
    /// known.
    ///
    /// # Errors
    /// There is no sandbox, or the node does not exist.
    pub fn of_the_past<E: From<ExplainError>>(
        core: &Core,
        question: PastPodQuestion<'_>,
        sandbox: impl FnOnce() -> Result<Sandbox, E>,
    ) -> Result<Option<Self>, E> {
        let PastPodQuestion { namespace, name, why_not, all_nodes } = question;
        let copy = ClusterCopy::of(core);
        let is_it = |pod: &&Arc<Pod>| *pod.key.namespace == *namespace && *pod.key.name == *name;
        let Some(pod) = copy.pods.iter().chain(&copy.pending).find(is_it) else {
            return Ok(Self::of_a_gone_pod(core, namespace, name));
        };
        let known = KnownPod::of(core, namespace, &pod.key.uid);
        let object = write::pod(pod);
        let question = PodQuestion { pod: PodRef::from(&pod.key), object: &object, known, why_not, all_nodes };
        Ok(Some(Self::of(&mut sandbox()?, question)?))
    }

    /// Returns the recorded attempts of a pod that does not exist any more, or `None` if there are none.
    #[must_use]
    pub fn of_a_gone_pod(core: &Core, namespace: &str, name: &str) -> Option<Self> {
        let recorded = core.decisions();
        let uid = recorded.uid_of(namespace, name)?.to_owned();
        let decisions: Vec<Decision> = recorded.of_pod(namespace, &uid).take(MOST_DECISIONS).collect();
        let uid = decisions.first()?.uid.to_string();
        let pod = PodRef { namespace: namespace.to_owned(), name: name.to_owned(), uid };
        Some(Self { pod, decisions, explanation: None, why_not: None, all_nodes: None, names_hidden: false })
    }
}
