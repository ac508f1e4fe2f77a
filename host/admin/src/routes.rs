//! The HTTP paths of the server.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Json, Router};
use serde_json::json;

use super::checks::Checks;
use super::metrics;
use super::subject::Subject;
use crate::vitals::Vitals;

/// Returns the router with all paths, without access checks.
pub(super) fn router(subject: Arc<Subject>) -> Router {
    let mut router = Router::new();
    for (path, look) in
        [("/healthz", Checks::healthy as fn(&Vitals) -> Checks), ("/livez", Checks::live), ("/readyz", Checks::ready)]
    {
        let all = move |State(subject): State<Arc<Subject>>, RawQuery(query): RawQuery| async move {
            let query = Query::of(query.as_deref().unwrap_or_default());
            answer(&look(&subject.vitals).without(query.exclude), query.verbose)
        };
        let one = move |State(subject): State<Arc<Subject>>, Path(name): Path<String>| async move {
            match look(&subject.vitals).only(&name) {
                None => not_found().await,
                Some(Ok(())) => "ok".into_response(),
                Some(Err(why)) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{why}\n")).into_response(),
            }
        };
        router = router.route(path, any(all)).route(&format!("{path}/{{check}}"), any(one));
    }
    router.route("/metrics", get(scrape)).route("/configz", get(configuration)).fallback(not_found).with_state(subject)
}

/// The query parameters of a probe.
#[derive(Debug, PartialEq, Eq)]
struct Query {
    verbose: bool,
    exclude: Vec<String>,
}

impl Query {
    /// Parses the query without decoding percent escapes, because the names of the checks need no escapes.
    fn of(query: &str) -> Self {
        let pairs = || query.split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
        let exclude = pairs().filter(|(name, _)| *name == "exclude").map(|(_, value)| value.to_owned()).collect();
        Self { verbose: pairs().any(|(name, _)| name == "verbose"), exclude }
    }
}

fn answer(checks: &Checks, verbose: bool) -> Response {
    match checks.passed() {
        true if verbose => checks.to_string().into_response(),
        true => "ok".into_response(),
        false => (StatusCode::INTERNAL_SERVER_ERROR, checks.to_string()).into_response(),
    }
}

/// Serves `/configz`, under the key that kube-scheduler uses for its own configuration.
async fn configuration(State(subject): State<Arc<Subject>>) -> Response {
    match subject.configuration() {
        Ok(configuration) => Json(json!({ "componentconfig": configuration })).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("can't write the configuration as JSON: {error}\n"))
            .into_response(),
    }
}

async fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "404 page not found\n").into_response()
}

async fn scrape(State(subject): State<Arc<Subject>>, headers: HeaderMap) -> Response {
    let format = metrics::Format::wanted(headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()));
    match subject.metrics(format).await {
        Ok(text) => ([(header::CONTENT_TYPE, format.content_type())], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_can_be_verbose_and_exclude_checks() {
        let query =
            |verbose, exclude: &[&str]| Query { verbose, exclude: exclude.iter().map(ToString::to_string).collect() };
        for (text, expected) in [
            ("", query(false, &[])),
            ("verbose", query(true, &[])),
            ("verbose=true&exclude=a&exclude=b", query(true, &["a", "b"])),
            ("verbosely&x=verbose", query(false, &[])),
        ] {
            assert_eq!(Query::of(text), expected, "{text}");
        }
    }
}
