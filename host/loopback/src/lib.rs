//! Refuses requests of web pages of other hosts to a server on loopback. A web page in the user's browser can send
//! requests to this machine.
//!
//! - In: the URI and the headers of a request.
//! - Out: whether the request may be answered.
//! - Never: this crate checks no credentials, and does no I/O.

use std::net::IpAddr;

use http::uri::{Authority, Uri};
use http::{HeaderMap, header};

/// The web pages that may use the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Pages of any server on loopback. `kubectl proxy` forwards requests of its own pages.
    OfLoopback,
    /// Pages of this server only.
    OfThisServer,
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The `Host` is missing, or names another host.
    #[error("the Host header must name localhost or a loopback address")]
    Host,
    /// The `Origin` is another one.
    #[error("web pages of other hosts may not use this server")]
    Origin,
}

/// Checks the `Host` and `Origin` of a request.
///
/// # Errors
/// The `Host` is missing or not a loopback name or address, or the request has the `Origin` of a page that may not use the
/// server.
pub fn check(uri: &Uri, headers: &HeaderMap, pages: Pages) -> Result<(), Refusal> {
    // HTTP/2 sends the host in the URI.
    let host = text(headers, header::HOST).or_else(|| uri.authority().map(Authority::as_str));
    // A web page whose domain name resolves to 127.0.0.1 sends its own domain name as `Host` (DNS rebinding).
    let host = host.filter(|host| is_loopback_host(host)).ok_or(Refusal::Host)?;
    if !headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    let allowed = text(headers, header::ORIGIN).is_some_and(|origin| match pages {
        Pages::OfLoopback => is_loopback_origin(origin),
        Pages::OfThisServer => origin.strip_prefix("http://").is_some_and(|rest| rest.eq_ignore_ascii_case(host)),
    });
    if allowed { Ok(()) } else { Err(Refusal::Origin) }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn is_loopback_host(host: &str) -> bool {
    host.parse().is_ok_and(is_loopback)
}

fn is_loopback_origin(origin: &str) -> bool {
    origin.parse::<Uri>().ok().and_then(|uri| uri.authority().cloned()).is_some_and(is_loopback)
}

fn is_loopback(authority: Authority) -> bool {
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(headers: &[(header::HeaderName, &str)], pages: Pages) -> bool {
        let headers: HeaderMap = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        check(&Uri::from_static("/api"), &headers, pages).is_ok()
    }

    #[test]
    fn other_hosts_are_rejected() {
        for (host, expected) in [
            ("localhost", true),
            ("LocalHost:8080", true),
            ("127.0.0.1:6443", true),
            ("[::1]:6443", true),
            ("[::1]", true),
            ("example.com", false),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com:80", false),
            ("10.0.0.1", false),
            ("", false),
        ] {
            assert_eq!(allowed(&[(header::HOST, host)], Pages::OfLoopback), expected, "{host}");
        }
        assert!(!allowed(&[], Pages::OfLoopback));
        for (uri, taken) in [("http://localhost/api", true), ("http://example.com/api", false)] {
            let checked = check(&Uri::from_static(uri), &HeaderMap::new(), Pages::OfLoopback);
            assert_eq!(checked.is_ok(), taken, "{uri}");
        }
    }

    #[test]
    fn pages_of_other_origins_are_rejected() {
        for (origin, of_loopback, of_this_server) in [
            ("http://localhost:3000", true, true),
            ("http://LOCALHOST:3000", true, true),
            ("http://localhost:3001", true, false),
            ("http://127.0.0.1", true, false),
            ("https://localhost:3000", true, false),
            ("https://example.com", false, false),
            ("null", false, false),
            ("", false, false),
        ] {
            let headers = [(header::HOST, "localhost:3000"), (header::ORIGIN, origin)];
            assert_eq!(allowed(&headers, Pages::OfLoopback), of_loopback, "{origin}");
            assert_eq!(allowed(&headers, Pages::OfThisServer), of_this_server, "{origin}");
        }
    }
}
