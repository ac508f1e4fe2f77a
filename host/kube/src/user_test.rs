use std::convert::Infallible;
use std::io::Write;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use http::StatusCode;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request as Handshake, Response as Answer};

use super::*;

const TOKEN: &str = "the-users-token";

/// The port that is forwarded.
const PORT: u16 = 10259;

#[test]
fn credentials_are_only_sent_over_tls() {
    for (url, expected) in [
        ("https://10.0.0.1:10259", Some("https://10.0.0.1:10259/")),
        ("localhost:10259", Some("https://localhost:10259/")),
        ("http://localhost:10259", None),
        ("ftp://a", None),
        ("https://", None),
    ] {
        assert_eq!(parse_server(url).ok().map(|url| url.to_string()).as_deref(), expected, "{url}");
    }
}

/// A certificate of the scheduler.
struct Identity {
    fingerprint: String,
    tls: TlsAcceptor,
}

impl Identity {
    fn new() -> Self {
        let key = rcgen::generate_simple_self_signed(vec![NAME.to_owned()]).expect("a certificate");
        let certificate = key.cert.der().clone();
        let fingerprint = fingerprint(&certificate);
        let private = PrivateKeyDer::try_from(key.signing_key.serialize_der()).expect("a key");
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("TLS");
        let config = config.with_no_client_auth().with_single_cert(vec![certificate], private).expect("a pair");
        Self { fingerprint, tls: TlsAcceptor::from(Arc::new(config)) }
    }
}

/// Serves the API server's port-forward of one pod, at whose end is a scheduler with this certificate.
async fn serve(listener: TcpListener, tls: TlsAcceptor) {
    while let Ok((stream, _)) = listener.accept().await {
        let (near, far) = tokio::io::duplex(1 << 16);
        tokio::spawn(scheduler(far, tls.clone()));
        tokio::spawn(forward(stream, near));
    }
}

/// Accepts a port-forward, and passes the data of its channel 0 on.
async fn forward(stream: TcpStream, near: DuplexStream) {
    #[expect(clippy::result_large_err, reason = "the library's type")]
    let accept = |request: &Handshake, mut answer: Answer| {
        assert_eq!(request.uri().path(), "/api/v1/namespaces/berth-system/pods/berth-0/portforward");
        assert_eq!(request.headers()["authorization"], format!("Bearer {TOKEN}"));
        let protocols = request.headers()["sec-websocket-protocol"].to_str().expect("text");
        let protocol = protocols.split(',').next().expect("a protocol").trim().parse().expect("a header");
        answer.headers_mut().insert("sec-websocket-protocol", protocol);
        Ok(answer)
    };
    let Ok(socket) = tokio_tungstenite::accept_hdr_async(stream, accept).await else { return };
    let (mut to_client, mut from_client) = socket.split();
    // Each channel begins with the number of its port.
    for channel in [0, 1] {
        let [low, high] = PORT.to_le_bytes();
        to_client.send(Message::binary(vec![channel, low, high])).await.expect("the client listens");
    }
    let (mut from_scheduler, mut to_scheduler) = tokio::io::split(near);
    tokio::spawn(async move {
        while let Some(Ok(message)) = from_client.next().await {
            if let Message::Binary(data) = message
                && data.first() == Some(&0)
                && to_scheduler.write_all(&data[1..]).await.is_err()
            {
                return;
            }
        }
    });
    let mut buffer = vec![0; 4096];
    while let Ok(length @ 1..) = from_scheduler.read(&mut buffer).await {
        let data = [&[0], &buffer[..length]].concat();
        if to_client.send(Message::binary(data)).await.is_err() {
            return;
        }
    }
}

/// Answers each request with its path, if it has the user's token.
async fn scheduler(stream: DuplexStream, tls: TlsAcceptor) {
    let Ok(stream) = tls.accept(stream).await else { return };
    let answer = service_fn(|request: Request<Incoming>| async move {
        let authorized =
            request.headers().get("authorization").is_some_and(|value| *value == format!("Bearer {TOKEN}"));
        let body = json!({"path": request.uri().path()}).to_string();
        let code = if authorized { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
        Ok::<_, Infallible>(
            Response::builder().status(code).body(Full::<bytes::Bytes>::from(body)).expect("a response"),
        )
    });
    // The client ends the connection.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
}

async fn connection(address: &str) -> UserConnection {
    let cluster = json!({"name": "c", "cluster": {"server": format!("http://{address}")}});
    let user = json!({"name": "u", "user": {"token": TOKEN}});
    let context = json!({"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "own"}});
    let kubeconfig = json!({"apiVersion": "v1", "kind": "Config", "current-context": "x", "clusters": [cluster],
        "users": [user], "contexts": [context]});
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(kubeconfig.to_string().as_bytes()).expect("written");
    UserConnection::from_kubeconfig(Some(file.path())).await.expect("a valid kubeconfig")
}

#[tokio::test]
async fn the_leader_is_reached_through_a_port_forward_if_it_has_the_announced_certificate() {
    let identity = Identity::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let server = tokio::spawn(serve(listener, identity.tls.clone()));
    let user = connection(&address).await;
    assert_eq!(user.namespace(), "own");
    let location = |certificate: &str| ServerLocation {
        namespace: "berth-system".into(),
        pod: "berth-0".into(),
        port: PORT,
        certificate: certificate.into(),
    };
    let leader = user.leader(&location(&identity.fingerprint)).await.expect("the leader answers");
    for path in ["/berth/v1/queue", "/berth/v1/namespaces/own/queue"] {
        let request = Request::get(path).body(Vec::new()).expect("a request");
        let asked = tokio::time::timeout(Duration::from_secs(60), leader.request::<Value>(request));
        let answer = asked.await.expect("an answer in time").expect("an answer");
        assert_eq!(answer["path"], path);
    }
    let other = user.leader(&location(&"ab".repeat(32))).await.err().expect("another certificate is refused");
    assert!(other.to_string().starts_with("connecting to pod berth-system/berth-0: "), "{other}");
    server.abort();
}

#[test]
fn kubeconfig_files_are_merged_and_missing_files_are_left_out() {
    let home = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: Value| {
        let path = home.path().join(name);
        std::fs::write(&path, content.to_string()).expect("written");
        path
    };
    let context = json!({"name": "x", "context": {"cluster": "c", "user": "u"}});
    let first =
        file("first", json!({"apiVersion": "v1", "kind": "Config", "current-context": "x", "contexts": [context]}));
    let cluster = json!({"name": "c", "cluster": {"server": "https://localhost:1"}});
    let second =
        file("second", json!({"apiVersion": "v1", "kind": "Config", "current-context": "y", "clusters": [cluster]}));
    let missing = home.path().join("missing");

    let both = merged(&[missing.clone(), first, second]).expect("valid files").expect("two files exist");
    assert_eq!(both.current_context.as_deref(), Some("x"), "the first value stays");
    assert_eq!((both.contexts.len(), both.clusters.len()), (1, 1));
    assert!(merged(&[missing]).expect("no file is no error").is_none());
}

#[test]
fn an_invalid_file_among_several_is_named() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("broken");
    std::fs::write(&path, "clusters: 3").expect("written");
    let error = merged(std::slice::from_ref(&path)).expect_err("clusters is not a list").to_string();
    assert!(error.contains(&path.display().to_string()), "{error}");
}
