//! Authenticates users through a front proxy: a proxy with a trusted certificate names the user in headers.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::http::HeaderMap;
use tokio_rustls::rustls::pki_types::CertificateDer;

use super::authorities::Authorities;
use super::user::User;

/// The trusted proxies and their headers: the flags `--requestheader-*`. Header names are in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headers {
    /// `--requestheader-allowed-names`: the allowed common names. Empty: all.
    pub allowed_names: Vec<String>,
    /// `--requestheader-username-headers`. The first header with a value names the user.
    pub user: Vec<String>,
    /// `--requestheader-uid-headers`. The first header with a value is the user's uid.
    pub uid: Vec<String>,
    /// `--requestheader-group-headers`. Every value of every header is a group.
    pub group: Vec<String>,
    /// `--requestheader-extra-headers-prefix`.
    pub extra_prefixes: Vec<String>,
}

impl Default for Headers {
    fn default() -> Self {
        let one = |name: &str| vec![name.to_owned()];
        Self {
            allowed_names: Vec::new(),
            user: one("x-remote-user"),
            uid: Vec::new(),
            group: one("x-remote-group"),
            extra_prefixes: one("x-remote-extra-"),
        }
    }
}

/// The certificate authorities and headers of front proxies.
#[derive(Clone, Debug, Default)]
pub(super) struct FrontProxy {
    pub authorities: Arc<Authorities>,
    pub headers: Headers,
}

impl FrontProxy {
    /// Returns the user that a front proxy names. Returns `None` if no header names a user, the client has no
    /// certificate, or the authorities of front proxies are not known.
    ///
    /// # Errors
    /// A header names a user, but the client's certificate is not that of a trusted proxy.
    pub fn user(&self, headers: &HeaderMap, peer: &[CertificateDer<'_>]) -> Option<Result<User, String>> {
        let name = first(headers, &self.headers.user)?;
        let proxy = match self.authorities.verify(peer)? {
            Ok(proxy) => proxy.common_name,
            Err(why) => return Some(Err(format!("the front proxy's certificate is invalid: {why}"))),
        };
        let allowed = &self.headers.allowed_names;
        if !allowed.is_empty() && !allowed.contains(&proxy) {
            return Some(Err(format!("{proxy:?} is not an allowed front proxy (requestheader-allowed-names)")));
        }
        Some(Ok(User {
            name,
            uid: first(headers, &self.headers.uid).unwrap_or_default(),
            groups: self.headers.group.iter().flat_map(|name| all(headers, name)).collect(),
            extra: self.extra(headers),
        }))
    }

    fn extra(&self, headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
        let mut extra = BTreeMap::new();
        for name in headers.keys() {
            let key = self.headers.extra_prefixes.iter().find_map(|prefix| name.as_str().strip_prefix(prefix));
            if let Some(key) = key {
                extra.insert(key.to_owned(), all(headers, name.as_str()).collect());
            }
        }
        extra
    }
}

fn all(headers: &HeaderMap, name: &str) -> impl Iterator<Item = String> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .filter(|value| !value.is_empty())
        .map(str::to_owned)
}

fn first(headers: &HeaderMap, names: &[String]) -> Option<String> {
    names.iter().find_map(|name| all(headers, name).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_without_a_proxy_certificate_name_no_user() {
        let mut headers = HeaderMap::new();
        headers.insert("x-remote-user", "root".parse().expect("a value"));
        assert_eq!(FrontProxy::default().user(&headers, &[]), None);
        assert_eq!(FrontProxy::default().user(&HeaderMap::new(), &[]), None);
    }

    #[test]
    fn groups_and_extra_attributes_are_read_from_headers() {
        let mut headers = HeaderMap::new();
        for (name, value) in [("x-remote-group", "a"), ("x-remote-group", "b"), ("x-remote-extra-scope", "c")] {
            headers.append(name, value.parse().expect("a value"));
        }
        assert_eq!(all(&headers, "x-remote-group").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(FrontProxy::default().extra(&headers), BTreeMap::from([("scope".into(), vec!["c".into()])]));
    }
}
