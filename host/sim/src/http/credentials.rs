//! Authenticates requests by the server's bearer token.

use std::fmt;
use std::net::IpAddr;

use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

use crate::failure::Failure;

/// The number of random bytes of a token.
const BYTES: usize = 32;

/// The message for an `Authorization` header that does not contain the server's token.
const WRONG: &str = "the Authorization header does not contain the bearer token of this server. The server draws a new \
                     token at each start: use the kubeconfig that the server wrote";

/// The message for a request without an `Authorization` header.
const MISSING: &str = "the request has no Authorization header, and this server does not listen on a loopback address \
                       only: use the kubeconfig that the server wrote";

/// The credentials that a server accepts.
pub struct Credentials {
    token: String,
    /// True if the server accepts a request without credentials.
    anonymous: bool,
}

impl Credentials {
    /// Draws a random token for a server that listens on `address`. On a loopback address, the server
    /// accepts requests without an `Authorization` header: kubectl, for example, sends no token over plain HTTP.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub fn generate(address: IpAddr) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self { token: BASE64_URL_SAFE_NO_PAD.encode(bytes), anonymous: address.is_loopback() })
    }

    /// Returns the bearer token, for the kubeconfig.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Checks the `Authorization` headers of a request.
    ///
    /// # Errors
    /// 401 if a header does not contain the token, or if the request needs a header and has none.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let mut given = headers.get_all(header::AUTHORIZATION).iter().peekable();
        if given.peek().is_none() && !self.anonymous {
            return Err(Failure::unauthorized(MISSING));
        }
        match given.all(|value| self.is_token(value.as_bytes())) {
            true => Ok(()),
            false => Err(Failure::unauthorized(WRONG)),
        }
    }

    /// Returns true if an `Authorization` header contains the token. The time of the comparison does not depend on
    /// the bytes of the token.
    fn is_token(&self, header: &[u8]) -> bool {
        const SCHEME: &[u8] = b"Bearer ";
        match header.split_at_checked(SCHEME.len()) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case(SCHEME) => {
                self.token.as_bytes().ct_eq(token.trim_ascii()).into()
            }
            _ => false,
        }
    }
}

/// Does not print the token, so that it cannot reach a log.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("anonymous", &self.anonymous).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(credentials: &Credentials, values: &[&str]) -> u16 {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        credentials.check(&headers).map_or_else(|failure| failure.code, |()| 200)
    }

    fn credentials_for(address: &str) -> Credentials {
        Credentials::generate(address.parse().unwrap()).unwrap()
    }

    #[test]
    fn only_the_token_of_the_server_is_accepted() {
        for (address, anonymous) in [("127.0.0.1", 200), ("::1", 200), ("10.0.0.1", 401), ("0.0.0.0", 401), ("::", 401)]
        {
            let credentials = credentials_for(address);
            let token = credentials.token().to_owned();
            let (right, lower) = (format!("Bearer {token}"), format!("bearer  {token} "));
            let (short, long) = (format!("Bearer {}", &token[1..]), format!("Bearer {token}a"));
            assert_eq!(code(&credentials, &[]), anonymous, "{address}");
            assert_eq!(code(&credentials, &[&right]), 200, "{address}");
            assert_eq!(code(&credentials, &[&lower]), 200, "{address}");
            for wrong in ["", "Bearer", "Bearer ", "Bearer berth", "Basic YTpi", &token, &short, &long] {
                assert_eq!(code(&credentials, &[wrong]), 401, "{address} {wrong:?}");
                assert_eq!(code(&credentials, &[&right, wrong]), 401, "{address} {wrong:?} after the token");
            }
        }
    }

    #[test]
    fn tokens_differ_and_are_not_printed() {
        let (one, other) = (credentials_for("127.0.0.1"), credentials_for("127.0.0.1"));
        assert_ne!(one.token(), other.token());
        assert_eq!(one.token().len(), 43, "32 bytes in base64");
        assert!(!format!("{one:?}").contains(one.token()));
    }
}
