//! One component by itself, over a cluster given by hand: what it says of each node.

use std::path::Path;
use std::sync::Arc;

use berth_core::cache::{Cache, NodeId, NodeInfo};
use berth_core::model::Pod;
use berth_core::plugins::Status;

use super::asking;
use super::conformance::{self, Conformance, Examination};
use super::feed::Feeder;
use super::guests::Resident;
use super::load::{LoadCause, LoadError, LoadedComponent, Trial, configure, open};
use berth_core::limits::Limits;

/// A component, compiled, to be asked with several arguments and clusters.
pub struct Solo {
    component: LoadedComponent,
    limits: Arc<Limits>,
}

/// What a plugin says of a node for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The node's name.
    pub node: Box<str>,
    /// Why the pod does not go there; `None` where it does, as far as this plugin is asked.
    pub rejected: Option<Status>,
    /// The raw score; `None` where the plugin scores nothing for this pod, or rejected the node.
    pub score: Option<i64>,
}

impl Solo {
    /// Compiles the component in `file` and checks it against the contract. With `cache_dir`, compiled code is kept there.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load(file: &Path, cache_dir: Option<&Path>, limits: Limits) -> Result<Self, LoadError> {
        let limits = Arc::new(limits);
        Ok(Self { component: open(file, cache_dir, &limits)?.component, limits })
    }

    /// The plugin's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.component.name
    }

    /// Whether the plugin, with these arguments (JSON), holds what a guest must hold.
    ///
    /// # Errors
    /// It refuses its arguments.
    pub fn examine(&self, arguments: &str, examination: Examination) -> Result<Conformance, LoadError> {
        conformance::examine(&self.component, arguments, &self.limits, examination)
            .map_err(|cause| LoadError::new(&self.component.source, cause))
    }

    /// What the plugin, with these arguments (JSON), says of all nodes of a cluster for a pod, in the order of a cycle:
    /// pre-filter, filter, pre-score and score. By node name.
    ///
    /// # Errors
    /// It refuses its arguments, or did not answer as it must.
    pub fn ask(&self, arguments: &str, cache: &Cache, pod: &Pod) -> Result<Vec<Said>, LoadError> {
        self.asked(arguments, cache, pod).map_err(|cause| LoadError::new(&self.component.source, cause))
    }

    fn asked(&self, arguments: &str, cache: &Cache, pod: &Pod) -> Result<Vec<Said>, LoadCause> {
        let (instance, declaration) = configure(&self.component, arguments, &self.limits, &Arc::default())?;
        let mut resident = Resident::fill(instance, Arc::new(declaration), cache, &mut Feeder::default())?;
        let trial = Trial::new(cache, pod, 0);
        resident.hold(trial.cycle().template, pod)?;
        let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).collect();
        let rejected = asking::filtered(&mut resident, trial.cycle(), &nodes)?.rejected;
        let fitting = nodes.iter().zip(&rejected).filter(|(_, rejected)| rejected.is_none());
        let fitting: Vec<NodeId> = fitting.map(|(node, _)| *node).collect();
        let scored = asking::scored(&mut resident, trial.cycle(), &fitting)?;
        let mut scores = scored.into_iter().flat_map(|scored| scored.raw);
        // Both lists are in the nodes' order: each that fits takes the next score.
        let say = |(info, rejected): (&NodeInfo, Option<Status>)| Said {
            node: info.node.name.clone(),
            score: if rejected.is_none() { scores.next() } else { None },
            rejected,
        };
        let mut said: Vec<Said> = cache.nodes().zip(rejected).map(say).collect();
        said.sort_by(|one, other| one.node.cmp(&other.node));
        Ok(said)
    }
}
