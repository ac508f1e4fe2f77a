//! Runs the cases: one trial for each kind of API server that a case needs.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use berth_test_kit::{ControlPlane, wait};
use berth_tests::{Target, start_control_plane};
use futures::future::BoxFuture;
use libtest_mimic::{Failed, Trial};

use crate::case::{Case, On, Run};

/// The maximum duration of a trial. A trial that takes longer hangs.
const TRIAL_LIMIT: Duration = Duration::from_secs(600);

/// The lanes: two trials run at the same time, one of each lane. The trials with a real API server share the server, and
/// take longer. The trials that start programs are in the other lane. Most trials wait more than they compute.
static EMBEDDED: Lane = Lane::new();
static REAL: Lane = Lane::new();

/// Lets one trial run at a time. Of the trials that wait, the first in the list of trials is next: what a trial leaves on
/// the shared API server is then the same in each run.
struct Lane {
    state: Mutex<LaneState>,
    changed: Condvar,
}

struct LaneState {
    /// The number of trials that have a position.
    positions: usize,
    waiting: BTreeSet<usize>,
    busy: bool,
}

impl Lane {
    const fn new() -> Self {
        let state = LaneState { positions: 0, waiting: BTreeSet::new(), busy: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the position of the next trial in the list.
    fn position(&self) -> usize {
        let mut state = self.lock();
        state.positions += 1;
        state.positions
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
    /// The control plane, or the error of its start. `None` until the first trial with a real API server.
    plane: Mutex<Option<Result<Arc<ControlPlane>, String>>>,
}

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

    /// Stops the control plane.
    pub fn stop(&self) {
        drop(self.plane.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn trial(self: &Arc<Self>, kind: &str, server: Server, case: &Case) -> Trial {
        let (harness, run) = (Arc::clone(self), case.run);
        let name = format!("{kind}::{}::{}", case.module, case.name);
        let lane = match server {
            Server::Embedded => &EMBEDDED,
            Server::Real => &REAL,
        };
        let position = lane.position();
        Trial::test(name, move || run_in_lane(lane, position, harness.run(server, run)))
    }

    async fn run(&self, server: Server, case: Run) -> Result<()> {
        let target = match server {
            Server::Embedded => Target::embedded().await?,
            Server::Real => Target::real(&*self.plane().await?).await?,
        };
        case(&target).await
    }

    async fn plane(&self) -> Result<Arc<ControlPlane>> {
        let started = self.plane.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let plane = match started {
            Some(plane) => plane,
            None => {
                let plane = start_control_plane().await.map(Arc::new).map_err(|error| format!("{error:#}"));
                *self.plane.lock().unwrap_or_else(PoisonError::into_inner) = Some(plane.clone());
                plane
            }
        };
        plane.map_err(|error| anyhow!("the control plane did not start: {error}"))
    }
}

/// Creates a trial that does not get an API server from the harness.
pub fn standalone_trial(name: &str, run: impl FnOnce() -> BoxFuture<'static, Result<()>> + Send + 'static) -> Trial {
    let position = EMBEDDED.position();
    Trial::test(name, move || run_in_lane(&EMBEDDED, position, run()))
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
fn run_in_lane(lane: &Lane, position: usize, trial: impl Future<Output = Result<()>>) -> Result<(), Failed> {
    let _lane = lane.enter(position);
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
