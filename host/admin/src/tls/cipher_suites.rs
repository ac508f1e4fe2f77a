//! TLS versions, cipher suites and key exchange groups, by the names of kube-scheduler's flags, which are Go's names.

use std::str::FromStr;

use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{CipherSuite, NamedGroup, SupportedProtocolVersion};

/// The TLS parameters that the flags restrict.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// `--tls-min-version`.
    pub min_version: MinVersion,
    /// `--tls-cipher-suites`, by Go's names. Empty: all. The suites of TLS 1.3 are always enabled, as in Go.
    pub suites: Vec<String>,
    /// `--tls-curve-preferences`, by Go's numbers, which are the TLS group numbers. Empty: all.
    pub groups: Vec<u16>,
}

/// The minimum TLS version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MinVersion {
    /// `VersionTLS12`. Lower values have the same effect: TLS 1.0 and 1.1 are not supported.
    #[default]
    Tls12,
    /// `VersionTLS13`.
    Tls13,
}

impl FromStr for MinVersion {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "VersionTLS10" | "VersionTLS11" | "VersionTLS12" => Ok(Self::Tls12),
            "VersionTLS13" => Ok(Self::Tls13),
            _ => Err("expected VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13".to_owned()),
        }
    }
}

/// The supported suites of TLS 1.2, by Go's names.
const TLS12_SUITES: [(&str, CipherSuite); 6] = [
    ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
    ("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
    ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
    ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
    ("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
    ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
];

/// The suites of TLS 1.3.
const TLS13_SUITES: [&str; 3] = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

static BOTH: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];
static TLS13_ONLY: [&SupportedProtocolVersion; 1] = [&TLS13];

fn tls12_suite(name: &str) -> Option<CipherSuite> {
    // Go has two names for each ChaCha20 suite. The table holds the name without `_SHA256`.
    let name = name.strip_suffix("POLY1305_SHA256").map_or(name.to_owned(), |start| format!("{start}POLY1305"));
    TLS12_SUITES.iter().find(|(known, _)| **known == *name).map(|(_, suite)| *suite)
}

impl Choice {
    /// Returns the requested suites that are not supported: CBC, RC4, 3DES, RSA key exchange, and unknown names.
    pub fn unsupported_suites(&self) -> impl Iterator<Item = &str> {
        let names = self.suites.iter().map(String::as_str);
        names.filter(|name| tls12_suite(name).is_none() && !TLS13_SUITES.contains(name))
    }

    /// Returns the requested groups that are not supported.
    pub fn unsupported_groups(&self) -> impl Iterator<Item = u16> {
        self.groups.iter().copied().filter(|group| {
            let known = [NamedGroup::secp256r1, NamedGroup::secp384r1, NamedGroup::X25519];
            !known.contains(&NamedGroup::from(*group))
        })
    }

    /// Restricts the provider to the requested suites and groups.
    pub(super) fn of(&self, mut provider: CryptoProvider) -> CryptoProvider {
        if !self.suites.is_empty() {
            let wanted: Vec<CipherSuite> = self.suites.iter().filter_map(|name| tls12_suite(name)).collect();
            provider.cipher_suites.retain(|suite| suite.tls13().is_some() || wanted.contains(&suite.suite()));
        }
        if !self.groups.is_empty() {
            provider.kx_groups.retain(|group| self.groups.contains(&u16::from(group.name())));
        }
        provider
    }

    pub(super) fn versions(&self) -> &'static [&'static SupportedProtocolVersion] {
        let only_tls13 = !self.suites.is_empty() && !self.suites.iter().any(|name| tls12_suite(name).is_some());
        match self.min_version {
            MinVersion::Tls12 if !only_tls13 => &BOTH,
            _ => &TLS13_ONLY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_rustls::rustls::crypto::ring;

    fn choice(suites: &[&str]) -> Choice {
        Choice { suites: suites.iter().map(ToString::to_string).collect(), ..Choice::default() }
    }

    #[test]
    fn every_suite_of_the_library_has_a_go_name() {
        let names: Vec<&str> = TLS12_SUITES.iter().map(|(name, _)| *name).collect();
        assert_eq!(choice(&names).of(ring::default_provider()).cipher_suites.len(), 9);
        assert_eq!(choice(&[]).of(ring::default_provider()).cipher_suites.len(), 9);
    }

    #[test]
    fn flags_restrict_tls_1_2_suites_and_keep_tls_1_3_suites() {
        let chosen = choice(&["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"]);
        let provider = chosen.of(ring::default_provider());
        assert_eq!(provider.cipher_suites.iter().filter(|suite| suite.tls13().is_none()).count(), 2);
        assert_eq!(provider.cipher_suites.iter().filter(|suite| suite.tls13().is_some()).count(), 3);
        assert_eq!(chosen.versions().len(), 2);
    }

    #[test]
    fn without_a_supported_tls_1_2_suite_only_tls_1_3_is_offered() {
        let old = choice(&["TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_AES_128_GCM_SHA256"]);
        assert_eq!(old.unsupported_suites().collect::<Vec<_>>(), ["TLS_RSA_WITH_AES_128_CBC_SHA"]);
        assert_eq!(old.versions().len(), 1);
    }
}
