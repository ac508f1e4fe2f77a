//! Certificate authorities that verify client certificates.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, UnixTime};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tracing::{info, warn};

use super::AccessError;
use super::subject_name::{self, SubjectName};
use crate::file;

/// The period of checks for changed files.
const PERIOD: Duration = Duration::from_secs(5);

/// A replaceable bundle of certificate authorities, which may be empty.
#[derive(Debug, Default)]
pub(super) struct Authorities {
    current: RwLock<Option<Bundle>>,
}

#[derive(Clone, Debug)]
struct Bundle {
    pem: Arc<[u8]>,
    verifier: Arc<dyn ClientCertVerifier>,
}

impl Authorities {
    /// Replaces the authorities. Returns whether the PEM text differs from the previous PEM text.
    ///
    /// # Errors
    /// Returns the reason that the bundle can't be used; the previous authorities stay.
    pub fn set(&self, pem: &[u8]) -> Result<bool, String> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|bundle| *bundle.pem == *pem) {
            return Ok(false);
        }
        *current = Some(Bundle { pem: pem.into(), verifier: verifier(pem)? });
        Ok(true)
    }

    /// Removes all authorities.
    pub fn clear(&self) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Verifies the first certificate and returns its subject. Returns `None` without a certificate or without
    /// authorities.
    ///
    /// # Errors
    /// No authority signed the certificate, or the certificate is expired, not yet valid, or not for clients, or its
    /// subject can't be read.
    pub fn verify(&self, certificates: &[CertificateDer<'_>]) -> Option<Result<SubjectName, String>> {
        let (first, others) = certificates.split_first()?;
        let bundle = self.current.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        let verified = bundle.verifier.verify_client_cert(first, others, UnixTime::now());
        let named = |_| subject_name::of(first).ok_or_else(|| "its subject can't be read".to_owned());
        Some(verified.map_err(|error| error.to_string()).and_then(named))
    }
}

fn verifier(pem: &[u8]) -> Result<Arc<dyn ClientCertVerifier>, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| format!("is not valid PEM: {error}"))?;
        roots.add(certificate).map_err(|error| format!("contains an invalid certificate: {error}"))?;
    }
    if roots.is_empty() {
        return Err("contains no block -----BEGIN CERTIFICATE-----".to_owned());
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
    verifier.map(|verifier| verifier as _).map_err(|error| error.to_string())
}

/// Certificate authorities of a file that a flag names.
#[derive(Clone, Debug)]
pub(super) struct AuthoritiesFile {
    pub flag: &'static str,
    pub file: PathBuf,
    pub authorities: Arc<Authorities>,
}

impl AuthoritiesFile {
    /// Loads the file.
    ///
    /// # Errors
    /// The file can't be read or has no certificates.
    pub fn load(flag: &'static str, file: PathBuf) -> Result<Self, AccessError> {
        let loaded = Self { flag, file, authorities: Arc::default() };
        loaded.read().map(|_| loaded.clone())
    }

    fn read(&self) -> Result<bool, AccessError> {
        let fail = |reason| AccessError::Authorities { flag: self.flag, file: self.file.clone(), reason };
        let pem = file::read(&self.file).map_err(|error| fail(error.to_string()))?;
        self.authorities.set(&pem).map_err(fail)
    }

    /// Reloads the file when the file changes. The future never completes. If the new content can't be
    /// used, the previous authorities stay.
    pub async fn follow(self) {
        let mut last_failure = None;
        loop {
            tokio::time::sleep(PERIOD).await;
            let failure = match self.read() {
                Ok(changed) => {
                    if changed {
                        info!(flag = self.flag, file = %self.file.display(), "reloaded certificate authorities");
                    }
                    None
                }
                Err(error) => Some(error.to_string()),
            };
            if let Some(error) = failure.as_ref().filter(|_| failure != last_failure) {
                warn!(%error, "reload of certificate authorities failed; keeping the previous ones; trying again");
            }
            last_failure = failure;
        }
    }
}
