//! Authorizes requests through SubjectAccessReviews of the API server.

use std::time::{Duration, Instant};

use ::kube::Client;
use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use tracing::info;

use super::cache::Cache;
use super::review::Reviewer;
use super::right::Right;
use super::user::User;
use super::{AccessError, AuthorizationOptions, cluster};

/// The remedy for forbidden reviews, for the log.
const REMEDY: &str = "only --authorization-always-allow-paths are served; if the review is forbidden, bind the user of \
                      --authorization-kubeconfig (by default, the pod's service account) to ClusterRole \
                      system:auth-delegator, which allows to create subjectaccessreviews.authorization.k8s.io";

/// The group whose members are always allowed, without a review.
const MASTERS: &str = "system:masters";

/// Authorizes requests.
pub struct Authorization {
    always_allow: Vec<String>,
    reviewer: Option<Reviewer>,
    allowed_ttl: Duration,
    denied_ttl: Duration,
    /// Whether the API server allowed a request, with its reason.
    cache: Cache<(User, Request), (bool, String)>,
}

/// What a user wants to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Request {
    /// Use a verb (such as `get`) on a path.
    Path { verb: String, path: String },
    /// Have a right to an object.
    Object(Right),
}

/// The result of an authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Allowed,
    /// Denied, with the API server's reason, which may be empty.
    Denied(String),
    /// The API server refused or did not answer the review; with the error.
    Unknown(String),
}

impl Authorization {
    /// Returns the authorization that the flags describe.
    ///
    /// # Errors
    /// The kubeconfig can't be used.
    pub async fn new(options: &AuthorizationOptions) -> Result<Self, AccessError> {
        let client = cluster::client("--authorization-kubeconfig", options.kubeconfig.as_deref()).await?;
        if client.is_none() {
            info!(
                paths = options.always_allow.join(", "),
                "no --authorization-kubeconfig is set and this process is not in a pod; serving only \
                 --authorization-always-allow-paths, except to the group system:masters"
            );
        }
        Ok(Self::with(options, client))
    }

    pub(crate) fn with(options: &AuthorizationOptions, client: Option<Client>) -> Self {
        Self {
            always_allow: options.always_allow.clone(),
            reviewer: client.map(|client| Reviewer::new(client, REMEDY)),
            allowed_ttl: options.allowed_ttl,
            denied_ttl: options.denied_ttl,
            cache: Cache::default(),
        }
    }

    /// Decides whether the user may use the verb (such as `get`) on the path.
    pub(crate) async fn decide(&self, user: &User, verb: &str, path: &str) -> Decision {
        if self.always_allow.iter().any(|allowed| covers(allowed, path)) {
            return Decision::Allowed;
        }
        self.decide_on(user, Request::Path { verb: verb.to_owned(), path: path.to_owned() }).await
    }

    /// Decides whether the user has the right.
    pub(crate) async fn decide_about(&self, user: &User, right: &Right) -> Decision {
        self.decide_on(user, Request::Object(right.clone())).await
    }

    async fn decide_on(&self, user: &User, request: Request) -> Decision {
        if user.groups.iter().any(|group| group == MASTERS) {
            return Decision::Allowed;
        }
        let Some(reviewer) = &self.reviewer else { return Decision::Denied(String::new()) };
        let question = (user.clone(), request);
        let known = self.cache.get(&question, Instant::now());
        let (allowed, reason) = match known {
            Some(known) => known,
            None => match reviewer.ask(&review(user, &question.1)).await {
                Ok(review) => {
                    let status = review.status.unwrap_or_default();
                    let answer = (status.allowed, status.reason.unwrap_or_default());
                    let ttl = if answer.0 { self.allowed_ttl } else { self.denied_ttl };
                    self.cache.keep(question, answer.clone(), Instant::now(), ttl);
                    answer
                }
                Err(why) => return Decision::Unknown(why),
            },
        };
        if allowed { Decision::Allowed } else { Decision::Denied(reason) }
    }
}

/// Returns whether an always allowed path equals this path or, with a trailing `*`, is a prefix of it.
fn covers(allowed: &str, path: &str) -> bool {
    let (allowed, path) = (allowed.trim_start_matches('/'), path.trim_start_matches('/'));
    allowed.strip_suffix('*').map_or(allowed == path, |prefix| path.starts_with(prefix))
}

fn review(user: &User, request: &Request) -> SubjectAccessReview {
    let text = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
    let (path, object) = match request {
        Request::Path { verb, path } => (Some(NonResourceAttributes { path: text(path), verb: text(verb) }), None),
        Request::Object(right) => {
            let object = ResourceAttributes {
                verb: text(right.verb),
                version: text("v1"),
                resource: text(right.resource),
                namespace: right.namespace.clone(),
                name: right.name.clone(),
                ..ResourceAttributes::default()
            };
            (None, Some(object))
        }
    };
    let spec = SubjectAccessReviewSpec {
        user: text(&user.name),
        uid: text(&user.uid),
        groups: Some(user.groups.clone()),
        extra: Some(user.extra.clone()).filter(|extra| !extra.is_empty()),
        non_resource_attributes: path,
        resource_attributes: object,
    };
    SubjectAccessReview { spec, ..SubjectAccessReview::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowed_path_covers_itself_or_a_prefix_with_a_star() {
        for (allowed, path, covered) in [
            ("/healthz", "/healthz", true),
            ("healthz", "/healthz", true),
            ("/healthz", "/healthz/ping", false),
            ("/healthz/*", "/healthz/ping", true),
            ("/*", "/metrics", true),
            ("/metrics", "/metricsx", false),
        ] {
            assert_eq!(covers(allowed, path), covered, "{allowed} {path}");
        }
    }

    #[tokio::test]
    async fn without_an_api_server_only_probes_and_masters_are_allowed() {
        let authorization = Authorization::with(&AuthorizationOptions::default(), None);
        let master = User { name: "root".into(), groups: vec![MASTERS.into()], ..User::default() };
        for (user, path, allowed) in [
            (User::anonymous(), "/livez", true),
            (User::anonymous(), "/livez/ping", false),
            (User::anonymous(), "/metrics", false),
            (master, "/metrics", true),
        ] {
            let decided = authorization.decide(&user, "get", path).await;
            assert_eq!(decided == Decision::Allowed, allowed, "{} {path}: {decided:?}", user.name);
        }
    }
}
