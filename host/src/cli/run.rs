//! `berth run`: places the pods of a cluster until stopped.

mod flags;
mod policy;
mod settings;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;
use tracing::{info, warn};

use self::flags::{ElectionFlags, ServingFlags};
use self::policy::PolicyFlags;
use self::settings::SettingsFlags;
use crate::admin::metrics::Metrics;
use crate::admin::{self, Subject};
use crate::config::{Configuration, Followed};
use crate::kube::OwnPod;
use crate::kube::lease::{Elector, LeaderElection};
use crate::scheduler::{Options, Reload, Scheduler};

/// How long bindings, conditions and events that are under way may take at the end.
const DRAIN: Duration = Duration::from_secs(10);

/// Arguments of `berth run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cluster to work in [default: the one whose pod this is].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// A KubeSchedulerConfiguration, and Berth's own settings behind it (docs/configuration.md). Its profiles are watched: a
    /// change of them takes effect.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Place pods whose spec.schedulerName is this [default: default-scheduler].
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    scheduler_name: Option<String>,
    #[command(flatten)]
    settings: SettingsFlags,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    election: ElectionFlags,
    #[command(flatten)]
    serving: ServingFlags,
}

/// The wish to end; waited for in several places, so that none is missed in between.
type Stop<'a> = Pin<&'a mut (dyn Future<Output = Result<()>> + Send)>;

/// Runs until SIGTERM or Ctrl-C, then ends what is under way and gives the Lease up.
///
/// # Errors
/// The configuration or the cluster's address is not right; the Lease was lost.
pub async fn run(args: Args) -> Result<()> {
    let stop = std::pin::pin!(super::stopped());
    let (file, mut configuration) = match &args.policy.or(args.config) {
        Some(path) => {
            let (file, configuration) = Followed::load(path)?;
            (Some((file, configuration.clone())), configuration)
        }
        None => (None, Configuration::default_profile(args.scheduler_name.as_deref())),
    };
    args.election.apply_to(&mut configuration.leader_election);
    args.settings.apply_to(&mut configuration);
    if let Some(kubeconfig) = &args.kubeconfig {
        configuration.client_connection.kubeconfig = Some(kubeconfig.display().to_string());
    }
    if let Some(path) = &args.settings.write_config_to {
        return settings::write(&configuration, path);
    }
    let election = configuration.leader_election.clone();
    let connection = &configuration.client_connection;
    let mut client = crate::kube::connect(connection.kubeconfig()).await?;
    if let Some((qps, burst)) = connection.rate() {
        client = crate::kube::limited(client, qps, burst);
    }
    let elector = election.enabled.then(|| Elector::new(client.clone(), &election)).transpose()?;
    let options = Options::of(configuration);
    let metrics = Arc::clone(&options.metrics);
    let subject = Arc::new(Subject::new(Arc::clone(&options.vitals), Arc::clone(&metrics)));
    let server = admin::Server::start(args.serving.address(), Arc::clone(&subject)).await?;
    info!("health and metrics: http://{}", server.address());
    let scheduler = Scheduler::prepare(&client, options).await?;
    let observer = scheduler.observer();
    subject.observe(observer.clone());
    let reload = file.map(|(file, started_with)| Reload::new(file, started_with, observer.clone()));
    let own = OwnPod::from_environment();
    let refusals = admin::report_refusals(client, own, observer, Arc::clone(&metrics), reload);
    tokio::select! {
        () = refusals => Ok(()),
        ended = work(elector, &election, &metrics, scheduler, stop) => ended,
    }
}

/// Takes part once cluster and plugins are there.
async fn work(
    elector: Option<Elector>,
    election: &LeaderElection,
    metrics: &Metrics,
    scheduler: Scheduler,
    mut stop: Stop<'_>,
) -> Result<()> {
    tokio::select! {
        ready = scheduler.ready() => ready?,
        stopped = &mut stop => {
            stopped?;
            return drain(scheduler).await;
        }
    }
    lead(elector, election, metrics, scheduler, stop).await
}

/// Places pods while this process leads; without an election it always does.
async fn lead(
    elector: Option<Elector>,
    election: &LeaderElection,
    metrics: &Metrics,
    scheduler: Scheduler,
    stop: Stop<'_>,
) -> Result<()> {
    let Some(mut elector) = elector else { return place(scheduler, stop).await };
    metrics.set_leads(&election.name, false);
    let leads = elector.leads();
    let ended = tokio::select! {
        lost = elector.run() => return Err(lost.into()),
        ended = place_as_leader(leads, election, metrics, scheduler, stop) => ended,
    };
    // Only now, as another may place pods from then on.
    elector.release().await;
    ended
}

/// Stands by until this process leads.
async fn place_as_leader(
    mut leads: watch::Receiver<bool>,
    election: &LeaderElection,
    metrics: &Metrics,
    scheduler: Scheduler,
    mut stop: Stop<'_>,
) -> Result<()> {
    tokio::select! {
        _ = leads.wait_for(|leads| *leads) => {}
        stopped = &mut stop => {
            stopped?;
            return drain(scheduler).await;
        }
    }
    metrics.set_leads(&election.name, true);
    place(scheduler, stop).await
}

async fn place(scheduler: Scheduler, stop: Stop<'_>) -> Result<()> {
    scheduler.begin()?;
    info!("ready: placing pods");
    stop.await?;
    drain(scheduler).await
}

async fn drain(scheduler: Scheduler) -> Result<()> {
    info!("stopping: ending what is under way");
    let undone = scheduler.stop(DRAIN).await?;
    if undone != crate::kube::Undone::default() {
        warn!("not awaited at the end: {undone:?}");
    }
    Ok(())
}
