//! Runs the cases: one trial for each kind of API server that a case needs.

use std::sync::{Arc, Mutex, PoisonError};
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
/// the trials that start programs are in their lane too. Most trials wait more than they compute.
static EMBEDDED: Mutex<()> = Mutex::new(());
static REAL: Mutex<()> = Mutex::new(());

/// The number of trials that run at the same time: one for each lane.
pub const LANES: usize = 2;

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
        Trial::test(name, move || run_in_lane(lane, harness.run(server, run)))
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
    Trial::test(name, move || run_in_lane(&REAL, run()))
}

/// Runs a trial when no other trial of the lane runs. The time limit starts then.
fn run_in_lane(lane: &Mutex<()>, trial: impl Future<Output = Result<()>>) -> Result<(), Failed> {
    let _lane = lane.lock().unwrap_or_else(PoisonError::into_inner);
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
