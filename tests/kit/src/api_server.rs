//! A new etcd and kube-apiserver on free ports of the loopback interface. Dropping the value ends them.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::ensure;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;
use tempfile::TempDir;

use crate::wait::{Look, eventually_within};

const TOKEN: &str = "test-token";
const STARTUP: Duration = Duration::from_secs(60);

/// A running control plane.
pub struct Server {
    folder: TempDir,
    port: u16,
    children: Vec<Child>,
}

impl Drop for Server {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Server {
    /// Starts both programs and waits until the API server is ready.
    pub async fn start() -> Self {
        let assets = std::env::var_os("KUBEBUILDER_ASSETS")
            .map(PathBuf::from)
            .expect("KUBEBUILDER_ASSETS has to name the folder with etcd and kube-apiserver; `make test` sets it");
        let folder = TempDir::new().expect("a folder");
        let [etcd, peer, port] = free_ports();
        let mut server = Server { folder, port, children: Vec::new() };
        server.spawn(
            assets.join("etcd"),
            &[
                "--data-dir=etcd".to_owned(),
                "--unsafe-no-fsync".to_owned(),
                format!("--listen-client-urls=http://127.0.0.1:{etcd}"),
                format!("--advertise-client-urls=http://127.0.0.1:{etcd}"),
                format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
                format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
                format!("--initial-cluster=default=http://127.0.0.1:{peer}"),
            ],
        );
        std::fs::write(server.path("tokens.csv"), format!("{TOKEN},admin,admin,system:masters\n")).expect("a file");
        let key =
            Command::new("openssl").args(["genrsa", "-out"]).arg(server.path("sa.key")).stderr(Stdio::null()).status();
        assert!(key.expect("openssl").success(), "openssl makes no key");
        server.spawn(
            assets.join("kube-apiserver"),
            &[
                format!("--etcd-servers=http://127.0.0.1:{etcd}"),
                "--bind-address=127.0.0.1".to_owned(),
                "--advertise-address=127.0.0.1".to_owned(),
                format!("--secure-port={port}"),
                "--cert-dir=certs".to_owned(),
                "--token-auth-file=tokens.csv".to_owned(),
                "--authorization-mode=AlwaysAllow".to_owned(),
                format!("--service-account-issuer=https://127.0.0.1:{port}/"),
                "--service-account-key-file=sa.key".to_owned(),
                "--service-account-signing-key-file=sa.key".to_owned(),
                "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
                "--endpoint-reconciler-type=none".to_owned(),
            ],
        );
        server.wait().await;
        server
    }

    /// Returns a client of the API server.
    pub async fn client(&self) -> Client {
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{ "name": "c", "cluster": {
                "server": format!("https://127.0.0.1:{}", self.port), "insecure-skip-tls-verify": true,
            } }],
            "users": [{ "name": "u", "user": { "token": TOKEN } }],
            "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "u" } }],
        });
        let kubeconfig: Kubeconfig = serde_json::from_value(kubeconfig).expect("a kubeconfig");
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        let mut config = config.expect("a configuration");
        // Without retries, so that each test sees every answer of the server.
        config.default_retry = false;
        Client::try_from(config).expect("a client")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn spawn(&mut self, program: PathBuf, arguments: &[String]) {
        let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let log = std::fs::File::create(self.path(&format!("{name}.log"))).expect("a log");
        let child = Command::new(&program)
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.children.push(child.unwrap_or_else(|error| panic!("{} doesn't start: {error}", program.display())));
    }

    /// Waits until the API server answers and has made the namespace `default`.
    async fn wait(&mut self) {
        let client = self.client().await;
        let folder = self.folder.path().to_owned();
        let children = Mutex::new(&mut self.children);
        let look = || async {
            for child in children.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
                ensure!(child.try_wait()?.is_none(), "etcd or kube-apiserver ended");
            }
            let answers = client.apiserver_version().await.is_ok() && has_default_namespace(&client).await;
            Ok(Look::at(answers, || logs(&folder)))
        };
        let ready = eventually_within(STARTUP, "kube-apiserver is ready", look).await;
        ready.unwrap_or_else(|error| panic!("{error:#}: {}", logs(&folder)));
    }
}

async fn has_default_namespace(client: &Client) -> bool {
    let namespaces = kube::Api::<k8s_openapi::api::core::v1::Namespace>::all(client.clone());
    matches!(namespaces.get_opt("default").await, Ok(Some(_)))
}

/// Returns ports on which no process listens now.
fn free_ports() -> [u16; 3] {
    let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}

/// Returns the last lines of the logs.
fn logs(folder: &Path) -> String {
    ["etcd.log", "kube-apiserver.log"]
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            let lines: Vec<&str> = text.lines().rev().take(5).collect();
            format!("{name}: {}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
        })
        .join("\n")
}
