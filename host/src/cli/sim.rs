//! `berth sim`: runs the in-memory API server.

mod export;
mod import;

use std::path::PathBuf;

use anyhow::Result;
use berth_clock::MOST_SPEED;

use super::capture::CaptureFlags;
use super::cluster::{Cluster, Parts};
use super::demo::files;
use super::out;
use super::stop_signal::StopSignal;
use berth_admin::DebugSignal;

use self::export::Export;
use self::import::ImportFlags;

/// Arguments of `berth sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Port on 127.0.0.1 [default: any free port].
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Kubeconfig to write when all parts run [default: in a temporary directory].
    #[arg(long, value_name = "PATH")]
    kubeconfig: Option<PathBuf>,
    /// Directory of further plugins (*.wasm) for the scheduler, watched.
    #[arg(long, value_name = "DIR", conflicts_with = "no_scheduler")]
    plugins: Option<PathBuf>,
    /// Start without nodes [default: the import, else the 50 nodes of the demo].
    #[arg(long, conflicts_with_all = ["import", "import_cluster"])]
    empty: bool,
    /// Do not start Berth's scheduler.
    #[arg(long)]
    no_scheduler: bool,
    /// Do not start the simulated kubelets and controllers.
    #[arg(long)]
    no_controllers: bool,
    /// Speed of the cluster's time, from 0 (stopped) to 1000; 1 is real time.
    ///
    /// /berth/v1/clock shows and changes the time while the cluster runs.
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    #[command(flatten)]
    imported: ImportFlags,
    /// Write all objects to a file at the end, for --import and kubectl create.
    ///
    /// Secrets, Leases and Events are left out.
    #[arg(long, value_name = "FILE", help_heading = "Import and export")]
    export: Option<PathBuf>,
    /// Write --export after the import, and end.
    #[arg(long, requires = "export", conflicts_with_all = ["port", "kubeconfig", "plugins", "directory"], help_heading = "Import and export")]
    export_only: bool,
    #[command(flatten)]
    capture: CaptureFlags,
}

/// Reads a speed.
fn speed(text: &str) -> Result<f64, String> {
    let range = 0.0..=MOST_SPEED;
    let speed = text.parse().ok().filter(|speed| range.contains(speed));
    speed.ok_or_else(|| format!("not a number between 0 and {MOST_SPEED}"))
}

/// Serves until stopped.
///
/// # Errors
/// A part can't be started, or a part of the scheduler has ended.
pub async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::install()?;
    let debug_signal = DebugSignal::install()?;
    let export = args.export.clone().map(Export::new).transpose()?;
    let export_only = args.export_only;
    let cluster = tokio::select! {
        started = start(args) => started?,
        () = stop.received() => return Ok(()),
    };
    if export_only {
        return end(cluster, export).await;
    }
    let (url, page, kubeconfig) = (cluster.url(), cluster.page(), cluster.kubeconfig().display());
    out::line(format_args!(
        "API server: {url}. It runs until Ctrl-C. In a browser:\n\n  {page}\n\nFrom another terminal:\n"
    ))?;
    out::line(format_args!("  export KUBECONFIG={kubeconfig}\n  kubectl get nodes\n"))?;
    let ended = tokio::select! {
        () = stop.received() => Ok(()),
        ended = cluster.scheduler_ended(debug_signal) => ended,
    };
    // The objects are worth keeping after a failure of the scheduler, too.
    let written = end(cluster, export).await;
    ended.and(written)
}

/// Stops the cluster, and writes its objects when they no longer change.
async fn end(cluster: Cluster, export: Option<Export>) -> Result<()> {
    let server = cluster.stop_parts().await?;
    if let Some(export) = export {
        let count = export.write(&server)?;
        out::line(format_args!("Exported {count} objects to {}.", export.path().display()))?;
    }
    Ok(server.shutdown().await?)
}

async fn start(args: Args) -> Result<Cluster> {
    let parts = Parts {
        port: args.port,
        kubeconfig: args.kubeconfig,
        plugins: args.plugins,
        capture: args.capture,
        no_scheduler: args.no_scheduler,
        no_controllers: args.no_controllers,
        speed: args.speed,
    };
    let mut cluster = Cluster::start(&parts).await?;
    if args.imported.is_given() {
        out::text(args.imported.load(cluster.loader()).await?)?;
    } else if !args.empty {
        cluster.create_all(&files::nodes()?).await?;
    }
    if args.export_only {
        return Ok(cluster);
    }
    cluster.start_parts(&parts).await?;
    cluster.write_kubeconfig()?;
    Ok(cluster)
}
