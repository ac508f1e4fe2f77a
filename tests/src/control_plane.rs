//! A real etcd and kube-apiserver on free ports of loopback, for one test process.
//!
//! As in a cluster of some care, nobody may do anything there that no role allows: tests are administrators.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use axum::http::Request;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use tempfile::TempDir;

use crate::authority::Authority;
use crate::objects::NAMESPACE;
use crate::programs;
use crate::wait::{Look, eventually};

/// An administrator's token.
pub const ADMIN_TOKEN: &str = "admin-token";

/// That of kube-scheduler's user.
pub const SCHEDULER_TOKEN: &str = "scheduler-token";

/// The processes; they end with it.
pub struct ControlPlane {
    directory: TempDir,
    kubeconfig: PathBuf,
    etcd: Child,
    apiserver: Child,
    /// How etcd is started, so that it can be again.
    etcd_command: Command,
    /// How the API server is started, so that it can be again.
    command: Command,
}

impl ControlPlane {
    /// Where the binaries are, if the environment says so.
    pub fn assets() -> Option<PathBuf> {
        std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from)
    }

    /// Starts both, and waits until the API server is ready.
    pub async fn start(assets: &Path) -> Result<Self> {
        for binary in ["etcd", "kube-apiserver"] {
            ensure!(assets.join(binary).is_file(), "KUBEBUILDER_ASSETS: {} has no {binary}", assets.display());
        }
        let directory = TempDir::with_prefix("berth-control-plane-")?;
        let [client_port, peer_port, api_port] = free_ports()?;
        let home = directory.path();
        let tokens = format!(
            "{ADMIN_TOKEN},admin,admin-uid,\"system:masters\"\n{SCHEDULER_TOKEN},system:kube-scheduler,scheduler-uid\n"
        );
        fs::write(home.join("tokens.csv"), tokens)?;
        service_account_keys(home)?;
        client_certificates(home)?;
        let mut etcd_command = etcd(assets, home, client_port, peer_port);
        let etcd = spawn(&mut etcd_command, &home.join("etcd.log"))?;
        let mut command = apiserver(assets, home, client_port, api_port);
        let apiserver = spawn(&mut command, &home.join("apiserver.log"))?;
        let kubeconfig = home.join("kubeconfig");
        fs::write(&kubeconfig, kubeconfig_for(api_port))?;
        let mut plane = Self { directory, kubeconfig, etcd, apiserver, etcd_command, command };
        plane.ready().await?;
        Ok(plane)
    }

    /// An administrator's kubeconfig.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Process id of the API server, for measurements.
    pub fn apiserver_pid(&self) -> u32 {
        self.apiserver.id()
    }

    /// Ends the API server, at once and in the midst of everything; etcd stays.
    ///
    /// # Errors
    /// The system's.
    pub fn kill_apiserver(&mut self) -> Result<()> {
        self.apiserver.kill()?;
        self.apiserver.wait()?;
        Ok(())
    }

    /// Starts the API server again, where it was and with all that was in it; returns when it is ready.
    ///
    /// # Errors
    /// It does not come up.
    pub async fn start_apiserver(&mut self) -> Result<()> {
        self.apiserver = spawn(&mut self.command, &self.directory.path().join("apiserver.log"))?;
        self.ready().await
    }

    /// Stops the API server in its tracks: it keeps its connections and answers nothing.
    ///
    /// # Errors
    /// The system's.
    pub async fn pause_apiserver(&self) -> Result<()> {
        programs::signal_process(self.apiserver.id(), "STOP").await
    }

    /// Lets the API server go on; returns when it is ready.
    ///
    /// # Errors
    /// It does not become ready again.
    pub async fn resume_apiserver(&mut self) -> Result<()> {
        programs::signal_process(self.apiserver.id(), "CONT").await?;
        self.ready().await
    }

    /// Ends etcd, at once and in the midst of everything; the API server stays.
    ///
    /// # Errors
    /// The system's.
    pub fn kill_etcd(&mut self) -> Result<()> {
        self.etcd.kill()?;
        self.etcd.wait()?;
        Ok(())
    }

    /// Starts etcd again, with all that was in it; returns when the API server is ready.
    ///
    /// # Errors
    /// It does not come up.
    pub async fn start_etcd(&mut self) -> Result<()> {
        self.etcd = spawn(&mut self.etcd_command, &self.directory.path().join("etcd.log"))?;
        self.ready().await
    }

    async fn ready(&mut self) -> Result<()> {
        let client = berth::kube::connect(Some(&self.kubeconfig)).await?;
        let namespaces: Api<Namespace> = Api::all(client.clone());
        // It makes roles and priority classes before it says that it is ready, and namespaces whenever it comes to it.
        let ready = eventually("kube-apiserver is ready and has made the namespace of the tests", || async {
            let checks = client.request_text(Request::get("/readyz").body(Vec::new())?).await;
            match (checks, namespaces.get_opt(NAMESPACE).await) {
                (Ok(_), Ok(Some(_))) => Ok(Look::Yes(())),
                (Ok(_), Ok(None)) => Ok(Look::NotYet("the namespace is not there yet".into())),
                (Err(error), _) | (_, Err(error)) => Ok(Look::NotYet(format!("{error}"))),
            }
        });
        let ready = ready.await;
        if let Some(status) = self.apiserver.try_wait()? {
            let log = fs::read_to_string(self.directory.path().join("apiserver.log")).unwrap_or_default();
            let tail: Vec<&str> = log.lines().rev().take(8).collect();
            bail!("kube-apiserver ended with {status}:\n{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n"));
        }
        ready
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        for child in [&mut self.apiserver, &mut self.etcd] {
            // Already ended is as good.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn free_ports() -> Result<[u16; 3]> {
    let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0"));
    let mut ports = [0; 3];
    for (port, listener) in ports.iter_mut().zip(listeners) {
        *port = listener?.local_addr()?.port();
    }
    Ok(ports)
}

fn service_account_keys(home: &Path) -> Result<()> {
    let key = home.join("sa.key");
    let run = |arguments: &[&str]| -> Result<()> {
        let status = Command::new("openssl").args(arguments).current_dir(home).stderr(Stdio::null()).status();
        ensure!(status.context("running openssl")?.success(), "openssl {arguments:?} failed");
        Ok(())
    };
    run(&["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", &key.to_string_lossy()])?;
    run(&["ec", "-in", "sa.key", "-pubout", "-out", "sa.pub"])
}

/// Of a member of system:masters and of somebody who may do nothing, beside the kubeconfig (see [`crate::authority`]).
fn client_certificates(home: &Path) -> Result<()> {
    let authority = Authority::new()?;
    fs::write(home.join("clients.crt"), authority.pem())?;
    authority.issue(home, "root", "system:masters")?;
    authority.issue(home, "jane", "nobodies")
}

fn etcd(assets: &Path, home: &Path, client: u16, peer: u16) -> Command {
    let (client, peer) = (format!("http://127.0.0.1:{client}"), format!("http://127.0.0.1:{peer}"));
    let mut command = Command::new(assets.join("etcd"));
    command
        .args(["--name=default", "--unsafe-no-fsync", "--log-level=warn", "--quota-backend-bytes=8589934592"])
        .arg(format!("--data-dir={}", home.join("etcd").display()))
        .args([format!("--listen-client-urls={client}"), format!("--advertise-client-urls={client}")])
        .args([format!("--listen-peer-urls={peer}"), format!("--initial-advertise-peer-urls={peer}")])
        .arg(format!("--initial-cluster=default={peer}"));
    command
}

fn apiserver(assets: &Path, home: &Path, etcd: u16, port: u16) -> Command {
    let file = |name: &str| home.join(name).display().to_string();
    let mut command = Command::new(assets.join("kube-apiserver"));
    command
        .arg(format!("--etcd-servers=http://127.0.0.1:{etcd}"))
        .args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"])
        .args(["--authorization-mode=RBAC", "--anonymous-auth=false"])
        .args([format!("--secure-port={port}"), format!("--cert-dir={}", file("certs"))])
        .arg(format!("--token-auth-file={}", file("tokens.csv")))
        .arg(format!("--client-ca-file={}", file("clients.crt")))
        .arg(format!("--service-account-issuer=https://127.0.0.1:{port}/"))
        .arg(format!("--service-account-key-file={}", file("sa.pub")))
        .arg(format!("--service-account-signing-key-file={}", file("sa.key")))
        .args(["--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true", "--endpoint-reconciler-type=none"])
        // No controllers make service accounts here, and none take the not-ready taint off new nodes.
        .arg("--disable-admission-plugins=ServiceAccount,TaintNodesByCondition");
    command
}

fn spawn(command: &mut Command, log: &Path) -> Result<Child> {
    let log = File::options().create(true).append(true).open(log)?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    command.spawn().with_context(|| format!("starting {command:?}"))
}

fn kubeconfig_for(port: u16) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
         clusters: [{{name: test, cluster: {{server: \"https://127.0.0.1:{port}\", insecure-skip-tls-verify: true}}}}]\n\
         users: [{{name: test, user: {{token: \"{ADMIN_TOKEN}\"}}}}]\n\
         contexts: [{{name: test, context: {{cluster: test, user: test}}}}]\n"
    )
}
