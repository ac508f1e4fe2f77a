//! `berth capture`: records a cluster from outside, whichever scheduler it has, and redacts captures.

mod answers;
mod flags;
mod redact;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use berth_capture::{RecorderOptions, Target};
use berth_config::{Configuration, parse_duration};
use berth_kube::UserConnection;

pub(super) use self::flags::CaptureFlags;
use super::exit_status;
use super::hint::{Hint, quoted};
use super::out;
use super::progress::Progress;
use super::stop_signal::StopSignal;
use crate::scheduler::{Options, Scheduler};

/// The maximum time for the recorder to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

const EXIT: &[(u8, &str)] = &[
    (0, "the capture is complete"),
    (1, "the capture can't be made, or plugins answer differently about its redacted copy"),
];

/// Arguments of `berth capture`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// File to write, with a name that ends with .jsonl.zst.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    file: PathBuf,
    /// Time to record [default: until Ctrl-C].
    #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
    duration: Option<Duration>,
    /// Kubeconfig of the cluster [default: as kubectl, else the pod's cluster].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// KubeSchedulerConfiguration of the plugins [default: the default profile].
    ///
    /// The capture contains the kinds that these plugins read.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of further plugins (*.wasm) that are to read the capture.
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// Also record the fields that no plugin reads, for replays with further plugins.
    ///
    /// Of pods, nodes, and the kinds that the plugins read. Environment variables, annotations and Secrets are left out.
    #[arg(long)]
    all_fields: bool,
    /// Replace names and label values, so that the capture can be shared.
    ///
    /// The command plays the redacted capture back, and names the plugins that answer differently about it. The default
    /// plugins don't. Names of plugins, kinds, fields, and well-known label keys stay.
    #[arg(long)]
    redact: bool,
    /// Redact this capture instead of recording a cluster.
    #[arg(
        long,
        value_name = "PATH",
        requires = "redact",
        conflicts_with_all = ["duration", "kubeconfig", "config", "plugins", "all_fields"]
    )]
    from: Option<PathBuf>,
    /// Directory of the components that served [default: modules, beside the capture].
    #[arg(long, value_name = "DIR", requires = "from")]
    modules: Option<PathBuf>,
}

/// Records the cluster, or redacts a capture. The exit status tells whether the redacted copy decides as the capture.
///
/// # Errors
/// The cluster can't be read, the plugins can't be loaded, or the file exists or can't be written.
pub(super) async fn run(args: Args) -> Result<ExitCode> {
    if args.file.exists() {
        bail!("{} exists already; choose another file", args.file.display());
    }
    if let Some(from) = &args.from {
        return redact::run(from, &args.file, args.modules.as_deref());
    }
    if !args.redact {
        return record(args).await.map(|()| ExitCode::SUCCESS);
    }
    // Only the owner can read the directory. It is deleted when it is dropped.
    let folder = tempfile::Builder::new().prefix(".berth-capture-").tempdir_in(redact::folder(&args.file))?;
    let (file, modules) = (args.file.clone(), args.plugins.clone());
    let recorded = folder.path().join(format!("recorded.{}", berth_capture::files::EXTENSION));
    record(Args { file: recorded.clone(), ..args }).await?;
    let redacted = redact::run(&recorded, &file, modules.as_deref());
    if redacted.is_err() {
        // What happened in the cluster can't be recorded again.
        let _kept = folder.keep();
    }
    redacted
        .with_context(|| format!("the capture is not redacted; {} has what was recorded", recorded.display()))
        .or_hint(|| {
            let (from, to) = (quoted(recorded.display()), quoted(file.display()));
            format!("berth capture --redact --from {from} -o {to}")
        })
}

/// Records the cluster in the file.
async fn record(args: Args) -> Result<()> {
    let mut stop = StopSignal::install()?;
    let hint = || "kubectl config view --minify".to_owned();
    let user = UserConnection::from_kubeconfig(args.kubeconfig.as_deref()).await.or_hint(hint)?;
    let configuration = configuration(args.config.as_deref())?;
    let mut options = Options::of(configuration);
    options.plugins_dir = args.plugins.or(options.plugins_dir);
    options.only_watches = true;
    options.capture_all_fields = args.all_fields;
    let lost = options.metrics.capture_lost();
    options.capture =
        Some(RecorderOptions { target: Target::File(args.file.clone()), limit: u64::MAX, lost: lost.clone() });
    let scheduler = Scheduler::prepare(user.api_server(), options).await?;
    let reading = Progress::timed("reading the cluster");
    let ready = tokio::select! {
        ready = scheduler.ready() => Some(ready?),
        () = stop.received() => None,
    };
    drop(reading);
    if ready.is_some() {
        out::line(format_args!("Recording the cluster until {} …", end(args.duration)))?;
        let _progress = Progress::timed("recording");
        tokio::select! {
            () = elapsed(args.duration) => {}
            () = stop.received() => {}
            ended = scheduler.supervisor().first_end() => return Err(ended.into()),
        }
    }
    scheduler.stop(STOP_TIMEOUT).await?;
    if lost.get() > 0 {
        bail!("{} lacks {} events, because the disk is too slow or full", args.file.display(), lost.get());
    }
    if !args.redact {
        let hint = format_args!("To ask about the cluster then: berth whatif --replay {}", quoted(args.file.display()));
        out::line(hint)?;
    }
    Ok(())
}

fn configuration(file: Option<&Path>) -> Result<Configuration> {
    let Some(file) = file else { return Ok(Configuration::default_profile(None)) };
    berth_config::load(file).or_hint(|| format!("berth config check {}", quoted(file.display())))
}

fn end(duration: Option<Duration>) -> String {
    duration.map_or_else(|| "Ctrl-C".to_owned(), |duration| format!("{} s have passed", duration.as_secs()))
}

/// Returns after this time, or never.
async fn elapsed(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}
