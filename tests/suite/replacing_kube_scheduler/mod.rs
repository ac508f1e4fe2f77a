//! Berth's binary in place of kube-scheduler: its command line, its user and its probes.

mod configz;
mod flags;

use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use berth_test_kit::control_plane::ADMIN_TOKEN;
use berth_tests::authority::{Authority, client_credentials};
use berth_tests::objects::{node, pod};
use berth_tests::{Journal, Process, SCHEDULER_TOKEN, Target, api, programs, served};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use serde_json::Value;
use tokio::process::Command;

pub use self::configz::cases as compared;
pub use self::flags::trials;

crate::case::cases!(Real: kubeadms_static_pod_runs_with_berths_image);

/// Runs the command of kubeadm's static pod with Berth's binary under the name that the binary has in the image. The
/// process is the user that kubeadm creates, with the permissions that an API server gives this user by default.
async fn kubeadms_static_pod_runs_with_berths_image(target: &Target) -> Result<()> {
    let manifest: Value = serde_saphyr::from_str(include_str!("static-pod.yaml"))?;
    let container = &manifest["spec"]["containers"][0];
    let mut berth = Process::spawn(command(target, container)?)?;
    let journal = Journal::start(&target.client).await?;
    api::create(&target.client, &node("n1", 4)).await?;
    api::create(&target.client, &pod("p", "100m")).await?;
    journal.until_pod_placed("p").await?;
    for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
        let probe = &container[probe]["httpGet"];
        ensure!(
            probe["scheme"] == "HTTPS" && probe["host"] == "127.0.0.1",
            "the probe does not use HTTPS on 127.0.0.1: {probe}"
        );
        let path = probe["path"].as_str().context("the probe has no path")?;
        let (status, answer) = berth.get(path).await?;
        ensure!((status, answer.as_str()) == (200, "ok"), "{path}: {status} {answer}");
    }
    let leases: Api<Lease> = Api::namespaced(target.client.clone(), "kube-system");
    let holder = leases.get("kube-scheduler").await?.spec.and_then(|spec| spec.holder_identity);
    ensure!(holder.is_some_and(|holder| !holder.is_empty()), "the Lease kube-scheduler has no holder");
    for (token, status) in
        [(None, 403), (Some("no-token"), 401), (Some(SCHEDULER_TOKEN), 403), (Some(ADMIN_TOKEN), 200)]
    {
        let answered = berth.get_as("/metrics", token).await?.0;
        ensure!(answered == status, "/metrics with the token {token:?}: status {answered}, not {status}");
    }
    let address = berth.address().await?;
    let plane = target.kubeconfig.parent().context("the kubeconfig is not in a folder")?;
    Authority::new()?.issue(target.home(), "root", "system:masters")?;
    for (folder, user, status) in [(plane, "root", 200), (plane, "jane", 403), (target.home(), "root", 401)] {
        let answered = served::get_with(&address, "/metrics", client_credentials(folder, user)).await?.0;
        ensure!(
            answered == status,
            "/metrics as {user} with a certificate in {}: status {answered}, not {status}",
            folder.display()
        );
    }
    let log = berth.log();
    ensure!(!log.contains("forbidden"), "the API server refused a request of kube-scheduler's user:\n{log}");
    ensure!([ADMIN_TOKEN, "no-token"].iter().all(|token| !log.contains(token)), "the log contains a token:\n{log}");
    berth.stop().await
}

/// Returns the static pod's command. The kubeconfig is in the test's folder. The port differs, because other processes
/// may use the usual port of this machine.
fn command(target: &Target, container: &Value) -> Result<Command> {
    let arguments: Vec<String> = serde_json::from_value(container["command"].clone())?;
    let (program, flags) = arguments.split_first().context("the static pod has no command")?;
    let kubeconfig = target.home().join("scheduler.conf");
    let text = std::fs::read_to_string(&target.kubeconfig)?;
    ensure!(text.contains(ADMIN_TOKEN), "the kubeconfig does not have the administrator's token");
    std::fs::write(&kubeconfig, text.replace(ADMIN_TOKEN, SCHEDULER_TOKEN))?;
    let image = target.home().join("bin");
    std::fs::create_dir_all(&image)?;
    symlink(programs::berth()?, image.join(program))?;
    let mut command = Command::new(image.join(program));
    command.args(flags.iter().map(|flag| flag.replace("/etc/kubernetes/scheduler.conf", &path_text(&kubeconfig))));
    command.arg("--secure-port=any");
    Ok(command)
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}
