//! A real etcd and kube-apiserver on free ports of loopback, for one test process.
//!
//! The API server authorizes with RBAC and refuses anonymous requests. Tests are administrators.

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
use berth_test_kit::wait::{Look, eventually};

/// An administrator's token.
pub const ADMIN_TOKEN: &str = "admin-token";

/// The token of the user `system:kube-scheduler`.
pub const SCHEDULER_TOKEN: &str = "scheduler-token";

/// The running etcd and kube-apiserver. Dropping this value ends them.
pub struct ControlPlane {
    directory: TempDir,
    kubeconfig: PathBuf,
    etcd: Child,
    apiserver: Child,
    /// The command that starts etcd, to start it again.
    etcd_command: Command,
    /// The command that starts the API server, to start it again.
    command: Command,
}

impl ControlPlane {
    /// Returns the folder with the binaries, if `KUBEBUILDER_ASSETS` is set.
    pub fn assets() -> Option<PathBuf> {
        std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from)
    }

    /// Starts etcd and the API server, and waits until the API server is ready.
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

    /// Returns the path of an administrator's kubeconfig.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Returns the process id of the API server, for measurements.
    pub fn apiserver_pid(&self) -> u32 {
        self.apiserver.id()
    }

    /// Kills the API server without notice. etcd stays.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub fn kill_apiserver(&mut self) -> Result<()> {
        self.apiserver.kill()?;
        self.apiserver.wait()?;
        Ok(())
    }

    /// Starts the API server again, at the same address and with the same data. Returns when it is ready.
    ///
    /// # Errors
    /// Returns an error if the API server does not become ready.
    pub async fn start_apiserver(&mut self) -> Result<()> {
        self.apiserver = spawn(&mut self.command, &self.directory.path().join("apiserver.log"))?;
        self.ready().await
    }

    /// Stops the API server with SIGSTOP: it keeps its connections and answers nothing.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub async fn pause_apiserver(&self) -> Result<()> {
        programs::signal_process(self.apiserver.id(), "STOP").await
    }

    /// Continues the API server with SIGCONT. Returns when it is ready.
    ///
    /// # Errors
    /// Returns an error if the API server does not become ready again.
    pub async fn resume_apiserver(&mut self) -> Result<()> {
        programs::signal_process(self.apiserver.id(), "CONT").await?;
        self.ready().await
    }

    /// Kills etcd without notice. The API server stays.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub fn kill_etcd(&mut self) -> Result<()> {
        self.etcd.kill()?;
        self.etcd.wait()?;
        Ok(())
    }

    /// Starts etcd again, with the same data. Returns when the API server is ready.
    ///
    /// # Errors
    /// Returns an error if the API server does not become ready.
    pub async fn start_etcd(&mut self) -> Result<()> {
        self.etcd = spawn(&mut self.etcd_command, &self.directory.path().join("etcd.log"))?;
        self.ready().await
    }

    async fn ready(&mut self) -> Result<()> {
        let client = berth_kube::connect(Some(&self.kubeconfig)).await?;
        let namespaces: Api<Namespace> = Api::all(client.clone());
        // kube-apiserver creates roles and priority classes before it reports that it is ready. It can create
        // namespaces later.
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
            // An error is fine: the process has already ended.
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

/// Writes client certificates beside the kubeconfig (see [`crate::authority`]): of `root`, a member of
/// system:masters, and of `jane`, who has no permissions.
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
        // No controllers run here: nothing creates service accounts, and nothing removes the not-ready taint from
        // new nodes.
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
