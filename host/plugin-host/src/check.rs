//! `berth plugin check`: what a component is, whether it can be a plugin, and what it costs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use berth_core::cache::{Cache, NodeId};
use berth_core::plugins::{Declaration, ExtensionPoints};

use super::conformance::{Conformance, Examination, examine};
use super::feed::Feeder;
use super::guest::{CallError, Export, thread_cpu_time};
use super::guests::Resident;
use super::load::{Digest, LoadCause, LoadError, Opened, Source, Trial, configure, names_of, open, trial};
use super::synthetic;
use berth_core::limits::Limits;

/// Nodes of the made-up cluster that costs are measured on.
pub const CHECK_NODES: usize = 1_000;

/// Each call is measured so often; the least counts, as the rest is noise.
const ROUNDS: usize = 10;

/// What a component turned out to be. Times are CPU time.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// Of its bytes.
    pub digest: Digest,
    /// Bytes of the file.
    pub size: usize,
    /// Extension points that it exports, by name.
    pub exports: String,
    /// Whether it keeps facts of nodes.
    pub snapshot: bool,
    /// Its name and version, and what it declares with these arguments.
    pub declaration: Declaration,
    /// Compiling it.
    pub compile: Duration,
    /// Telling it of [`CHECK_NODES`] nodes.
    pub first_sync: Duration,
    /// One call for [`CHECK_NODES`] nodes, of each function that it exports.
    pub calls: Vec<(Export, Duration)>,
    /// Bytes of its memory after all that.
    pub memory: usize,
    /// Whether it holds what a guest must hold.
    pub conformance: Conformance,
}

/// Loads the component in `file`, gives it `arguments` (JSON), tries it on a made-up cluster, measures and examines it.
///
/// # Errors
/// Why no scheduler would take it.
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

/// The cost of each function, for the pod that makes it work most.
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
            r.instance().sort_key(t.cycle(), t.cycle().time).map(drop)
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
            // What a function prepares in another one has to be there, as in a cycle.
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
