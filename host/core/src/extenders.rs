//! Extenders: programs beside the plugins, named by `extenders[]` of a KubeSchedulerConfiguration, that have a say in every cycle.
//!
//! As in kube-scheduler they are asked after the plugins, one after the other: each may take nodes away, add to scores, take part in
//! preemption, and bind. Whoever implements [`Extenders`] talks to them; the core only waits. What they answer is never kept.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crate::declaration::Declaration;
use crate::facts::PodFacts;
use crate::model::{Pod, PodKey};
use crate::plugins::{PluginId, TemplateId};
use crate::queue::Rejector;

/// What their scores are multiplied by, beside the weight: they go to 10 (`MaxExtenderPriority`), those of plugins to 100.
pub(crate) const SCORE_SCALE: i64 = 10;

/// Stands for all extenders among those that rejected a pod: no plugin ever has this id.
pub(crate) const EXTENDERS: PluginId = PluginId(u32::MAX);

/// One of `extenders[]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extender {
    /// `urlPrefix`, for messages.
    pub name: Box<str>,
    /// `filterVerb` is set.
    pub filters: bool,
    /// `weight`, where `prioritizeVerb` is set.
    pub weight: Option<i64>,
    /// `preemptVerb` is set.
    pub preempts: bool,
    /// `bindVerb` is set.
    pub binds: bool,
    /// `ignorable`: where it fails, things go on as if it were not there.
    pub ignorable: bool,
    /// `managedResources[].name`: it is asked about pods that request one of them; about all, where there is none.
    pub managed_resources: Vec<Box<str>>,
}

impl Extender {
    /// Whether it is asked about this pod.
    #[must_use]
    pub fn is_interested_in(&self, pod: &Pod) -> bool {
        let managed = |name: &str| self.managed_resources.iter().any(|managed| **managed == *name);
        let mut requested = pod.spec.containers.iter().flat_map(|container| &container.requests.scalars);
        self.managed_resources.is_empty() || requested.any(|(name, _)| managed(name))
    }
}

/// Answer of a filter, by the nodes' names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filtered {
    /// Those that are left: of those that were sent, no others.
    pub nodes: Vec<Box<str>>,
    /// `FailedNodes`: why others are not; taking pods away might help.
    pub failed: BTreeMap<Box<str>, Arc<str>>,
    /// `FailedAndUnresolvableNodes`: it would not.
    pub unresolvable: BTreeMap<Box<str>, Arc<str>>,
}

/// A node that would have room without some of its pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Victims<P> {
    /// The node's name.
    pub node: Box<str>,
    /// Who would have to go, the most important first.
    pub pods: Vec<P>,
    /// `NumPDBViolations`: how many of them a PodDisruptionBudget protects.
    pub violations: i64,
}

/// Scores by the nodes' names.
pub type Scores = Vec<(Box<str>, i64)>;

/// Whoever talks to the extenders, and is done when the answer is there or the time for it is over. Errors are for the pod's message.
pub trait Extenders: Send {
    /// All there are, in the order in which they are asked. What follows names them by their place here.
    fn list(&self) -> &[Extender];

    /// Which of these nodes can do. Asked of those that filter.
    ///
    /// # Errors
    /// There was no answer, or none that can be taken.
    fn filter(&mut self, extender: usize, pod: &Pod, nodes: &[&str]) -> Result<Filtered, String>;

    /// Scores of nodes, by name, from each of these extenders, which are asked at the same time.
    ///
    /// # Errors
    /// As [`Extenders::filter`].
    fn prioritize(&mut self, extenders: &[usize], pod: &Pod, nodes: &[&str]) -> Vec<Result<Scores, String>>;

    /// On which of these nodes the victims may go, or other pods, by uid, in their place.
    ///
    /// # Errors
    /// As [`Extenders::filter`].
    fn process_preemption(
        &mut self,
        extender: usize,
        pod: &Pod,
        candidates: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String>;

    /// For the operator: this extender's failure is of no consequence.
    fn ignored(&mut self, extender: usize, pod: &Pod, error: &str);
}

/// None at all.
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

/// Extenders took nodes from the pod, and can't say what may help: whatever happens may.
pub(crate) fn rejector() -> Rejector {
    static DECLARATION: LazyLock<Arc<Declaration>> = LazyLock::new(|| {
        Arc::new(Declaration { name: "Extender".into(), pod_facts: PodFacts::all(), ..Declaration::default() })
    });
    Rejector { id: EXTENDERS, declaration: Arc::clone(&DECLARATION), pending: false, template: TemplateId(0) }
}
