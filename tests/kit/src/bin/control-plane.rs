//! Runs etcd and kube-apiserver in a folder until SIGTERM, for scripts/controlplane-up.
//!
//! - In: the folder, and more flags of kube-apiserver; the binaries from `KUBEBUILDER_ASSETS`.
//! - Out: in the folder, `kubeconfig`, the logs, `etcd.pid` and `apiserver.pid`, and at last `ready`.

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result};
use berth_test_kit::control_plane::{ControlPlane, Options};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().context("usage: control-plane FOLDER [FLAG…], with flags of kube-apiserver")?;
    let folder = PathBuf::from(folder);
    let options = Options {
        // These admission plugins need the controllers of a whole cluster.
        disabled_admission_plugins: vec!["ServiceAccount", "TaintNodesByCondition"],
        flags: arguments.collect(),
        ..Options::default()
    };
    let mut stop = signal(SignalKind::terminate())?;
    let plane = tokio::select! {
        plane = ControlPlane::start_in(&folder, &options) => plane?,
        _ = stop.recv() => return Ok(()),
    };
    for (name, pid) in ["etcd.pid", "apiserver.pid"].into_iter().zip(plane.pids()) {
        fs::write(folder.join(name), pid.to_string())?;
    }
    fs::write(folder.join("ready"), "")?;
    stop.recv().await;
    Ok(())
}
