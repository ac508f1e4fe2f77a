//! Runs the cases: one trial for each kind of API server that a case needs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use berth_test_kit::{ControlPlane, wait};
use berth_tests::{Target, start_control_plane};
use futures::future::BoxFuture;
use libtest_mimic::{Failed, Trial};

use crate::case::{Case, On, Run};

/// The maximum duration of a trial. A trial that takes longer hangs.
const TRIAL_LIMIT: Duration = Duration::from_secs(600);

/// The lanes of each kind. One trial of each lane runs at a time. Most trials wait more than they compute.
const LANES: usize = 2;

/// The trials with an embedded API server of their own, and the trials that start programs.
static EMBEDDED: Lanes = Lanes::new();
/// The trials with a real API server. Those of a lane share one server.
static REAL: Lanes = Lanes::new();

/// Lanes that get the trials of a kind in turn, so that a trial is in the same lane in each run.
struct Lanes {
    trials: AtomicUsize,
    lanes: [Lane; LANES],
}

/// The place of a trial.
#[derive(Clone, Copy)]
struct Place {
    /// The number of the lane among those of the kind.
    number: usize,
    lane: &'static Lane,
    position: usize,
}

impl Lanes {
    const fn new() -> Self {
        Self { trials: AtomicUsize::new(0), lanes: [const { Lane::new() }; LANES] }
    }

    /// Returns the place of the next trial in the list.
    fn next(&'static self) -> Place {
        let trial = self.trials.fetch_add(1, Ordering::Relaxed);
        let number = trial % LANES;
        Place { number, lane: &self.lanes[number], position: trial }
    }
}

/// Lets one trial run at a time. Of the trials that wait, the first in the list of trials is next: what a trial leaves on
/// the shared API server is then the same in each run.
struct Lane {
    state: Mutex<LaneState>,
    changed: Condvar,
}

struct LaneState {
    waiting: BTreeSet<usize>,
    busy: bool,
}

impl Lane {
    const fn new() -> Self {
        let state = LaneState { waiting: BTreeSet::new(), busy: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other trial runs and no earlier one waits. The lane is free again when the value is dropped.
    fn enter(&self, position: usize) -> InLane<'_> {
        let mut state = self.lock();
        state.waiting.insert(position);
        while state.busy || state.waiting.first() != Some(&position) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.remove(&position);
        state.busy = true;
        InLane(self)
    }
}

/// A trial that runs in a lane.
struct InLane<'a>(&'a Lane);

impl Drop for InLane<'_> {
    fn drop(&mut self) {
        self.0.lock().busy = false;
        self.0.changed.notify_all();
    }
}

/// The number of threads that run trials. Most of them wait for their lane: a thread takes the next trial, of whichever
/// lane, so there are enough threads that each lane has one.
pub const THREADS: usize = 24;

/// The state that the trials share.
#[derive(Default)]
pub struct Harness {
    /// The control plane of each lane.
    planes: [Mutex<Option<StartedPlane>>; LANES],
}

/// A control plane, or the error of its start. `None` until the lane's first trial with a real API server.
type StartedPlane = Result<Arc<ControlPlane>, String>;

#[derive(Clone, Copy)]
enum Server {
    Embedded,
    Real,
}

impl Harness {
    /// Returns the case's trials. If `KUBEBUILDER_ASSETS` is not set, trials with a real API server are shown as
    /// ignored.
    pub fn trials(self: &Arc<Self>, case: &Case) -> Vec<Trial> {
        let mut trials = Vec::new();
        if case.on != On::Real {
            trials.push(self.trial("embedded", Server::Embedded, case));
        }
        if case.on != On::Embedded {
            let real = self.trial("real", Server::Real, case);
            trials.push(real.with_ignored_flag(ControlPlane::assets().is_none()));
        }
        trials
    }

    /// Stops the control planes.
    pub fn stop(&self) {
        for plane in &self.planes {
            drop(plane.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }

    fn trial(self: &Arc<Self>, kind: &str, server: Server, case: &Case) -> Trial {
        let (harness, run) = (Arc::clone(self), case.run);
        let name = format!("{kind}::{}::{}", case.module, case.name);
        let place = match server {
            Server::Embedded => EMBEDDED.next(),
            Server::Real => REAL.next(),
        };
        Trial::test(name, move || run_in_lane(place, harness.run(server, place.number, run)))
    }

    async fn run(&self, server: Server, lane: usize, case: Run) -> Result<()> {
        let target = match server {
            Server::Embedded => Target::embedded().await?,
            Server::Real => Target::real(&*self.plane(lane).await?).await?,
        };
        case(&target).await?;
        target.replay().await.context("playing back what the schedulers did")
    }

    async fn plane(&self, lane: usize) -> Result<Arc<ControlPlane>> {
        let kept = || self.planes[lane].lock().unwrap_or_else(PoisonError::into_inner);
        let started = kept().clone();
        let plane = match started {
            Some(plane) => plane,
            None => {
                let plane = start_control_plane().await.map(Arc::new).map_err(|error| format!("{error:#}"));
                *kept() = Some(plane.clone());
                plane
            }
        };
        plane.map_err(|error| anyhow!("the control plane did not start: {error}"))
    }
}

/// Creates a trial that does not get an API server from the harness.
pub fn standalone_trial(name: &str, run: impl FnOnce() -> BoxFuture<'static, Result<()>> + Send + 'static) -> Trial {
    let place = EMBEDDED.next();
    Trial::test(name, move || run_in_lane(place, run()))
}

/// Returns the trials of both lists, each list spread evenly over the whole, so that no lane is idle at the beginning or
/// the end.
pub fn interleaved(one: Vec<Trial>, other: Vec<Trial>) -> Vec<Trial> {
    let positions = |trials: Vec<Trial>| {
        let step = 1.0 / trials.len().max(1) as f64;
        trials.into_iter().enumerate().map(move |(at, trial)| (at as f64 * step, trial))
    };
    let mut all: Vec<(f64, Trial)> = positions(one).chain(positions(other)).collect();
    all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    all.into_iter().map(|(_, trial)| trial).collect()
}

/// Runs a trial when no other trial of the lane runs. The time limit starts then.
fn run_in_lane(place: Place, trial: impl Future<Output = Result<()>>) -> Result<(), Failed> {
    let _lane = place.lane.enter(place.position);
    run_with_limit(trial)
}

/// Runs a trial on its own runtime. All tasks that the trial started end with the runtime.
fn run_with_limit(trial: impl Future<Output = Result<()>>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async { tokio::time::timeout(TRIAL_LIMIT, trial).await });
    runtime.shutdown_background();
    let result = result.unwrap_or_else(|_| {
        Err(anyhow!("the test did not end within {TRIAL_LIMIT:?}; it last waited until {}", wait::last_wait()))
    });
    result.map_err(|error| Failed::from(format!("{error:?}")))
}
