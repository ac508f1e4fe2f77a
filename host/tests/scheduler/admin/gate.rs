//! Tests access control of the admin server: admitted requests, refusals and their messages, and certificates.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use berth_admin::{Pair, Subject};
use berth_test_kit::wait::until_some;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use serde_json::{Value, json};

use super::client::Client;
use super::reviews::ApiServer;

fn options(kubeconfig: Option<&Path>) -> berth_admin::Options {
    let mut options = berth_admin::Options::at("127.0.0.1:0".parse().expect("an address"));
    options.authentication.kubeconfig = kubeconfig.map(Path::to_owned);
    options.authentication.skip_lookup = true;
    options.authorization.kubeconfig = kubeconfig.map(Path::to_owned);
    options
}

async fn start(options: &berth_admin::Options) -> berth_admin::Server {
    berth_admin::Server::start(options, Arc::new(Subject::default())).await.expect("served")
}

fn with_token(address: SocketAddr, token: &str) -> Client {
    Client::with(address, |config| config.auth_info.token = Some(token.to_owned().into()))
}

#[tokio::test]
async fn probes_need_no_credentials_and_the_api_server_authorizes_other_paths() {
    let reviews = ApiServer::start(false).await;
    let server = start(&options(Some(reviews.kubeconfig.path()))).await;
    let address = server.address();
    let forbidden =
        |user: &str, path: &str| format!("forbidden: User \"{user}\" cannot get path \"{path}\": the table says so");
    for (token, path, status, message) in [
        (None, "/livez", 200, String::new()),
        (None, "/metrics", 403, forbidden("system:anonymous", "/metrics")),
        (None, "/livez/ping", 403, forbidden("system:anonymous", "/livez/ping")),
        (Some("scraper-token"), "/metrics", 200, String::new()),
        (Some("scraper-token"), "/configz", 403, forbidden("scraper", "/configz")),
        (Some("other-token"), "/metrics", 403, forbidden("other", "/metrics")),
        (Some("no-token"), "/metrics", 401, "Unauthorized".to_owned()),
        (Some("no-token"), "/livez", 401, "Unauthorized".to_owned()),
    ] {
        let client = token.map_or_else(|| Client::anonymous(address), |token| with_token(address, token));
        let answer = client.get(path).await;
        assert_eq!(answer.status, status, "{token:?} {path}: {}", answer.body);
        if status != 200 {
            let body: Value = serde_json::from_str(&answer.body).expect("a Status");
            assert_eq!(
                (&body["kind"], &body["message"], &body["code"]),
                (&json!("Status"), &json!(message), &json!(status))
            );
        }
    }
    let counts = &reviews.counts;
    assert_eq!(counts.tokens.load(SeqCst), 3, "one review for each token, valid or not");
    let before = counts.access.load(SeqCst);
    assert_eq!(with_token(address, "scraper-token").get("/metrics").await.status, 200);
    assert_eq!(counts.access.load(SeqCst), before, "the cached answer is used");
}

#[tokio::test]
async fn without_an_api_server_only_probes_are_served() {
    let server = start(&options(None)).await;
    let client = with_token(server.address(), "scraper-token");
    assert_eq!(client.get("/readyz").await.status, 500, "as there is no scheduler");
    let answer = client.get("/metrics").await;
    assert_eq!(answer.status, 403);
    assert!(
        answer.body.contains("forbidden: User \\\"system:anonymous\\\" cannot get path \\\"/metrics\\\""),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn forbidden_reviews_reject_every_request() {
    let reviews = ApiServer::start(true).await;
    let server = start(&options(Some(reviews.kubeconfig.path()))).await;
    let answer = Client::anonymous(server.address()).get("/metrics").await;
    assert_eq!(answer.status, 500);
    assert!(answer.body.contains("reviews are forbidden"), "{}", answer.body);
    assert_eq!(with_token(server.address(), "scraper-token").get("/livez").await.status, 401);
    assert_eq!(Client::anonymous(server.address()).get("/livez").await.status, 200);
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(parameters, KeyPair::generate().expect("a key")).expect("an authority"))
    }

    /// Issues a certificate. Returns certificate and key.
    fn issue(&self, name: &str, group: &str) -> (String, String) {
        let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.distinguished_name.push(DnType::OrganizationName, group);
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().expect("a key");
        (parameters.signed_by(&key, &self.0).expect("signed").pem(), key.serialize_pem())
    }
}

fn with_certificate(address: SocketAddr, (certificate, key): &(String, String)) -> Client {
    let encode = |pem: &str| base64(pem.as_bytes());
    Client::with(address, |config| {
        config.auth_info.client_certificate_data = Some(encode(certificate));
        config.auth_info.client_key_data = Some(encode(key).into());
    })
}

fn base64(bytes: &[u8]) -> String {
    serde_json::to_value(k8s_openapi::ByteString(bytes.to_vec())).expect("text").as_str().expect("text").to_owned()
}

#[tokio::test]
async fn a_client_certificate_identifies_the_user() {
    let home = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (Authority::new(), Authority::new());
    let file = home.path().join("ca.crt");
    std::fs::write(&file, ours.0.pem()).expect("written");
    let mut options = options(None);
    options.authentication.client_ca = Some(file.clone());
    let server = start(&options).await;
    let master = with_certificate(server.address(), &ours.issue("root", "system:masters"));
    assert_eq!(master.get("/metrics").await.status, 200);
    let plain = with_certificate(server.address(), &ours.issue("jane", "dev"));
    assert!(plain.get("/metrics").await.body.contains("User \\\"jane\\\" cannot get path"));
    let stranger = theirs.issue("root", "system:masters");
    assert_eq!(with_certificate(server.address(), &stranger).get("/metrics").await.status, 401);

    std::fs::write(&file, theirs.0.pem()).expect("written");
    until_some("the new authority is trusted", async || {
        let client = with_certificate(server.address(), &stranger);
        (client.get("/metrics").await.status == 200).then_some(())
    })
    .await;
    assert_eq!(master.get("/metrics").await.status, 401, "also on an existing connection");
}

#[tokio::test]
async fn the_server_reloads_its_certificate_files() {
    let home = tempfile::tempdir().expect("a directory");
    let authorities = [Authority::new(), Authority::new()];
    let pair = Pair { certificate: home.path().join("tls.crt"), key: home.path().join("tls.key") };
    let write = |authority: &Authority| {
        let (certificate, key) = authority.issue("server", "servers");
        std::fs::write(&pair.key, key).expect("written");
        std::fs::write(&pair.certificate, certificate).expect("written");
    };
    write(&authorities[0]);
    let mut options = options(None);
    options.tls.pair = Some(pair.clone());
    let server = start(&options).await;
    let trusting = |authority: &Authority| {
        let root = authority.0.der().to_vec();
        let mut config =
            kube::Config::new(format!("https://localhost:{}", server.address().port()).parse().expect("a URL"));
        config.root_cert = Some(vec![root]);
        kube::Client::try_from(config).expect("a client")
    };
    let livez = async |authority: &Authority| {
        trusting(authority).request_text(http::Request::get("/livez").body(Vec::new()).expect("a request")).await
    };
    assert_eq!(livez(&authorities[0]).await.expect("trusted"), "ok");
    assert!(livez(&authorities[1]).await.is_err());
    write(&authorities[1]);
    until_some("the new certificate is served", async || livez(&authorities[1]).await.ok()).await;
}

/// Each case has texts that the message must contain.
#[tokio::test]
async fn start_errors_name_the_flag_and_the_cause() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let holder = std::net::TcpListener::bind(taken).expect("free again");
    let missing = PathBuf::from("/does/not/exist");
    let in_use = berth_admin::Options { address: taken, ..options(None) };
    let (mut certificate, mut authority, mut kubeconfig) = (options(None), options(None), options(None));
    certificate.tls.pair = Some(Pair { certificate: missing.clone(), key: missing.clone() });
    authority.authentication.client_ca = Some(missing.clone());
    kubeconfig.authorization.kubeconfig = Some(missing);
    for (options, expected) in [
        (in_use, &["can't listen on 127.0.0.1:", "Address already in use", "--secure-port"][..]),
        (certificate, &["--tls-cert-file /does/not/exist: No such file"]),
        (authority, &["--client-ca-file /does/not/exist: No such file"]),
        (kubeconfig, &["--authorization-kubeconfig: kubeconfig /does/not/exist"]),
    ] {
        let error =
            berth_admin::Server::start(&options, Arc::new(Subject::default())).await.expect_err("refused").to_string();
        assert!(expected.iter().all(|text| error.contains(text)), "{error}");
    }
    drop(holder);
}
