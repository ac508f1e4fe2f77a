//! Authenticates bearer tokens through TokenReviews of the API server. Tokens are neither stored nor logged, only
//! their digests are cached.

use std::time::{Duration, Instant};

use ::kube::Client;
use axum::http::{HeaderMap, header::AUTHORIZATION};
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec};
use sha2::{Digest, Sha256};

use super::cache::Cache;
use super::review::Reviewer;
use super::user::User;

/// The remedy for forbidden reviews, for the log.
const REMEDY: &str = "if the review is forbidden, bind the user of --authentication-kubeconfig (by default, the pod's \
                      service account) to ClusterRole system:auth-delegator, which allows to create \
                      tokenreviews.authentication.k8s.io";

/// Authenticates bearer tokens.
pub(super) struct Tokens {
    reviewer: Reviewer,
    ttl: Duration,
    cache: Cache<[u8; 32], Option<User>>,
}

impl Tokens {
    pub fn new(client: Client, ttl: Duration) -> Self {
        Self { reviewer: Reviewer::new(client, REMEDY), ttl, cache: Cache::default() }
    }

    /// Returns the user of the request's bearer token, or `None` if the request has no bearer token.
    ///
    /// # Errors
    /// The token is invalid, or the API server did not answer the review.
    pub async fn user(&self, headers: &HeaderMap) -> Option<Result<User, String>> {
        let token = bearer(headers)?;
        let digest: [u8; 32] = Sha256::digest(token).into();
        let user = match self.cache.get(&digest, Instant::now()) {
            Some(user) => user,
            None => match self.review(token).await {
                Ok(user) => {
                    self.cache.keep(digest, user.clone(), Instant::now(), self.ttl);
                    user
                }
                Err(why) => return Some(Err(why)),
            },
        };
        Some(user.ok_or_else(|| "the bearer token is invalid".to_owned()))
    }

    async fn review(&self, token: &str) -> Result<Option<User>, String> {
        let spec = TokenReviewSpec { token: token.to_owned(), audiences: None };
        let review = self.reviewer.ask(&TokenReview { spec, ..TokenReview::default() }).await?;
        let status = review.status.unwrap_or_default();
        if status.authenticated != Some(true) {
            return Ok(None);
        }
        let user = status.user.unwrap_or_default();
        Ok(Some(User {
            name: user.username.unwrap_or_default(),
            uid: user.uid.unwrap_or_default(),
            groups: user.groups.unwrap_or_default(),
            extra: user.extra.unwrap_or_default(),
        }))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_follows_the_scheme_bearer() {
        for (value, token) in
            [("Bearer abc", Some("abc")), ("bearer  x", Some(" x")), ("Basic abc", None), ("Bearer", None), ("", None)]
        {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, value.parse().expect("a value"))]);
            assert_eq!(bearer(&headers), token, "{value:?}");
        }
    }
}
