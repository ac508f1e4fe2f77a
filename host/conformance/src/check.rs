//! The check behind `berth plugin check`: whether a component is a valid plugin, what it declares, and what it costs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use berth_core::cache::{Cache, NodeId};
use berth_core::plugins::{Declaration, ExtensionPoints, QueueTimes};

use berth_core::limits::Limits;
use berth_plugin_host::examine::{Feeder, Opened, Resident, Trial, configure, names_of, open, thread_cpu_time, trial};
use berth_plugin_host::synthetic;
use berth_plugin_host::{CallError, Digest, Export, LoadCause, LoadError, Source, Version};

use super::{Conformance, Examination, examine};

/// The number of nodes of the synthetic cluster for cost measurements.
pub const CHECK_NODES: usize = 1_000;

/// The number of measurements of each call for each pod. The shortest time counts, because longer times contain noise.
const ROUNDS: usize = 10;

/// The result of a check. Times are CPU time.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The digest of the component's bytes.
    pub digest: Digest,
    /// The size of the file in bytes.
    pub size: usize,
    /// The version of the contract that the component was built for.
    pub contract: Version,
    /// The JSON Schema with which the plugin describes its arguments, if there is one.
    pub arguments: Option<String>,
    /// The names of the extension points that the component exports.
    pub exports: String,
    /// Whether the component exports `snapshot`, which receives the facts of nodes.
    pub snapshot: bool,
    /// The plugin's name and version, and its declaration for these arguments.
    pub declaration: Declaration,
    /// The time to compile the component.
    pub compile: Duration,
    /// The time to send an instance a cluster of [`CHECK_NODES`] nodes.
    pub first_sync: Duration,
    /// The time of one call with [`CHECK_NODES`] nodes, for each measured function that the component exports. Not
    /// measured are post-filter, normalize, score-classes, unreserve, hints and filter-what-if.
    pub calls: Vec<(Export, Duration)>,
    /// The memory of the instance after the measurements, in bytes.
    pub memory: usize,
    /// The result of the conformance examination.
    pub conformance: Conformance,
}

/// Loads the component in `file` with `arguments` (JSON), tests it on a synthetic cluster, measures it, and examines
/// its conformance.
///
/// # Errors
/// The reason why a scheduler would refuse the component.
pub fn check(file: &Path, arguments: &str, limits: Limits, examination: Examination) -> Result<CheckReport, LoadError> {
    let limits = Arc::new(limits);
    let opened = open(file, None, &limits)?;
    measure(opened, arguments, &limits, examination).map_err(|cause| LoadError::new(&Source::file(file), cause))
}

fn measure(
    Opened { component, compile }: Opened,
    arguments: &str,
    limits: &Arc<Limits>,
    examination: Examination,
) -> Result<CheckReport, LoadCause> {
    let cache = synthetic::cluster(CHECK_NODES);
    let (instance, declaration) = configure(&component, arguments, limits, &Arc::default())?;
    let declaration = Arc::new(declaration);
    let (mut resident, first_sync) =
        timed(|| Resident::fill(instance, Arc::clone(&declaration), &cache, &mut Feeder::default()))?;
    trial(&mut resident, &cache, CHECK_NODES)?;
    let calls = calls(&mut resident, component.points, &cache)?;
    Ok(CheckReport {
        digest: component.digest,
        size: component.size,
        contract: component.contract,
        arguments: component.arguments.as_ref().map(|schema| schema.text().to_string()),
        exports: names_of(component.points),
        snapshot: component.snapshot,
        declaration: Declaration::clone(&declaration),
        compile,
        first_sync,
        calls,
        memory: resident.memory(),
        conformance: examine(&component, arguments, limits, examination)?,
    })
}

/// Measures the exported functions. The time of a function is the time for the pod with the highest cost.
fn calls(
    resident: &mut Resident,
    points: ExtensionPoints,
    cache: &Cache,
) -> Result<Vec<(Export, Duration)>, CallError> {
    type Call = fn(&mut Resident, &Trial<'_>, &[NodeId]) -> Result<(), CallError>;
    let measured: [(ExtensionPoints, Export, Call); 13] = [
        (ExtensionPoints::SKIP, Export::Skip, |r, t, _| r.instance().skip(t.cycle()).map(drop)),
        (ExtensionPoints::PRE_ENQUEUE, Export::PreEnqueue, |r, t, _| r.instance().pre_enqueue(t.cycle()).map(drop)),
        (ExtensionPoints::QUEUE_SORT, Export::SortKey, |r, t, _| {
            r.instance()
                .sort_key(t.cycle(), QueueTimes { first_queued: t.cycle().time, queued: t.cycle().time })
                .map(drop)
        }),
        (ExtensionPoints::PRE_FILTER, Export::PreFilter, |r, t, _| r.instance().pre_filter(t.cycle()).map(drop)),
        (ExtensionPoints::FILTER, Export::Filter, |r, t, nodes| r.instance().filter(t.cycle(), nodes).map(drop)),
        (ExtensionPoints::PRE_SCORE, Export::PreScore, |r, t, nodes| {
            r.instance().pre_score(t.cycle(), nodes).map(drop)
        }),
        (ExtensionPoints::SCORE, Export::Score, |r, t, nodes| r.instance().score(t.cycle(), nodes).map(drop)),
        (ExtensionPoints::CLASSES, Export::Classify, |r, t, _| r.instance().classify(t.cycle(), 0).map(drop)),
        (ExtensionPoints::RESERVE, Export::Reserve, |r, t, nodes| {
            nodes.first().map_or(Ok(()), |node| r.instance().reserve(t.cycle(), *node).map(drop))
        }),
        (ExtensionPoints::PERMIT, Export::Permit, |r, t, _| r.instance().permit(t.cycle(), "", &[]).map(drop)),
        (ExtensionPoints::PRE_BIND, Export::PreBind, |r, t, _| r.instance().pre_bind(t.cycle(), "", &[]).map(drop)),
        (ExtensionPoints::BIND, Export::Bind, |r, t, _| r.instance().bind(t.cycle(), "", &[]).map(drop)),
        (ExtensionPoints::POST_BIND, Export::PostBind, |r, t, _| r.instance().post_bind(t.cycle(), "", &[])),
    ];
    let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).collect();
    let pods = synthetic::pods();
    let mut calls = Vec::new();
    for (_, export, call) in measured.into_iter().filter(|(point, ..)| points.contains(*point)) {
        let mut most = Duration::ZERO;
        for (number, pod) in pods.iter().enumerate() {
            let trial = Trial::new(cache, pod, number as u32);
            // Call pre-filter and pre-score first, because a plugin may compute data there for the later calls.
            trial.prepare(resident, &nodes)?;
            let mut least = Duration::MAX;
            for _ in 0..ROUNDS {
                least = least.min(timed(|| call(resident, &trial, &nodes))?.1);
            }
            most = most.max(least);
        }
        calls.push((export, most));
    }
    Ok(calls)
}

fn timed<T, E>(run: impl FnOnce() -> Result<T, E>) -> Result<(T, Duration), E> {
    let before = thread_cpu_time();
    let result = run()?;
    Ok((result, thread_cpu_time().saturating_sub(before)))
}
