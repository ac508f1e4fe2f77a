//! Calls one component with a given cluster: filter and score for each node.

use std::path::Path;
use std::sync::Arc;

use berth_core::cache::{Cache, NodeId, NodeInfo};
use berth_core::model::Pod;
use berth_core::plugins::Status;

use berth_core::limits::Limits;
use berth_plugin_host::asking;
use berth_plugin_host::examine::{Feeder, Resident, Trial, configure, open};
use berth_plugin_host::{LoadCause, LoadError, LoadedComponent};

use super::{Conformance, Examination, examine};

/// A compiled component that can be called with different arguments and clusters.
pub struct Solo {
    component: LoadedComponent,
    limits: Arc<Limits>,
}

/// The answers of a plugin about a node for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeAnswer {
    /// The node's name.
    pub node: Box<str>,
    /// The status if the plugin rejects the node; `None` if the pod fits.
    pub rejected: Option<Status>,
    /// The raw score; `None` if the plugin does not score this pod or rejects the node.
    pub score: Option<i64>,
}

impl Solo {
    /// Compiles the component in `file` and checks it against the contract. With `cache_dir`, compiled code is kept
    /// there.
    ///
    /// # Errors
    /// The reason why the component is refused.
    pub fn load(file: &Path, cache_dir: Option<&Path>, limits: Limits) -> Result<Self, LoadError> {
        let limits = Arc::new(limits);
        Ok(Self { component: open(file, cache_dir, &limits)?.component, limits })
    }

    /// Returns the plugin's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.component.name
    }

    /// Examines whether the plugin, with these arguments (JSON), keeps the promises of the contract.
    ///
    /// # Errors
    /// The plugin can't be started, refuses its arguments, or returns an invalid declaration.
    pub fn examine(&self, arguments: &str, examination: Examination) -> Result<Conformance, LoadError> {
        examine(&self.component, arguments, &self.limits, examination)
            .map_err(|cause| LoadError::new(&self.component.source, cause))
    }

    /// Calls the plugin, with these arguments (JSON), for a pod and all nodes of a cluster, in the order of a cycle:
    /// pre-filter, filter, pre-score and score. Returns the answers ordered by node name.
    ///
    /// # Errors
    /// The plugin refuses its arguments, or a call failed.
    pub fn ask(&self, arguments: &str, cache: &Cache, pod: &Pod) -> Result<Vec<NodeAnswer>, LoadError> {
        self.asked(arguments, cache, pod).map_err(|cause| LoadError::new(&self.component.source, cause))
    }

    fn asked(&self, arguments: &str, cache: &Cache, pod: &Pod) -> Result<Vec<NodeAnswer>, LoadCause> {
        let (instance, declaration) = configure(&self.component, arguments, &self.limits, &Arc::default())?;
        let mut resident = Resident::fill(instance, Arc::new(declaration), cache, &mut Feeder::default())?;
        let trial = Trial::new(cache, pod, 0);
        resident.hold(trial.cycle().signature, pod)?;
        let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).collect();
        let rejected = asking::filtered(&mut resident, trial.cycle(), &nodes)?.rejected;
        let fitting = nodes.iter().zip(&rejected).filter(|(_, rejected)| rejected.is_none());
        let fitting: Vec<NodeId> = fitting.map(|(node, _)| *node).collect();
        let scored = asking::scored(&mut resident, trial.cycle(), &fitting)?;
        let mut scores = scored.into_iter().flat_map(|scored| scored.raw);
        // Both lists are in the order of the nodes, so each node that fits takes the next score.
        let answer = |(info, rejected): (&NodeInfo, Option<Status>)| NodeAnswer {
            node: info.node.name.clone(),
            score: if rejected.is_none() { scores.next() } else { None },
            rejected,
        };
        let mut answers: Vec<NodeAnswer> = cache.nodes().zip(rejected).map(answer).collect();
        answers.sort_by(|one, other| one.node.cmp(&other.node));
        Ok(answers)
    }
}
