//! An authority of certificates, and users for whom it vouches.

use std::path::Path;

use anyhow::Result;
use kube::config::AuthInfo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};

/// One that signs its own certificate.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// Another one than all before.
    ///
    /// # Errors
    /// There is no key to be had.
    pub fn new() -> Result<Self> {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Ok(Self(CertifiedIssuer::self_signed(parameters, KeyPair::generate()?)?))
    }

    /// Its certificate.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// Writes the certificate of a user in a group, and its key, into this directory: `USER.crt` and `USER.key`.
    ///
    /// # Errors
    /// They can't be made, or not be written.
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

/// How a user shows who they are whose certificate is in this directory.
pub fn certified(directory: &Path, user: &str) -> AuthInfo {
    let file = |extension| Some(directory.join(user).with_extension(extension).display().to_string());
    AuthInfo { client_certificate: file("crt"), client_key: file("key"), ..AuthInfo::default() }
}
