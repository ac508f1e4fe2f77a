//! `berth controllers`: plays the simulated kubelets and controllers on any API server.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use berth_controllers::{KubeStore, Options};
use berth_kube::UserConnection;
use clap::builder::PossibleValuesParser;
use tokio::sync::oneshot;

use super::hint::Hint;
use super::out;
use super::stop_signal::StopSignal;

/// The maximum time that writes may take at the end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Arguments of `berth controllers`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kubeconfig of the cluster [default: as kubectl, else the pod's cluster].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Run only these, separated by commas.
    ///
    /// For example kubelet, if the workloads have controllers already.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = PossibleValuesParser::new(berth_controllers::NAMES))]
    only: Vec<String>,
}

/// Runs until stopped.
///
/// # Errors
/// The API server can't be reached, or kube-controller-manager or a kubelet runs in the cluster.
pub async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::install()?;
    let hint = || "kubectl config view --minify".to_owned();
    let user = UserConnection::from_kubeconfig(args.kubeconfig.as_deref()).await.or_hint(hint)?;
    let only = (!args.only.is_empty()).then(|| args.only.into_iter().collect());
    let options = Options { only, ..Options::default() };
    let store = KubeStore::new(user.api_server().clone());
    tokio::select! {
        () = stop.received() => return Ok(()),
        checked = berth_controllers::check_unoccupied(&store, &options) => checked?,
    }
    let (end, ended) = oneshot::channel::<()>();
    let mut running = tokio::spawn(berth_controllers::run(store, options, ended));
    out::line("The simulated kubelets and controllers run until Ctrl-C.")?;
    tokio::select! {
        () = stop.received() => {}
        result = &mut running => return Ok(result.context("the controllers")??),
    }
    drop(end);
    tokio::time::timeout(STOP_TIMEOUT, running)
        .await
        .context("the controllers did not end in time")?
        .context("the controllers")??;
    Ok(())
}
