//! `/berth/v1/scheduling`: pauses the scheduling of pods, and lets the scheduler make one decision at a time. Only in a
//! simulated cluster.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use berth_analysis::PodRef;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::{QuestionError, body, failed, question};

/// A request to the scheduling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulingRequest {
    /// Change nothing.
    Show,
    /// Start no further scheduling cycle. Bindings go on.
    Pause,
    /// Start a scheduling cycle whenever a pod is ready for one.
    Resume,
    /// Run one scheduling cycle, if a pod is ready for one. The scheduling stays paused.
    DecideOne,
}

/// Whether the scheduler schedules pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SchedulingState {
    /// Whether the scheduler starts no scheduling cycle.
    pub paused: bool,
    /// Whether a pod is ready for a scheduling cycle.
    pub has_work: bool,
    /// The pod of the cycle that this request ran. Absent if the request ran none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<PodRef>,
}

/// Controls when a running scheduler schedules pods.
pub trait SchedulingControl: Send + Sync {
    /// Executes a request, and returns the state after it.
    fn scheduling(&self, request: SchedulingRequest) -> BoxFuture<'_, Result<SchedulingState, QuestionError>>;
}

/// A change of the scheduling. Exactly one field is set.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Change {
    /// Whether to start no further scheduling cycle.
    paused: Option<bool>,
    /// Whether to run one scheduling cycle.
    decide: Option<bool>,
}

/// Returns the router of `/berth/v1/scheduling`. GET returns the [`SchedulingState`]. POST changes it, and answers when the
/// change is done. Every caller may change the scheduling.
pub fn scheduling_router(control: Arc<dyn SchedulingControl>) -> Router {
    Router::new().route("/berth/v1/scheduling", question(get(show).post(change))).with_state(control)
}

async fn show(State(control): State<Arc<dyn SchedulingControl>>) -> Response {
    answer(&*control, SchedulingRequest::Show).await
}

async fn change(
    State(control): State<Arc<dyn SchedulingControl>>,
    change: Result<Json<Change>, JsonRejection>,
) -> Response {
    let request = match body(change) {
        Ok(Change { paused: Some(true), decide: None }) => SchedulingRequest::Pause,
        Ok(Change { paused: Some(false), decide: None }) => SchedulingRequest::Resume,
        Ok(Change { paused: None, decide: Some(true) }) => SchedulingRequest::DecideOne,
        Ok(_) => {
            let message = r#"send one of {"paused": true}, {"paused": false} and {"decide": true}"#;
            return failed(&QuestionError::Invalid(message.to_owned()));
        }
        Err(response) => return response,
    };
    answer(&*control, request).await
}

async fn answer(control: &dyn SchedulingControl, request: SchedulingRequest) -> Response {
    match control.scheduling(request).await {
        Ok(state) => Json(state).into_response(),
        Err(error) => failed(&error),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use futures::FutureExt;
    use tower_service::Service;

    use super::*;

    /// Answers with a state that shows the request.
    struct Fake;

    impl SchedulingControl for Fake {
        fn scheduling(&self, request: SchedulingRequest) -> BoxFuture<'_, Result<SchedulingState, QuestionError>> {
            async move {
                Ok(SchedulingState {
                    paused: request == SchedulingRequest::Pause,
                    has_work: request == SchedulingRequest::Resume,
                    decided: (request == SchedulingRequest::DecideOne).then(PodRef::default),
                })
            }
            .boxed()
        }
    }

    async fn send(method: &str, body: &str) -> (u16, String) {
        let request = Request::builder().method(method).uri("/berth/v1/scheduling");
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let response = scheduling_router(Arc::new(Fake)).call(request).await.expect("no error");
        let code = response.status().as_u16();
        let body = to_bytes(response.into_body(), 1 << 16).await.expect("a body");
        (code, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn the_scheduling_is_paused_and_continued() {
        for (method, body, code, expected) in [
            ("GET", "", 200, r#"{"paused":false,"hasWork":false}"#),
            ("POST", r#"{"paused": true}"#, 200, r#""paused":true"#),
            ("POST", r#"{"paused": false}"#, 200, r#""hasWork":true"#),
            ("POST", r#"{"decide": true}"#, 200, r#""decided":{"#),
            ("POST", r#"{"decide": false}"#, 400, "send one of"),
            ("POST", r#"{"decide": true, "paused": true}"#, 400, "send one of"),
            ("POST", "{}", 400, "send one of"),
            ("POST", r#"{"pause": true}"#, 422, "unknown field"),
            ("POST", "pause", 400, "Failed to parse"),
        ] {
            let (found, text) = send(method, body).await;
            assert!(found == code && text.contains(expected), "{method} {body}: {found} {text}");
        }
    }
}
