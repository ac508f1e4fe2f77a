//! A certificate authority, and client certificates that it signs.

use std::path::Path;

use anyhow::Result;
use kube::config::AuthInfo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};

/// A self-signed certificate authority.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// Creates an authority with a new key.
    ///
    /// # Errors
    /// Returns an error if no key can be generated.
    pub fn new() -> Result<Self> {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Ok(Self(CertifiedIssuer::self_signed(parameters, KeyPair::generate()?)?))
    }

    /// Returns the authority's certificate as PEM.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// Writes the certificate and key of a user in a group into this directory: `USER.crt` and `USER.key`.
    ///
    /// # Errors
    /// Returns an error if the certificate can't be made or the files can't be written.
    pub fn issue(&self, directory: &Path, user: &str, group: &str) -> Result<()> {
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name.push(DnType::CommonName, user);
        parameters.distinguished_name.push(DnType::OrganizationName, group);
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate()?;
        std::fs::write(directory.join(user).with_extension("crt"), parameters.signed_by(&key, &self.0)?.pem())?;
        std::fs::write(directory.join(user).with_extension("key"), key.serialize_pem())?;
        Ok(())
    }
}

/// Returns the credentials of the user whose certificate is in this directory.
pub fn client_credentials(directory: &Path, user: &str) -> AuthInfo {
    let file = |extension| Some(directory.join(user).with_extension(extension).display().to_string());
    AuthInfo { client_certificate: file("crt"), client_key: file("key"), ..AuthInfo::default() }
}
