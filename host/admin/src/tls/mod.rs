//! TLS of the server: which certificate, which versions and cipher suites, and connections as they come out of their
//! handshakes.

mod certificate;
mod cipher_suites;
mod error;
mod peer;

use std::path::PathBuf;
use std::sync::Arc;

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::NoServerSessionStorage;

pub use self::certificate::{Certificate, Pair};
pub use self::cipher_suites::{Choice, MinVersion};
pub use self::error::TlsError;
use self::peer::AnyPeer;

/// How the server proves who it is, and what it agrees to.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--cert-dir`: where a self-signed pair is kept. It is made in memory if no directory is given.
    pub directory: Option<PathBuf>,
    /// `--tls-cert-file` and `--tls-private-key-file`; they come before the directory.
    pub pair: Option<Pair>,
    /// `--tls-min-version`, `--tls-cipher-suites` and `--tls-curve-preferences`
    pub choice: Choice,
}

/// What all connections share. Clients are asked for a certificate and may come without one; whose it is, is found out
/// by request.
pub(super) fn server_config(
    choice: &Choice,
    certificate: Arc<Certificate>,
) -> Result<Arc<ServerConfig>, tokio_rustls::rustls::Error> {
    let provider = Arc::new(choice.of(ring::default_provider()));
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(choice.versions())?
        .with_client_cert_verifier(Arc::new(AnyPeer::new(provider)))
        .with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A session that is taken up again would keep a certificate's word after its authority was taken away.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}
