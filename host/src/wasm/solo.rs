//! One component by itself, over a cluster given by hand: what it says of each node.

use std::path::Path;
use std::sync::Arc;

use berth_core::cache::{Cache, NodeId};
use berth_core::model::Pod;
use berth_core::plugins::{Code, ExtensionPoints, PreFilterResult, PreScoreResult, Status};

use super::engine::engine;
use super::feed::Feeder;
use super::guest::CallError;
use super::guests::Resident;
use super::limits::Limits;
use super::load::{Compiler, LoadCause, LoadError, LoadedComponent, Source, Trial, configure, read_bounded};

/// A component, compiled, to be asked with several arguments and clusters.
pub struct Solo {
    component: LoadedComponent,
    source: Source,
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
    /// Compiles the component in `file` and checks it against the contract.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load(file: &Path, limits: Limits) -> Result<Self, LoadError> {
        let source = Source::file(file);
        let limits = Arc::new(limits);
        let refused = |cause| LoadError::new(&source, cause);
        let no_engine = |error: wasmtime::Error| refused(LoadCause::NoEngine(format!("{error:#}")));
        let bytes = read_bounded(file, limits.file_size).map_err(refused)?;
        let compiler = Compiler::new(engine().map_err(no_engine)?, None, Arc::clone(&limits)).map_err(no_engine)?;
        let component = compiler.load(source.clone(), &bytes)?;
        Ok(Self { component, source, limits })
    }

    /// What the plugin, with these arguments (JSON), says of all nodes of a cluster for a pod, in the order of a cycle:
    /// pre-filter, filter, pre-score and score.
    ///
    /// # Errors
    /// It refuses its arguments, or did not answer as it must.
    pub fn ask(&self, arguments: &str, cache: &Cache, pod: &Pod) -> Result<Vec<Said>, LoadError> {
        self.asked(arguments, cache, pod).map_err(|cause| LoadError::new(&self.source, cause))
    }

    fn asked(&self, arguments: &str, cache: &Cache, pod: &Pod) -> Result<Vec<Said>, LoadCause> {
        let (instance, declaration) = configure(&self.component, arguments, &self.limits, &Arc::default())?;
        let mut resident = Resident::fill(instance, Arc::new(declaration), cache, &mut Feeder::default())?;
        let trial = Trial::new(cache, pod, 0);
        resident.hold(trial.cycle().template, pod)?;
        let mut said = self.filtered(&mut resident, &trial, cache)?;
        self.score(&mut resident, &trial, cache, &mut said)?;
        said.sort_by(|one, other| one.node.cmp(&other.node));
        Ok(said)
    }

    fn filtered(&self, resident: &mut Resident, trial: &Trial<'_>, cache: &Cache) -> Result<Vec<Said>, CallError> {
        let nodes: Vec<(NodeId, &str)> = cache.nodes().map(|info| (info.id, &*info.node.name)).collect();
        let narrowed = |names: &[Box<str>], name: &str| match names.iter().any(|wanted| **wanted == *name) {
            true => None,
            false => Some(left_out(&self.component.name)),
        };
        let before = resident.instance().pre_filter(trial.cycle())?;
        let mut said: Vec<Said> = nodes
            .iter()
            .map(|(_, name)| Said {
                node: (*name).into(),
                rejected: match &before {
                    PreFilterResult::All | PreFilterResult::Skip => None,
                    PreFilterResult::Narrow(names) => narrowed(names, name),
                    PreFilterResult::Reject(status) => Some(status.clone()),
                },
                score: None,
            })
            .collect();
        if before == PreFilterResult::Skip {
            return Ok(said);
        }
        let left: Vec<usize> = (0..said.len()).filter(|at| said[*at].rejected.is_none()).collect();
        let ids: Vec<NodeId> = left.iter().map(|at| nodes[*at].0).collect();
        let verdicts = resident.instance().filter(trial.cycle(), &ids)?;
        for (at, verdict) in left.into_iter().zip(verdicts.nodes) {
            let outcome = usize::from(verdict).checked_sub(1).and_then(|outcome| verdicts.outcomes.get(outcome));
            said[at].rejected = outcome.cloned();
        }
        Ok(said)
    }

    fn score(
        &self,
        resident: &mut Resident,
        trial: &Trial<'_>,
        cache: &Cache,
        said: &mut [Said],
    ) -> Result<(), CallError> {
        let fits = |said: &[Said], name: &str| said.iter().any(|one| *one.node == *name && one.rejected.is_none());
        let nodes = cache.nodes().filter(|info| fits(said, &info.node.name));
        let (ids, names): (Vec<NodeId>, Vec<&str>) = nodes.map(|info| (info.id, &*info.node.name)).unzip();
        if !self.component.points.contains(ExtensionPoints::SCORE)
            || resident.instance().pre_score(trial.cycle(), &ids)? == PreScoreResult::Skip
        {
            return Ok(());
        }
        let scores = resident.instance().score(trial.cycle(), &ids)?;
        for (name, score) in names.into_iter().zip(scores) {
            if let Some(said) = said.iter_mut().find(|said| *said.node == *name) {
                said.score = Some(score);
            }
        }
        Ok(())
    }
}

/// Of a node that this plugin's pre-filter did not name: what a scheduling cycle says of it.
fn left_out(plugin: &str) -> Status {
    let reason = format!("node(s) didn't satisfy plugin(s) [{plugin}]").into();
    Status { code: Code::UnschedulableAndUnresolvable, reasons: vec![reason] }
}
