//! Whose word counts for a client's certificate.

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

/// How often files are looked at.
const PERIOD: Duration = Duration::from_secs(5);

/// A bundle of authorities, which may be exchanged.
#[derive(Debug, Default)]
pub(super) struct Authorities {
    now: RwLock<Option<Bundle>>,
}

#[derive(Clone, Debug)]
struct Bundle {
    pem: Arc<[u8]>,
    verifier: Arc<dyn ClientCertVerifier>,
}

impl Authorities {
    /// Takes these from now on; says whether they are others than before.
    ///
    /// # Errors
    /// Says what is wrong with them; those before stay.
    pub fn set(&self, pem: &[u8]) -> Result<bool, String> {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        if now.as_ref().is_some_and(|bundle| *bundle.pem == *pem) {
            return Ok(false);
        }
        *now = Some(Bundle { pem: pem.into(), verifier: verifier(pem)? });
        Ok(true)
    }

    /// Takes none any more.
    pub fn clear(&self) {
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whom the first of these certificates names. `None` where there is no certificate or no authority.
    ///
    /// # Errors
    /// No authority vouches for it, or not now, or not for clients.
    pub fn vouch(&self, certificates: &[CertificateDer<'_>]) -> Option<Result<SubjectName, String>> {
        let (first, others) = certificates.split_first()?;
        let bundle = self.now.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        let verified = bundle.verifier.verify_client_cert(first, others, UnixTime::now());
        let named = |_| subject_name::of(first).ok_or_else(|| "its subject can't be read".to_owned());
        Some(verified.map_err(|error| error.to_string()).and_then(named))
    }
}

fn verifier(pem: &[u8]) -> Result<Arc<dyn ClientCertVerifier>, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| format!("is no PEM: {error}"))?;
        roots.add(certificate).map_err(|error| format!("holds a certificate that is none: {error}"))?;
    }
    if roots.is_empty() {
        return Err("has no block -----BEGIN CERTIFICATE-----".to_owned());
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
    verifier.map(|verifier| verifier as _).map_err(|error| error.to_string())
}

/// Authorities of a file that a flag names.
#[derive(Clone, Debug)]
pub(super) struct OfFile {
    pub flag: &'static str,
    pub file: PathBuf,
    pub authorities: Arc<Authorities>,
}

impl OfFile {
    /// Reads the file.
    ///
    /// # Errors
    /// It can't be read, or has no certificates.
    pub fn load(flag: &'static str, file: PathBuf) -> Result<Self, AccessError> {
        let loaded = Self { flag, file, authorities: Arc::default() };
        loaded.read().map(|_| loaded.clone())
    }

    fn read(&self) -> Result<bool, AccessError> {
        let fail = |what| AccessError::Authorities { flag: self.flag, file: self.file.clone(), what };
        let pem = file::read(&self.file).map_err(|error| fail(error.to_string()))?;
        self.authorities.set(&pem).map_err(fail)
    }

    /// Reads it again when it changes. What can't be used leaves the authorities before.
    pub async fn follow(self) {
        let mut said = None;
        loop {
            tokio::time::sleep(PERIOD).await;
            let told = match self.read() {
                Ok(changed) => {
                    if changed {
                        info!("{} {} has changed: its new authorities count", self.flag, self.file.display());
                    }
                    None
                }
                Err(error) => Some(error.to_string()),
            };
            if let Some(error) = told.as_ref().filter(|_| told != said) {
                warn!("the authorities before count on: {error}");
            }
            said = told;
        }
    }
}
