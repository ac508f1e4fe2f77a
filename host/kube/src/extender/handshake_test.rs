//! Tests extenders over HTTPS with real TLS handshakes: verification of the server, and the client certificate.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::*;

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(parameters, KeyPair::generate().expect("a key")).expect("an authority"))
    }

    /// Returns a certificate and its key, as PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let mut parameters = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().expect("a key");
        (parameters.signed_by(&key, &self.0).expect("signed").pem(), key.serialize_pem())
    }
}

fn der(pem: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate")
}

/// Answers each request with the number of client certificates. Accepts clients without a certificate, and refuses
/// certificates of another authority.
async fn serve(authority: &Authority, name: &str) -> SocketAddr {
    let mut roots = RootCertStore::empty();
    roots.add(der(&authority.0.pem())).expect("an authority");
    let provider = Arc::new(ring::default_provider());
    let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let (certificate, key) = authority.issue(name);
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(clients.allow_unauthenticated().build().expect("a verifier"))
        .with_single_cert(vec![der(&certificate)], PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key"));
    let acceptor = TlsAcceptor::from(Arc::new(config.expect("a pair")));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(acceptor.clone(), stream));
        }
    });
    address
}

/// Answers one request. The result may be ignored, because the client also reports a failed handshake.
async fn answer(acceptor: TlsAcceptor, stream: TcpStream) -> std::io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let certificates = stream.get_ref().1.peer_certificates().map_or(0, <[_]>::len);
    let mut asked = Vec::new();
    while !asked.ends_with(b"{}") {
        if stream.read_buf(&mut asked).await? == 0 {
            return Ok(());
        }
    }
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\n{certificates}");
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

/// A case: its `tlsConfig`, and the number of client certificates that the server saw, or the client's error.
type Row = (&'static str, v1::ExtenderTlsConfig, Result<usize, &'static str>);

fn written(home: &Path, name: &str, text: &str) -> String {
    let path = home.join(name);
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

fn data(pem: &str) -> v1::Data {
    serde_json::from_value(serde_json::json!(k8s_openapi::ByteString(pem.as_bytes().to_vec()))).expect("base64")
}

async fn call_filter(address: SocketAddr, enable_https: bool, tls: &v1::ExtenderTlsConfig) -> Result<usize, String> {
    let url_prefix = format!("https://{address}/extender");
    let tls_config = Some(tls.clone());
    let extender = v1::Extender { url_prefix, enable_https, tls_config, ..v1::Extender::default() };
    let client = Client::new(&extender).await.map_err(|error| error.to_string())?;
    client.call("filter", &serde_json::json!({})).await.map_err(|error: CallError| error.to_string())
}

#[tokio::test]
async fn tls_config_sets_the_trusted_authority_and_the_client_certificate() {
    let home = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (Authority::new(), Authority::new());
    let by_address = serve(&ours, "127.0.0.1").await;
    let by_name = serve(&ours, "extender.example").await;
    let plain = v1::ExtenderTlsConfig::default;
    let trusting = || v1::ExtenderTlsConfig { ca_data: data(&ours.0.pem()), ..plain() };
    let (certificate, key) = ours.issue("berth");
    let stranger = theirs.issue("berth");
    let rows: [Row; 7] = [
        ("caFile", v1::ExtenderTlsConfig { ca_file: written(home.path(), "ca", &ours.0.pem()), ..plain() }, Ok(0)),
        ("caData", trusting(), Ok(0)),
        (
            "another authority",
            v1::ExtenderTlsConfig { ca_data: data(&theirs.0.pem()), ..plain() },
            Err("invalid peer certificate"),
        ),
        ("insecure", v1::ExtenderTlsConfig { insecure: true, ..plain() }, Ok(0)),
        (
            "certFile and keyFile",
            v1::ExtenderTlsConfig {
                cert_file: written(home.path(), "certificate", &certificate),
                key_file: written(home.path(), "key", &key),
                ..trusting()
            },
            Ok(1),
        ),
        (
            "certData and keyData",
            v1::ExtenderTlsConfig { cert_data: data(&certificate), key_data: data(&key), ..trusting() },
            Ok(1),
        ),
        (
            "a certificate of another authority",
            v1::ExtenderTlsConfig { cert_data: data(&stranger.0), key_data: data(&stranger.1), ..trusting() },
            Err("Post \"https://"),
        ),
    ];
    for (name, tls, expected) in rows {
        assert_result(name, &call_filter(by_address, false, &tls).await, expected);
    }
    assert_result("enableHTTPS without a CA", &call_filter(by_address, true, &plain()).await, Ok(0));
    assert_result("no CA", &call_filter(by_address, false, &plain()).await, Err("invalid peer certificate"));
    assert_result("another name", &call_filter(by_name, false, &trusting()).await, Err("extender.example"));
    let named = v1::ExtenderTlsConfig { server_name: "extender.example".into(), ..trusting() };
    assert_result("serverName", &call_filter(by_name, false, &named).await, Ok(0));
}

fn assert_result(name: &str, result: &Result<usize, String>, expected: Result<usize, &str>) {
    match (result, expected) {
        (Ok(certificates), Ok(expected)) => assert_eq!(*certificates, expected, "{name}"),
        (Err(error), Err(expected)) => assert!(error.contains(expected), "{name}: {error}"),
        _ => panic!("{name}: {result:?}, where {expected:?} was expected"),
    }
}
