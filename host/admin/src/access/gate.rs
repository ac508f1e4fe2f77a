//! The gate that every request goes through, and what those read that it turns away.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tracing::warn;

use super::authentication::Following;
use super::authorization::Decision;
use super::{AccessError, Authentication, AuthenticationOptions, Authorization, AuthorizationOptions};
use crate::connections::Peer;

/// Who asks, and whether they may.
pub struct Gate {
    authentication: Authentication,
    authorization: Authorization,
    /// When it was last told that somebody could not show who they are.
    told: Mutex<Option<Instant>>,
}

/// Between two such lines in the log: anybody can cause them.
const PAUSE: Duration = Duration::from_secs(10);

impl Gate {
    /// As the flags say; and what follows the changes of files and cluster, which somebody has to poll.
    ///
    /// # Errors
    /// A file or a kubeconfig can't be used.
    pub async fn new(
        authentication: &AuthenticationOptions,
        authorization: &AuthorizationOptions,
    ) -> Result<(Self, Following), AccessError> {
        let (authentication, following) = Authentication::new(authentication).await?;
        let authorization = Authorization::new(authorization).await?;
        Ok((Self { authentication, authorization, told: Mutex::default() }, following))
    }

    fn tell(&self, path: &str, why: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| told.elapsed() >= PAUSE) {
            warn!("{path} was asked for by somebody who can't show who they are: {why}");
            *told = Some(Instant::now());
        }
    }
}

/// Lets a request in, or answers it.
pub(crate) async fn admit(
    State(gate): State<Arc<Gate>>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    // Its body may not wait with us.
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let user = match gate.authentication.user(&head.headers, &peer.certificates).await {
        Ok(user) => user,
        Err(why) => {
            gate.tell(path, &why);
            return refuse(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized".to_owned());
        }
    };
    let verb = head.method.as_str().to_ascii_lowercase();
    let mut answer = match gate.authorization.decide(&user, &verb, path).await {
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
    answer.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache, private"));
    answer
}

/// A `Status`, as the API server answers.
fn refuse(code: StatusCode, reason: &str, message: String) -> Response {
    let mut status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code.as_u16(),
    });
    if code == StatusCode::FORBIDDEN {
        status["details"] = json!({});
    }
    (code, Json(status)).into_response()
}
