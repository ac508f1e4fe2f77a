//! Admits or refuses every request of the server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::warn;

use super::authentication::Following;
use super::authorization::Decision;
use super::{AccessError, Authentication, AuthenticationOptions, Authorization, AuthorizationOptions};
use super::{Caller, OBJECTS};
use crate::connections::Peer;
use crate::status::refuse;

/// Authenticates and authorizes requests.
pub struct Gate {
    authentication: Authentication,
    authorization: Arc<Authorization>,
    /// The time of the last log line about a failed authentication.
    last_logged: Mutex<Option<Instant>>,
}

/// The minimum time between two log lines about failed authentications. Any client can cause such failures.
const PAUSE: Duration = Duration::from_secs(10);

impl Gate {
    /// Returns the gate that the flags describe, and a future that must be polled to apply changes of certificate files
    /// and of the cluster's ConfigMap.
    ///
    /// # Errors
    /// A file or a kubeconfig can't be used, or the lookup in the cluster failed and the flags don't tolerate that.
    pub async fn new(
        authentication: &AuthenticationOptions,
        authorization: &AuthorizationOptions,
    ) -> Result<(Self, Following), AccessError> {
        let (authentication, following) = Authentication::new(authentication).await?;
        let authorization = Arc::new(Authorization::new(authorization).await?);
        Ok((Self { authentication, authorization, last_logged: Mutex::default() }, following))
    }

    /// Logs a failed authentication, at most once in [`PAUSE`].
    fn log_failure(&self, path: &str, why: &str) {
        let mut last_logged = self.last_logged.lock().unwrap_or_else(PoisonError::into_inner);
        if last_logged.is_none_or(|at| at.elapsed() >= PAUSE) {
            warn!(path, error = %why, "authentication of a client failed; request refused");
            *last_logged = Some(Instant::now());
        }
    }
}

/// Passes an admitted request on, and answers any other request.
pub(crate) async fn admit(
    State(gate): State<Arc<Gate>>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    // Split the request: its body is not `Sync`, so no reference to the whole may live across an `await`.
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let user = match gate.authentication.user(&head.headers, &peer.certificates).await {
        Ok(user) => user,
        Err(why) => {
            gate.log_failure(path, &why);
            return refuse(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized".to_owned());
        }
    };
    if path.starts_with(OBJECTS) {
        // The rights depend on the objects that the answer is about.
        let mut request = Request::from_parts(head, body);
        request.extensions_mut().insert(Caller { user, authorization: Arc::clone(&gate.authorization) });
        return uncached(next.run(request).await);
    }
    let verb = head.method.as_str().to_ascii_lowercase();
    let answer = match gate.authorization.decide(&user, &verb, path).await {
        Decision::Allowed => next.run(Request::from_parts(head, body)).await,
        Decision::Denied(reason) => {
            let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
            let message = format!("forbidden: User \"{}\" cannot {verb} path \"{path}\"{reason}", user.name);
            refuse(StatusCode::FORBIDDEN, "Forbidden", message)
        }
        Decision::Unknown(why) => {
            let text = format!("Internal Server Error: \"{path}\": {why}\n");
            (StatusCode::INTERNAL_SERVER_ERROR, text).into_response()
        }
    };
    uncached(answer)
}

fn uncached(mut answer: Response) -> Response {
    answer.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache, private"));
    answer
}
