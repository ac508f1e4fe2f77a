//! `berth run`: schedules the pods of a cluster until stopped.

mod access;
mod connection;
mod election;
mod feature_gates;
mod no_effect;
mod policy;
mod serving;
mod settings;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;
use tracing::{info, warn};

use self::access::{AuthenticationFlags, AuthorizationFlags};
use self::connection::{Clients, ConnectionFlags};
use self::election::ElectionFlags;
use self::feature_gates::FeatureGate;
use self::no_effect::WithoutEffect;
use self::policy::PolicyFlags;
use self::serving::ServingFlags;
use self::settings::SettingsFlags;
use super::capture::CaptureFlags;
use super::exit_status;
use super::hint::{Hint, quoted};
use super::progress::Progress;
use super::stop_signal::StopSignal;
use crate::scheduler::{InForce, Options, Questions, Reload, Scheduler};
use berth_admin::metrics::Metrics;
use berth_admin::{DebugSignal, LocalServer, Subject};
use berth_config::{Configuration, Followed, parse_duration};
use berth_config::{LeaderElection, LeaderElectionError};
use berth_core::profile_spec::ProfileSpec;
use berth_kube::OwnPod;
use berth_kube::lease::{Elector, Locate, ServerLocation, system_clock};
use berth_supervisor::Supervisor;

/// The maximum time that a scheduler that stops waits for bindings, conditions and events in progress.
const DRAIN: Duration = Duration::from_secs(10);

/// kube-scheduler's default of `leaderElection.resourceName`.
const KUBE_SCHEDULERS_LEASE: &str = "kube-scheduler";

const EXIT: &[(u8, &str)] = &[
    (0, "SIGTERM or Ctrl-C stopped the scheduler, or --write-config-to wrote its file"),
    (1, "the configuration is invalid, the Lease was lost, or a task has ended"),
];

/// Arguments of `berth run`. As with kube-scheduler, the last of several counts.
#[derive(Debug, clap::Args)]
#[command(args_override_self = true, after_help = exit_status::section(EXIT))]
pub struct Args {
    /// KubeSchedulerConfiguration file; changes of its profiles take effect.
    ///
    /// The file may also contain a BerthConfiguration. docs/configuration.md describes all fields.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Schedule the pods with this spec.schedulerName [default: default-scheduler].
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    scheduler_name: Option<String>,
    /// Maximum time between two attempts of an unschedulable pod [default: 5m].
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pod_max_in_unschedulable_pods_duration: Option<Duration>,
    /// Accepted for compatibility; logs a warning for a gate that has no effect.
    #[arg(long, value_name = "GATE=BOOL", value_delimiter = ',', action = clap::ArgAction::Append)]
    feature_gates: Vec<FeatureGate>,
    /// Use kube-scheduler's defaults; set if the binary is called by that name.
    #[arg(long, hide = true)]
    as_kube_scheduler: bool,
    /// Let this task of the scheduler panic, for tests.
    #[arg(long, hide = true, value_name = "NAME")]
    end_task: Option<String>,
    #[command(flatten)]
    connection: ConnectionFlags,
    #[command(flatten)]
    settings: SettingsFlags,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    election: ElectionFlags,
    #[command(flatten)]
    serving: ServingFlags,
    #[command(flatten)]
    authentication: AuthenticationFlags,
    #[command(flatten)]
    authorization: AuthorizationFlags,
    #[command(flatten)]
    capture: CaptureFlags,
    #[command(flatten)]
    without_effect: WithoutEffect,
}

/// Parses a boolean as Go's `strconv.ParseBool` does.
fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("expected true or false".to_owned()),
    }
}

/// The parts that run after the connection to the API server is made.
struct Prepared {
    elector: Option<Elector>,
    election: LeaderElection,
    metrics: Arc<Metrics>,
    scheduler: Scheduler,
    plugins_compiled: Arc<AtomicUsize>,
    client: kube::Client,
    supervisor: Supervisor,
    reload: Option<Reload>,
    _server: Option<berth_admin::Server>,
    _page: Option<LocalServer>,
}

/// Runs until SIGTERM or Ctrl-C, then finishes work in progress and releases the Lease.
///
/// # Errors
/// The configuration or a flag is invalid, the API server can't be reached, a thread or task has ended, or the Lease
/// was lost.
pub async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::install()?;
    let debug_signal = DebugSignal::install()?;
    let end_task = args.end_task.clone();
    let prepared = tokio::select! {
        prepared = prepare(args) => prepared?,
        () = stop.received() => return Ok(()),
    };
    let Some(prepared) = prepared else { return Ok(()) };
    let Prepared {
        elector,
        election,
        metrics,
        scheduler,
        plugins_compiled,
        client,
        supervisor,
        mut reload,
        _server,
        _page,
    } = prepared;
    if let Some(task) = end_task {
        supervisor.fail(&task);
    }
    let observer = scheduler.observer();
    let own = OwnPod::from_environment();
    let debugging = debug_signal.dump(client.clone(), observer.clone());
    let reload = move || reload.as_mut().and_then(Reload::look);
    let refusals = berth_admin::report_refusals(client, own, observer, Arc::clone(&metrics), reload);
    let progress = Progress::counted("plugins compiled", crate::default_plugins().len(), plugins_compiled);
    tokio::select! {
        ended = supervisor.first_end() => Err(ended.into()),
        () = refusals => Ok(()),
        () = debugging => Ok(()),
        ended = work(elector, &election, &metrics, scheduler, progress, &mut stop) => ended,
    }
}

/// Reads the configuration, connects to the API server, and starts the HTTPS server. Returns `None` if the flags only
/// ask to write the configuration.
async fn prepare(args: Args) -> Result<Option<Prepared>> {
    args.without_effect.log()?;
    args.feature_gates.iter().for_each(FeatureGate::log_effect);
    let (serving, ui_port) = (serving(&args)?, args.serving.ui_port());
    let (file, configuration) = configuration(&args)?;
    if let Some(path) = &args.settings.write_config_to {
        settings::write(&configuration, path)?;
        return Ok(None);
    }
    let election = configuration.leader_election.clone();
    let Clients { general: client, lease } = args.connection.clients(&configuration).await?;
    let in_force = Arc::new(InForce::new(configuration.clone()));
    let mut options = Options::of(configuration);
    if let Some(most) = args.pod_max_in_unschedulable_pods_duration {
        options.core.queue.flush_after = most;
    }
    let metrics = Arc::clone(&options.metrics);
    args.capture.apply_to(&mut options);
    let mut elector = election.enabled.then(|| candidate(lease, &election, &metrics)).transpose()?;
    options.shell.term = elector.as_ref().map(Elector::term).unwrap_or_default();
    let subject = Arc::new(Subject::new(Arc::clone(&options.vitals), Arc::clone(&metrics)));
    show_configuration(&subject, &in_force, Vec::new);
    let server = serve(serving, &subject, &options.supervisor).await?;
    let page = serve_page(ui_port, &subject, &options.supervisor).await?;
    if let (Some(elector), Some(server), Some(pod)) = (&mut elector, &server, OwnPod::from_environment()) {
        elector.announce_server(location(server, pod));
    }
    let supervisor = options.supervisor.clone();
    let plugins_compiled = Arc::clone(&options.plugins_compiled);
    let scheduler = Scheduler::prepare(&client, options).await?;
    let observer = scheduler.observer();
    subject.observe(observer.clone());
    subject.answer_questions(Arc::new(Questions::new(client.clone(), observer.clone())));
    let serving = observer.clone();
    show_configuration(&subject, &in_force, move || serving.serving_profiles());
    let reload = file.map(|(file, started_with)| Reload::new(file, started_with, observer, in_force));
    Ok(Some(Prepared {
        elector,
        election,
        metrics,
        scheduler,
        plugins_compiled,
        client,
        supervisor,
        reload,
        _server: server,
        _page: page,
    }))
}

/// Shows the effective configuration at `/configz`, with the profiles that `serving` returns.
fn show_configuration(
    subject: &Subject,
    in_force: &Arc<InForce>,
    serving: impl Fn() -> Vec<ProfileSpec> + Send + Sync + 'static,
) {
    let in_force = Arc::clone(in_force);
    subject.show_configuration(move || in_force.show(&serving()));
}

/// Returns a function that returns where the server of this process is.
fn location(server: &berth_admin::Server, pod: OwnPod) -> Locate {
    let (port, fingerprint) = (server.address().port(), server.fingerprint());
    Arc::new(move || {
        let (namespace, pod) = (pod.namespace().to_owned(), pod.name().to_owned());
        Some(ServerLocation { namespace, pod, port, certificate: fingerprint()? })
    })
}

fn candidate(
    client: kube::Client,
    election: &LeaderElection,
    metrics: &Metrics,
) -> Result<Elector, LeaderElectionError> {
    Elector::with_clock(client, election, system_clock(), metrics.writes_refused())
}

/// A followed configuration file with its configuration before flags are applied.
type LoadedFile = (Followed, Configuration);

/// Returns the configuration with the flags applied, and the file that it comes from (`None` if the flags name none).
fn configuration(args: &Args) -> Result<(Option<LoadedFile>, Configuration)> {
    let (file, mut configuration) = match args.policy.or(args.config.as_deref()) {
        Some(path) => {
            let check = || format!("berth config check {}", quoted(path.display()));
            let (file, configuration) = Followed::load(path).or_hint(check)?;
            (Some((file, configuration.clone())), configuration)
        }
        None => (None, Configuration::default_profile(args.scheduler_name.as_deref())),
    };
    if args.as_kube_scheduler && !configuration.names_lease() {
        // Replicas of kube-scheduler use this Lease during a rolling update, and kube-scheduler's RBAC allows no other
        // Lease.
        KUBE_SCHEDULERS_LEASE.clone_into(&mut configuration.leader_election.name);
    }
    args.election.clone().apply_to(&mut configuration.leader_election);
    args.settings.apply_to(&mut configuration);
    args.connection.apply_to(&mut configuration, file.is_some());
    Ok((file, configuration))
}

/// Returns the options of the HTTPS server, or `None` if the flags disable it.
fn serving(args: &Args) -> Result<Option<berth_admin::Options>> {
    let Args { serving, authentication, authorization, .. } = args;
    let Some(address) = serving.address() else { return Ok(None) };
    Ok(Some(berth_admin::Options {
        sharing: serving.sharing(),
        tls: serving.tls()?,
        authentication: authentication.clone().options(),
        authorization: authorization.clone().options(),
        ..berth_admin::Options::at(address)
    }))
}

async fn serve(
    options: Option<berth_admin::Options>,
    subject: &Arc<Subject>,
    supervisor: &Supervisor,
) -> Result<Option<berth_admin::Server>> {
    let Some(mut options) = options else {
        info!("not serving health and metrics, because --secure-port is 0");
        return Ok(None);
    };
    options.supervisor = supervisor.clone();
    let server = berth_admin::Server::start(&options, Arc::clone(subject)).await?;
    info!(address = format!("https://{}", server.address()), "serving health and metrics");
    Ok(Some(server))
}

/// Serves the web page on loopback, if there is a port for it.
async fn serve_page(port: Option<u16>, subject: &Arc<Subject>, supervisor: &Supervisor) -> Result<Option<LocalServer>> {
    let Some(port) = port else { return Ok(None) };
    let page = berth_page::router(berth_page::Mode::ReadOnly);
    let server = LocalServer::start(port, page, Arc::clone(subject), supervisor).await?;
    info!(address = format!("http://{}{}/", server.address(), berth_page::PREFIX), "serving the web page");
    Ok(Some(server))
}

/// Waits until the scheduler is ready (informers and plugins), then takes part in the leader election.
async fn work(
    elector: Option<Elector>,
    election: &LeaderElection,
    metrics: &Metrics,
    scheduler: Scheduler,
    progress: Progress,
    stop: &mut StopSignal,
) -> Result<()> {
    tokio::select! {
        ready = scheduler.ready() => ready?,
        () = stop.received() => return drain(scheduler).await,
    }
    drop(progress);
    lead(elector, election, metrics, scheduler, stop).await
}

/// Schedules pods while this process leads, or always without leader election.
async fn lead(
    elector: Option<Elector>,
    election: &LeaderElection,
    metrics: &Metrics,
    scheduler: Scheduler,
    stop: &mut StopSignal,
) -> Result<()> {
    let Some(mut elector) = elector else { return schedule(scheduler, stop).await };
    metrics.set_leads(&election.name, false);
    let leads = elector.leads();
    let ended = tokio::select! {
        lost = elector.run() => return Err(lost.into()),
        ended = schedule_as_leader(leads, election, metrics, scheduler, stop) => ended,
    };
    // Release the Lease only after the scheduler has stopped: then another process may schedule pods.
    elector.release().await;
    ended
}

/// Waits until this process leads, then schedules pods.
async fn schedule_as_leader(
    mut leads: watch::Receiver<bool>,
    election: &LeaderElection,
    metrics: &Metrics,
    scheduler: Scheduler,
    stop: &mut StopSignal,
) -> Result<()> {
    tokio::select! {
        _ = leads.wait_for(|leads| *leads) => {}
        () = stop.received() => return drain(scheduler).await,
    }
    metrics.set_leads(&election.name, true);
    schedule(scheduler, stop).await
}

async fn schedule(scheduler: Scheduler, stop: &mut StopSignal) -> Result<()> {
    scheduler.begin()?;
    info!("scheduling pods");
    stop.received().await;
    drain(scheduler).await
}

async fn drain(scheduler: Scheduler) -> Result<()> {
    info!("stopping");
    let undone = scheduler.stop(DRAIN).await?;
    if undone != berth_kube::Undone::default() {
        warn!(?undone, "stopped with unfinished work");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn under_the_name_kube_scheduler_the_file_can_still_name_the_lease() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for (name, expected) in [("", "kube-scheduler"), ("berth", "berth"), ("other", "other")] {
            let head = "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration";
            let text = format!("{head}, leaderElection: {{resourceName: '{name}'}}}}");
            std::fs::write(file.path(), text).expect("written");
            let path = file.path().to_str().expect("text");
            let cli = Cli::try_parse_from(["run", "--as-kube-scheduler", "--config", path]);
            let (_, configuration) = configuration(&cli.expect("valid flags").args).expect("a configuration");
            assert_eq!(configuration.leader_election.name, expected, "resourceName: {name:?}");
        }
    }
}
