//! Replays: the size of a capture, the time to play it back, and the time to compare a policy on it.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use berth_capture::CaptureReader;
use berth_capture::record::Source;
use berth_core::extenders::NoExtenders;
use berth_core::model::Pod;
use berth_core::{Action, Event, Options, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{Delivery, Guests};
use berth_replay::{Decider, History, Policy, Replay, ReplayOptions, compare};
use berth_tests::objects::{node, pod, with};
use berth_tests::recording::{BEGIN, Recording, default_plugins, default_profiles, default_reads};
use serde_json::{Value, json};

use crate::{Lines, number};

/// The number of ReplicaSets that the pods belong to.
const OWNERS: usize = 20;

/// The number of events after which the plugins receive the changes of the cluster.
const EVENTS_PER_UPDATE: u64 = 256;

/// Measures replays of `BENCH_REPLAY_PODS` pods on `BENCH_REPLAY_NODES` nodes.
pub fn measure(lines: &mut Lines) -> Result<()> {
    let (pods, nodes) = (number("BENCH_REPLAY_PODS", 100_000)?, number("BENCH_REPLAY_NODES", 5_000)?);
    let capture = capture(pods, nodes)?;
    let components = default_plugins()?;

    let began = Instant::now();
    let reader = CaptureReader::new(Cursor::new(&capture))?;
    let mut replay = Replay::new(reader, Arc::clone(&components), ReplayOptions::default())?;
    while replay.step()? {}
    let replayed = began.elapsed();
    let outcome = replay.outcome();
    ensure!(outcome.differing_steps == 0, "the replay differs: {:?}", outcome.first_difference);

    let began = Instant::now();
    let history = History::read([("memory".into(), Cursor::new(&capture))])?;
    let policy = Policy { components: Arc::clone(&components), specs: default_profiles(), backoff: None };
    let deciders =
        vec![("base".to_owned(), Decider::CapturePolicy(components)), ("same".to_owned(), Decider::Policy(policy))];
    let comparison = compare(&history, deciders, &mut |_, _| {}, &mut |_, _, _| None)?;
    let compared = began.elapsed();
    let bound = comparison.columns.last().map(|column| column.measures.bound);
    ensure!(bound == Some(pods as u64), "{bound:?} of {pods} pods got a node");
    lines.write(&json!({
        "pods": pods, "nodes": nodes, "events": outcome.steps, "bytesPerPod": capture.len() as f64 / pods as f64,
        "replaySeconds": replayed.as_secs_f64(), "compareSeconds": compared.as_secs_f64(),
    }))
}

/// The number of pods that are created in a second of the capture. A replay tries a bounded number of pods at one time.
const PODS_PER_SECOND: usize = 1_000;

/// Returns the capture of a scheduler that places the pods one after the other.
fn capture(pods: usize, nodes: usize) -> Result<Vec<u8>> {
    let mut scheduler = Scheduler::new()?;
    for number in 0..nodes {
        let zone = json!({"metadata": {"labels": {"topology.kubernetes.io/zone": format!("zone-{}", number % 3)}}});
        let event = scheduler.recording.read(&with(node(&format!("n-{number}"), 64), &zone))?;
        scheduler.step(event)?;
    }
    scheduler.serve()?;
    for number in 0..pods {
        scheduler.set_time((number / PODS_PER_SECOND) as u64);
        let event = scheduler.recording.read(&replica(number))?;
        let Event::PodSet(pod) = &event else { bail!("not a pod: {event:?}") };
        let pod = Arc::clone(pod);
        scheduler.step(event)?;
        let actions = scheduler.step(Event::Cycle)?;
        let node = actions.into_iter().find_map(|action| match action {
            Action::Bind { node, .. } => Some(node),
            _ => None,
        });
        let node_name = node.with_context(|| format!("the pod {} got no node", pod.key))?;
        scheduler.step(Event::Bound(pod.key.clone()))?;
        scheduler.step(Event::PodSet(Arc::new(Pod { node_name, ..Pod::clone(&pod) })))?;
    }
    scheduler.recording.end()
}

fn replica(number: usize) -> Value {
    let owner = number % OWNERS;
    let owners = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("rs-{owner}"),
                         "uid": format!("rs-{owner}"), "controller": true}]);
    let metadata = json!({"labels": {"app": format!("app-{owner}")}, "ownerReferences": owners});
    with(pod(&format!("p-{number}"), "100m"), &json!({"metadata": metadata}))
}

/// A scheduler whose steps are recorded.
struct Scheduler {
    engine: Engine,
    recording: Recording,
    now: Timestamp,
    events: u64,
}

impl Scheduler {
    fn new() -> Result<Self> {
        let guests = Guests::new(Arc::clone(default_plugins()?.limits()), Arc::new(|_| true))?;
        // As in the header of the capture.
        let options = Options { verify_every: 0, ..Options::default() };
        Ok(Self {
            engine: Engine::new(options, guests),
            recording: Recording::new(Source::Scheduler)?,
            now: BEGIN,
            events: 0,
        })
    }

    /// Sets the time of the next steps, in seconds after [`BEGIN`].
    fn set_time(&mut self, seconds: u64) {
        self.recording.at(seconds);
        self.now = Timestamp(BEGIN.0 + seconds * 1000);
    }

    fn step(&mut self, event: Event) -> Result<Vec<Action>> {
        let actions = self.decide(event.clone());
        self.recording.event_with(event, actions.clone())?;
        Ok(actions)
    }

    fn decide(&mut self, event: Event) -> Vec<Action> {
        self.events += 1;
        if self.events.is_multiple_of(EVENTS_PER_UPDATE) {
            self.engine.update_plugins(self.now);
        }
        self.engine.step(event, self.now, &mut NoExtenders, &mut ())
    }

    /// Brings the default plugins into service.
    fn serve(&mut self) -> Result<()> {
        let wanted = default_reads()?;
        self.step(Event::ObjectsWanted(wanted.clone()))?;
        for reads in wanted {
            self.step(Event::ObjectsListed(reads))?;
        }
        let engine = &mut self.engine;
        let prepared = default_plugins()?.filled(default_profiles(), &mut |_| {
            let cache = engine.core().cache();
            cache.frozen(cache.log().end())
        })?;
        let swapped = engine.accept(Delivery::Swap(prepared), BEGIN).context("the plugins can't be filled")?;
        let actions = self.decide(swapped);
        self.recording.default_policy_with(actions)?;
        Ok(())
    }
}
