//! What can be wrong with files and flags of TLS.

use std::path::PathBuf;

use tokio_rustls::rustls;

/// Why there is no TLS as it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file of certificates or of a key.
    #[error("{flag} {file}: {source}", file = file.display())]
    Unreadable {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
    /// A file that was read, and holds something else.
    #[error("{flag} {file}: {what}", file = file.display())]
    Content {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Certificate and key, each good for itself.
    #[error("{certificate} and {key} are no pair: {source}", certificate = certificate.display(), key = key.display())]
    NoPair {
        /// `--tls-cert-file`
        certificate: PathBuf,
        /// `--tls-private-key-file`
        key: PathBuf,
        /// rustls' word.
        source: rustls::Error,
    },
    /// A certificate of one's own can't be made, which has not been seen.
    #[error("making a self-signed certificate: {0}")]
    SelfSigned(String),
    /// A self-signed pair can't be kept.
    #[error("--cert-dir: the self-signed certificate can't be written to {file}: {source}", file = file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
    /// The versions, suites and groups that were asked for don't go together.
    #[error("the TLS flags leave nothing to agree on: {0}")]
    Nothing(rustls::Error),
}
